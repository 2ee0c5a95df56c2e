import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { Connector, ConnectorOptions } from '../../src/connector/connector.ts'
import { checkServer } from './check.ts'
import { classify } from './failures.ts'
import { options, parseEndpoint, type RedisOptions } from './options.ts'
import { planProblems, templateOf } from './plan-problems.ts'
import { tableStatements } from './statements.ts'
import { typeMapping } from './type-mapping.ts'
import { openWriter } from './writer.ts'

/** `'connector' = 'redis'`: Redis 6.2 and newer and Valkey, one server or a cluster, through `redis` (node-redis) or a ready client. */
export const redis = {
  name: 'redis',
  options,
  aliases: [{ connector: 'valkey' }],
  identity,
  capabilities,
  typeMapping,
  planProblems,
  targetName: templateOf,
  statements: tableStatements,
  // keys come and go with rows
  createTable: () => [],
  open: openWriter,
  check: checkServer,
  classify,
} satisfies Connector

function capabilities(given: ConnectorOptions): Capabilities {
  const { mode, 'value.format': format } = given as RedisOptions
  const retention = given['sink.tombstone.retention']
  const all: Capabilities = {
    ...everyRule,
    // a call is atomic, and on a cluster there is one for each slot
    transaction: mode === 'single',
    moves: mode === 'single',
    openTransaction: false,
    exactlyOnce: mode === 'single',
    outcome: 'count',
    volatile: false,
    tombstoneLife:
      retention === undefined || retention === 'forever' ? 'until you remove it' : 'until it expires in the store',
  }
  if (format === 'hash' || format === 'json') return all
  // there is room for a value, and none for a sequence or a flag
  const bare: Capabilities = {
    ...all,
    deleteModes: ['hard'],
    sequence: { gate: false, compound: false, descending: false },
    sequenceGroups: false,
  }
  if (format === 'string') return bare
  return { ...bare, patch: false, moves: false, aggregates: ['max', 'min', 'sum'], retracts: ['sum'] }
}

/** Tables of one server, database and user share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as RedisOptions, [])
  if (endpoint === undefined) return String(given['url'])
  const { nodes, database, username, tls } = endpoint
  return JSON.stringify([nodes, database, username, tls, given['mode']])
}
