import type { Row } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import { createArithmetic } from './aggregate/arithmetic.ts'
import { isCleared } from './aggregate/last-value.ts'
import type { ChangeRecord } from './change-record.ts'
import type { CollectDelta, Contribution, MergeChange, ProductStep } from './merge-change.ts'
import type { AggregateRule, MergePlan, StoredColumn } from './merge-plan.ts'
import { isAbsentTuple } from './sequence.ts'
import { standInValue } from './stand-in-value.ts'

/**
 * The records of a change under `partial-update` or `aggregation`: what is taken back, then what is added. A value whose own
 * sequence is not that of the change comes before, in a record of its own; a column that is cleared by its own sequence
 * comes last, where it ties with nothing.
 */
export function contributionsToRecords(plan: MergePlan, change: MergeChange): readonly ChangeRecord[] {
  const { row, op } = change
  const isRetract = op !== 'upsert'
  const taken: ChangeRecord = { kind: op === 'delete' ? '-D' : '-U', row: keyRow(plan, change) }
  const added: ChangeRecord = { kind: '+U', row: keyRow(plan, change) }
  const addedBefore: ChangeRecord[] = []
  const cleared: ChangeRecord[] = []
  let takes = isRetract

  for (const [position, rule] of plan.rules.slice(0, plan.declaredCount).entries()) {
    const contribution = row[position]
    if (contribution === undefined || rule.kind === 'key') continue
    if (rule.kind === 'aggregate') putAggregate(position, rule, contribution)
    else if (!isRetract) added.row[position] = contribution as Value | null
    else if (rule.kind === 'sequence') taken.row[position] = contribution as Value | null
  }
  return [...(takes ? [taken] : []), ...addedBefore, ...(isRetract ? [] : [added]), ...cleared]

  function putAggregate(position: number, rule: AggregateRule, contribution: Contribution): void {
    const sequence = sequenceOf(plan, rule)
    const hasOwn = rule.ownSequence.length > 0 && !isAbsentTuple(row, rule.ownSequence)
    const isOfChange = !hasOwn || rule.ownSequence.every((at, field) => row[at] === row[sequence[field] as number])
    const atOwn = (kind: ChangeRecord['kind'], value: Value | null): ChangeRecord => {
      const record = { kind, row: keyRow(plan, change) }
      record.row[position] = value
      copyTuple(record.row, sequence, rule.ownSequence)
      return record
    }
    const back = takenValue(rule, plan.columns[position] as StoredColumn, contribution, isRetract)
    if (back !== undefined && hasOwn && rule.group === undefined && !(isRetract && isOfChange)) {
      cleared.push(atOwn('-U', back))
    } else if (back !== undefined) {
      takes = true
      taken.row[position] = back
      // outside a group such a function goes by no order: without the sequence nothing ties with what is added
      if (rule.group !== undefined) copyTuple(taken.row, sequence, sequence)
    }
    const given = isRetract ? undefined : givenValue(rule, contribution)
    if (given !== undefined && !isOfChange) addedBefore.push(atOwn('+U', given))
    else if (given !== undefined) added.row[position] = given
  }

  function copyTuple(into: Row, columns: readonly number[], from: readonly number[]): void {
    for (const [field, at] of columns.entries()) into[at] = row[from[field] as number] as Value | null
  }
}

/** What a retract has to carry to contribute this; undefined: it is no matter of a retract. */
function takenValue(
  rule: AggregateRule,
  column: StoredColumn,
  contribution: Contribution,
  isRetract: boolean,
): Value | null | undefined {
  switch (rule.function) {
    case 'sum':
      return isRetract ? createArithmetic(column.type).negate(contribution as Value) : undefined
    case 'product': {
      const { product, by } = contribution as ProductStep
      return product === 'divide' ? by : undefined
    }
    case 'collect': {
      const { remove } = contribution as CollectDelta
      return remove.length > 0 || isRetract ? remove : undefined
    }
    case 'last_value':
      return isRetract || isCleared(contribution) ? null : undefined
    case 'last_non_null_value':
      return contribution === null || isCleared(contribution) ? standInValue(column.type) : undefined
    default:
      return undefined
  }
}

/** What an add has to carry to contribute this; undefined: nothing is added. */
function givenValue(rule: AggregateRule, contribution: Contribution): Value | null | undefined {
  if (isCleared(contribution)) return contribution.value
  switch (rule.function) {
    case 'product': {
      const { product, by } = contribution as ProductStep
      return product === 'multiply' ? by : undefined
    }
    case 'collect':
      return (contribution as CollectDelta).add
    case 'last_non_null_value':
      return contribution === null ? undefined : (contribution as Value)
    default:
      return contribution as Value | null
  }
}

function sequenceOf(plan: MergePlan, rule: AggregateRule): readonly number[] {
  if (rule.order === 'arrival') return []
  return (rule.group === undefined ? plan.sequence : plan.groups[rule.group])?.columns ?? []
}

function keyRow(plan: MergePlan, change: MergeChange): Row {
  return Array.from({ length: plan.declaredCount }, (_, position) =>
    plan.key.includes(position) ? (change.row[position] as Value) : undefined,
  )
}
