import { type Capabilities, noRule } from '../../src/connector/capabilities.ts'
import type { Connector, ConnectorOptions, StatementText } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { classify } from './failures.ts'
import { quoteQualified } from './identifier.ts'
import { type ClickhouseOptions, options, parseEndpoint } from './options.ts'
import { createTable, insertStatement, readersView, selectByKey } from './statements.ts'
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
  capabilities: () => capabilities,
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

/** What a ReplacingMergeTree can keep: of each key the row with the highest version, whole. */
const capabilities: Capabilities = {
  ...noRule,
  changelog: 'upsert',
  deleteModes: ['tombstone'],
  sequence: { gate: true, compound: true, descending: true, firstArrival: false, text: false },
  truncate: true,
  exactlyOnce: false,
  outcome: 'none',
  singleWriter: true,
  volatile: false,
  tombstoneLife: 'until OPTIMIZE … FINAL CLEANUP',
}

function statements(plan: TablePlan): readonly StatementText[] {
  const target = targetOf(plan)
  const insert = {
    purpose: target.version === undefined ? 'rows to append' : 'rows and deletes, each with its version',
    text: insertStatement(target),
  }
  if (target.version === undefined) return [insert]
  return [
    insert,
    { purpose: 'what is stored, for update-befores and deletes without a sequence', text: selectByKey(target) },
  ]
}

function readers(plan: TablePlan): readonly string[] {
  if (plan.merge.key.length === 0) return []
  const view = readersView(targetName(plan))
  return [
    `SELECT … FROM ${quoteQualified(targetName(plan))} FINAL shows each key once and no deleted row; without FINAL older versions are seen too`,
    ...(view === undefined ? [] : [`${quoteQualified(view)}, which \`ddl\` makes, does so by itself`]),
  ]
}

/** Tables of one server and user share a flush; a url that cannot be read is refused when the sink opens. */
function identity(given: ConnectorOptions): string {
  const endpoint = parseEndpoint(given as ClickhouseOptions, [])
  return endpoint === undefined ? String(given['url']) : JSON.stringify([endpoint.url, endpoint.user])
}
