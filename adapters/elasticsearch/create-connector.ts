import { must } from '../../src/assert.ts'
import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { CheckFinding, Connector, OpenContext } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { compareIndex } from './check.ts'
import { openClient } from './client.ts'
import type { Dialect } from './dialect.ts'
import { classify } from './failures.ts'
import { fieldPlan } from './field-plan.ts'
import { readIndexState } from './index-state.ts'
import { askServer } from './open-tables.ts'
import { identityOf, options, type SearchOptions } from './options.ts'
import { createIndex, requestText, storeScriptRequest } from './statements/create-index.ts'
import { tableStatements } from './statements/table-statements.ts'
import { planTarget, type Target } from './target.ts'
import { typeMapping } from './type-mapping.ts'
import { openWriter } from './writer.ts'

/** The connector of one product. */
export function createSearchConnector(dialect: Dialect) {
  return {
    name: dialect.name,
    options,
    aliases: dialect.aliases.map((connector) => ({ connector })),
    identity: (given) => identityOf(given as unknown as SearchOptions),
    capabilities: (given) => (given['versioning'] === 'external' ? external : internal),
    typeMapping,
    targetName: (plan) => String(plan.connectorOptions['index'] ?? plan.name),
    statements: (plan) => {
      const fields = fieldPlan(dialect, plan)
      return tableStatements(fields, planTarget(dialect, fields))
    },
    createTable: (plan) => {
      const fields = fieldPlan(dialect, plan)
      return createRequests(fields, planTarget(dialect, fields))
    },
    statementEnd: '',
    open: (context) => openWriter(dialect, context),
    check: (context) => check(dialect, context),
    classify,
  } satisfies Connector
}

function createRequests(plan: TablePlan, target: Target): readonly string[] {
  const index = requestText(createIndex(plan, target))
  return target.script === undefined ? [index] : [index, requestText(storeScriptRequest(target.script))]
}

/** Documents are merged one by one, by a script where the stored one counts. */
const internal: Capabilities = {
  ...everyRule,
  moves: false,
  transaction: false,
  openTransaction: false,
  exactlyOnce: false,
  outcome: 'count',
  volatile: false,
  tombstoneLife: 'until you remove it',
}

/** The server compares versions and nothing else. */
const external: Capabilities = {
  ...internal,
  deleteModes: ['tombstone', 'hard'],
  patch: false,
  sequence: { gate: true, compound: false, descending: false },
  sequenceGroups: false,
  aggregates: [],
  retracts: [],
  firstRow: false,
  truncate: false,
}

async function check(dialect: Dialect, { client: given, tables }: OpenContext): Promise<readonly CheckFinding[]> {
  const options = must(tables[0], 'a domain has a table').connectorOptions as unknown as SearchOptions
  const client = await openClient(dialect, given, options)
  try {
    const server = await askServer(client, dialect)
    const findings: CheckFinding[] = [{ severity: 'ok', subject: 'server', message: server }]
    for (const declared of tables) {
      const plan = fieldPlan(dialect, declared)
      const target = planTarget(dialect, plan)
      findings.push(...compareIndex(plan, target, await readIndexState(client, plan, target)))
      if (target.script === undefined) continue
      const { status } = await client.request({
        method: 'GET',
        path: `/_scripts/${target.script.id}`,
        query: { filter_path: 'found' },
      })
      const message =
        status === 200 ? 'is stored' : 'will be stored when the sink opens, which needs the right to manage scripts'
      findings.push({ severity: 'ok', subject: `script ${target.script.id}`, message })
    }
    return findings
  } finally {
    await client.close()
  }
}
