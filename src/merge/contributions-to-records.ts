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
 * The records of a change under `partial-update` or `aggregation`: first what is taken back, then what is added. A value
 * whose own sequence is not that of the change comes in a record of its own, and so does the clearing of a column by its
 * own sequence, which ties with nothing when it comes last.
 */
export function contributionsToRecords(plan: MergePlan, change: MergeChange): readonly ChangeRecord[] {
  const main = new Map<'-U' | '+U' | '-D', Row>()
  const apart: ChangeRecord[] = []
  const kindTaken = change.op === 'delete' ? '-D' : '-U'
  const rowOf = (kind: '-U' | '+U' | '-D'): Row => {
    const row = main.get(kind) ?? keyRow(plan, change)
    main.set(kind, row)
    return row
  }

  rowOf(change.op === 'upsert' ? '+U' : kindTaken)
  for (const [position, rule] of plan.rules.slice(0, plan.declaredCount).entries()) {
    const contribution = change.row[position]
    if (contribution === undefined) continue
    if (rule.kind === 'aggregate') putAggregate(position, rule, contribution)
    else if (rule.kind !== 'key' && change.op === 'upsert') rowOf('+U')[position] = contribution as Value | null
    else if (rule.kind === 'sequence') rowOf(kindTaken)[position] = contribution as Value | null
  }
  return [
    ...(['-D', '-U'] as const).flatMap((kind) => recordOf(kind)),
    ...apart.filter(({ kind }) => kind === '+U'),
    ...recordOf('+U'),
    ...apart.filter(({ kind }) => kind === '-U'),
  ]

  function recordOf(kind: '-U' | '+U' | '-D'): ChangeRecord[] {
    const row = main.get(kind)
    return row === undefined ? [] : [{ kind, row }]
  }

  function putAggregate(position: number, rule: AggregateRule, contribution: Contribution): void {
    const column = plan.columns[position] as StoredColumn
    const sequence = rule.order === 'arrival' ? [] : sequenceOf(plan, rule)
    const own =
      rule.ownSequence.length > 0 && !isAbsentTuple(change.row, rule.ownSequence) ? rule.ownSequence : sequence
    const put = (kind: '-U' | '+U' | '-D', value: Value | null): void => {
      const clearsByOwn =
        kind !== '+U' && change.op === 'upsert' && rule.group === undefined && rule.ownSequence.length > 0
      const isApart = clearsByOwn || own.some((at, field) => change.row[at] !== change.row[sequence[field] as number])
      const row = isApart ? keyRow(plan, change) : rowOf(kind)
      row[position] = value
      // what is taken back from a function that goes by no order must not tie with what is added at the row's sequence
      const isUnordered = kind !== '+U' && rule.group === undefined && rule.ownSequence.length === 0
      if (isUnordered && change.op === 'upsert') return
      for (const [field, at] of sequence.entries()) row[at] = change.row[own[field] as number] as Value | null
      if (isApart) apart.push({ kind: kind === '+U' ? '+U' : '-U', row })
    }
    const taken = takenValue(rule, column, contribution, change.op !== 'upsert')
    const given = change.op === 'upsert' ? givenValue(rule, contribution) : undefined
    if (taken !== undefined) put(kindTaken, taken)
    if (given !== undefined) put('+U', given)
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
  return (rule.group === undefined ? plan.sequence : plan.groups[rule.group])?.columns ?? []
}

function keyRow(plan: MergePlan, change: MergeChange): Row {
  return Array.from({ length: plan.declaredCount }, (_, position) =>
    plan.key.includes(position) ? (change.row[position] as Value) : undefined,
  )
}
