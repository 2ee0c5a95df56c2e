import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { Connector, ConnectorOptions, StatementText } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { check } from './check.ts'
import { classify } from './failures.ts'
import { options, parseEndpoint, type RedisOptions } from './options.ts'
import { compareAndSet, compareAndSetText, writeGated } from './scripts.ts'
import { keyPrefix, targetOf } from './target.ts'
import { typeMapping } from './type-mapping.ts'
import { openWriter, streamOf } from './writer.ts'

/** `'connector' = 'redis'`: Redis 6.2 and newer and Valkey, a server or a cluster, through the package `redis`. */
export const redis = {
  name: 'redis',
  options,
  aliases: [{ connector: 'valkey' }],
  identity,
  capabilities,
  typeMapping,
  targetName: (plan) => `${keyPrefix(plan)}*`,
  statements,
  createTable: () => [],
  open: openWriter,
  check,
  classify,
} satisfies Connector

/** A row is changed at once; several rows, which may be on different nodes, are not. */
function capabilities(given: ConnectorOptions): Capabilities {
  return {
    ...everyRule,
    moves: false,
    transaction: false,
    openTransaction: false,
    exactlyOnce: false,
    outcome: 'row',
    volatile: false,
    tombstoneLife:
      (given as RedisOptions)['row.ttl'] === undefined ? 'until it expires or you remove it' : 'until it expires',
  }
}

function statements(plan: TablePlan): readonly StatementText[] {
  const { format } = targetOf(plan)
  if (plan.merge.key.length === 0) {
    return [{ purpose: 'rows to append', text: `XADD ${streamOf(keyPrefix(plan))} * row {…}` }]
  }
  const merged = {
    purpose:
      'changes that need what is stored: read, merged by tidegate, and written if the row still is as it was read',
    text: (format === 'hash' ? compareAndSet : compareAndSetText).text.trim(),
  }
  if (format === 'json' || plan.merge.engine !== 'deduplicate') return [merged]
  return [{ purpose: 'complete images and deletes', text: writeGated.text.trim() }, merged]
}

/** Tables of one server and user share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as RedisOptions, [])
  return endpoint === undefined ? String(given['url']) : JSON.stringify([endpoint.urls, endpoint.username])
}
