import { must } from '../../src/assert.ts'
import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type {
  CheckFinding,
  Connector,
  ConnectorOptions,
  OpenContext,
  StatementText,
} from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { classify } from './failures.ts'
import { quoteQualified } from './identifier.ts'
import { checkTables } from './open-tables.ts'
import { type MysqlOptions, options, parseEndpoint } from './options.ts'
import type { Dialect } from './session.ts'
import { openSessions } from './sessions.ts'
import { createTable } from './statements/create-table.ts'
import { tableStatements } from './statements/table-statements.ts'
import { plannedTarget, targetName } from './target.ts'
import { typeMapping } from './type-mapping.ts'
import { openWriter, withSession } from './writer.ts'

/** `'connector' = 'mysql'`: MySQL 8.0.4 and MariaDB 10.6 and newer, through `mysql2`. */
export const mysql = {
  name: 'mysql',
  options,
  aliases: [
    { connector: 'jdbc', urlPrefix: 'jdbc:mysql:' },
    { connector: 'jdbc', urlPrefix: 'jdbc:mariadb:' },
    { connector: 'mariadb' },
  ],
  identity,
  capabilities: () => capabilities,
  typeMapping,
  targetName: (plan) => quoteQualified(targetName(plan)),
  statements,
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

/** In the words of MySQL, which differ from MariaDB's only in how a lock is named. */
const dialect: Dialect = { product: 'MySQL', version: '8.0.4', packetBytes: 0 }

function statements(plan: TablePlan): readonly StatementText[] {
  return tableStatements(plan.merge, plannedTarget(plan), dialect)
}

async function check(context: OpenContext): Promise<readonly CheckFinding[]> {
  const { connectorOptions } = must(context.tables[0], 'a domain has a table')
  const sessions = await openSessions(context.client, connectorOptions as MysqlOptions)
  try {
    return await withSession(sessions, (session) => checkTables(session, context))
  } finally {
    await sessions.close()
  }
}

/** Tables of one database and user share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as MysqlOptions, [])
  if (endpoint === undefined) return String(given['url'])
  const { host, port, database, user } = endpoint
  return JSON.stringify([host, port, database, user])
}
