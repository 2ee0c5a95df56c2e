import type { Row } from '../row/row.ts'
import { reasonAggregateKept } from './explain-aggregate.ts'
import { explainRow } from './explain-row.ts'
import type { ColumnOutcome } from './merge-function.ts'
import type { ColumnRule, MergePlan, StoredColumn } from './merge-plan.ts'
import { hasChanged, type MergeStep, reasonOlder } from './merge-step.ts'
import { isNullTuple } from './sequence.ts'

/**
 * For each declared column outside the key that a record carried: did it take effect, and if not, why. A column whose
 * rule took the record's value counts as applied even if the value was there already.
 */
export function explainColumns(plan: MergePlan, step: MergeStep): Record<string, ColumnOutcome> {
  const outcomes: Record<string, ColumnOutcome> = Object.create(null)
  const brought = step.record ?? (step.change.row as Row)
  const reasonOf = createReasons(plan, step, brought)
  for (const [position, rule] of plan.rules.slice(0, plan.declaredCount).entries()) {
    if (rule.kind === 'key' || rule.kind === 'deleted-flag' || rule.kind === 'deleted-at') continue
    if (brought[position] === undefined) continue
    const reason = reasonOf(position, rule)
    outcomes[(plan.columns[position] as StoredColumn).name] = reason === undefined ? 'applied' : `kept: ${reason}`
  }
  return outcomes
}

type Reason = string | undefined

function createReasons(plan: MergePlan, step: MergeStep, brought: Row): (position: number, rule: ColumnRule) => Reason {
  const { change, applied } = step
  if (applied.outcome === 'rejected') return () => 'the record was rejected'
  if (removes(plan, step)) return () => undefined
  if (plan.engine === 'deduplicate' || plan.engine === 'first-row') {
    const reason = explainRow(plan, step)
    return () => reason
  }
  if (change.op === 'delete' && plan.groups.length === 0) {
    const reason = applied.outcome === 'unchanged' ? 'there is no such row' : reasonOlder(plan, step, plan.sequence)
    return (position) => (hasChanged(plan, step, position) ? undefined : reason)
  }
  return (position, rule) => reasonColumnKept(plan, step, brought, position, rule)
}

function reasonColumnKept(plan: MergePlan, step: MergeStep, brought: Row, position: number, rule: ColumnRule): Reason {
  const group = 'group' in rule ? rule.group : undefined
  const sequence = group === undefined ? plan.sequence : plan.groups[group]
  const retracts = step.change.op !== 'upsert'
  if (group === undefined && retracts && plan.engine === 'partial-update')
    return 'a retract concerns sequence groups only'
  if (group !== undefined && isNullTuple(brought, sequence?.columns ?? [])) return 'group sequence is null'
  if (step.change.row[position] === undefined) {
    if (retracts && rule.kind === 'aggregate' && rule.ignoreRetract) return 'ignore-retract'
    return 'null adds nothing'
  }
  if (rule.kind === 'sequence' || rule.kind === 'group-replace') return reasonOlder(plan, step, sequence)
  return rule.kind === 'aggregate' ? reasonAggregateKept(plan, step, position, rule) : undefined
}

/** The record took the row away. */
function removes({ deletedFlag }: MergePlan, { change, applied }: MergeStep): boolean {
  if (change.op !== 'delete' || applied.outcome !== 'applied') return false
  return applied.row === undefined || (deletedFlag !== undefined && applied.row[deletedFlag] === true)
}
