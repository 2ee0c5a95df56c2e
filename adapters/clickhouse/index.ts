import type { Connector, ConnectorOptions, StatementText } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { engineByOptions } from './engine/engine-of.ts'
import { replacing } from './engine/replacing.ts'
import { classify } from './failures.ts'
import { quoteQualified } from './identifier.ts'
import { type ClickhouseOptions, options, parseEndpoint } from './options.ts'
import { createTable, insertStatement, readersView, readFrom, selectByKey } from './statements.ts'
import { targetName, targetOf, targetProblems } from './target.ts'
import { typeMapping } from './type-mapping.ts'
import { check, openWriter } from './writer.ts'

/** `'connector' = 'clickhouse'`: ClickHouse 23.2 and newer over HTTP, through `@clickhouse/client`. */
export const clickhouse = {
  name: 'clickhouse',
  options,
  aliases: [
    { connector: 'jdbc', urlPrefix: 'jdbc:clickhouse:' },
    { connector: 'jdbc', urlPrefix: 'jdbc:ch:' },
  ],
  identity,
  capabilities: (given) => engineByOptions(given).capabilities,
  typeMapping,
  planProblems: targetProblems,
  targetName: (plan) => quoteQualified(targetName(plan)),
  statements,
  readers,
  createTable,
  open: openWriter,
  check,
  classify,
} satisfies Connector

function statements(plan: TablePlan): readonly StatementText[] {
  const target = targetOf(plan)
  const insert = { purpose: target.engine.purpose, text: insertStatement(target) }
  if (target.engine !== replacing) return [insert]
  return [
    insert,
    { purpose: 'what is stored, for update-befores and deletes without a sequence', text: selectByKey(target) },
  ]
}

function readers(plan: TablePlan): readonly string[] {
  const target = targetOf(plan)
  const { engine } = target
  if (engine.reading === undefined) return []
  const view = readersView(target)
  return [
    `SELECT … FROM ${readFrom(target)} shows each key once and no deleted row; without that ${engine.unread} are seen too`,
    ...(view === undefined ? [] : [`${quoteQualified(view)}, which \`ddl\` makes, does so by itself`]),
  ]
}

/** Tables of one server and user share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as ClickhouseOptions, [])
  return endpoint === undefined ? String(given['url']) : JSON.stringify([endpoint.url, endpoint.user])
}
