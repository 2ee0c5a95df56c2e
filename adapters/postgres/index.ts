import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { must } from '../../src/assert.ts'
import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { CheckFinding, Connector, ConnectorOptions, OpenContext } from '../../src/connector/connector.ts'
import { compareTarget } from './check.ts'
import { classify } from './failures.ts'
import { quoteQualified } from './identifier.ts'
import { checkTables } from './open-tables.ts'
import { inMemory, options, type PostgresOptions, parseEndpoint } from './options.ts'
import { openSessions } from './sessions.ts'
import { createTable } from './statements/create-table.ts'
import { tableStatements } from './statements/table-statements.ts'
import { plannedTarget, targetName } from './target.ts'
import { typeMapping } from './type-mapping.ts'
import { openWriter } from './writer.ts'

/** `'connector' = 'postgres'`: PostgreSQL 12 and newer through `pg`, or in this process through PGlite. */
export const postgres = {
  name: 'postgres',
  options,
  aliases: [{ connector: 'jdbc', urlPrefix: 'jdbc:postgresql:' }, { connector: 'postgresql' }, { connector: 'pglite' }],
  identity,
  capabilities: () => capabilities,
  typeMapping,
  targetName: (plan) => quoteQualified(targetName(plan)),
  statements: (plan) =>
    tableStatements(plan.merge, plannedTarget(plan)).all.map(({ purpose, statement }) => ({
      purpose,
      text: statement.text,
    })),
  createTable,
  open: openWriter,
  check,
  classify,
} satisfies Connector

const capabilities: Capabilities = {
  ...everyRule,
  exactlyOnce: true,
  outcome: 'count',
  volatile: false,
  tombstoneLife: 'until you remove it',
}

async function check(context: OpenContext): Promise<readonly CheckFinding[]> {
  const { connectorOptions } = must(context.tables[0], 'a domain has a table')
  const endpoint = parseEndpoint(connectorOptions as PostgresOptions, [])
  // to look into a folder that is not there would make it
  if (endpoint?.kind === 'pglite' && endpoint.dataDir !== inMemory && !existsSync(endpoint.dataDir)) {
    return context.tables.flatMap((plan) => compareTarget(plan, undefined).findings)
  }
  const sessions = await openSessions(context.client, connectorOptions as PostgresOptions)
  try {
    const lease = await sessions.lease(0)
    try {
      return await checkTables(lease.session, context)
    } finally {
      lease.release()
    }
  } finally {
    await sessions.close()
  }
}

/** Tables of one database and role share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as PostgresOptions, [])
  if (endpoint === undefined) return String(given['url'])
  if (endpoint.kind === 'pglite') {
    return endpoint.dataDir === inMemory ? 'pglite in memory' : `pglite ${resolve(endpoint.dataDir)}`
  }
  const { host, port, database, user } = endpoint
  return JSON.stringify([host, port, database, user])
}
