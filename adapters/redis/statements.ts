import type { StatementText } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { templateOf } from './plan-problems.ts'
import { applyScript, readScript } from './script.ts'
import { mergesInScript, putSpec, scriptSpec, type TableSpec } from './table-spec.ts'

/** What a flush sends for a table, with words for what differs from flush to flush. */
export function tableStatements(plan: TablePlan): readonly StatementText[] {
  const { merge, connectorOptions } = plan
  const key = templateOf(plan)
  const isCluster = connectorOptions['mode'] === 'cluster'
  const scope = isCluster
    ? 'one call for each slot, all of it or nothing'
    : 'the whole flush in one call, all of it or nothing'
  const apply = (spec: TableSpec): string =>
    `EVALSHA ${applyScript.sha} <number of keys> ${key} … <this table: ${JSON.stringify(spec)}> <changes>`
  if (merge.key.length === 0)
    return [{ purpose: `rows, appended to a stream; ${scope}`, text: apply(scriptSpec(plan)) }]
  const put: readonly StatementText[] = [
    { purpose: 'rows that are merged by tidegate: read', text: `EVALSHA ${readScript.sha} <number of keys> ${key} …` },
    { purpose: `and put back, if nobody has changed them since; ${scope}`, text: apply(putSpec(plan)) },
  ]
  if (!mergesInScript(plan)) return put
  const inScript: StatementText = { purpose: `changes, merged by the script; ${scope}`, text: apply(scriptSpec(plan)) }
  return plan.capabilities.moves
    ? [inScript, ...put.map((one) => ({ ...one, purpose: `moves: ${one.purpose}` }))]
    : [inScript]
}
