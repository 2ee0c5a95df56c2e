import type { Row } from '../row/row.ts'
import { equalValues, type Value } from '../row/value.ts'
import type { MergeChange } from './merge-change.ts'
import type { Applied } from './merge-function.ts'
import type { MergePlan, Sequence, StoredColumn } from './merge-plan.ts'
import { createSequenceOrder, isAbsentTuple } from './sequence.ts'

/** One record on its way into the stored row, for explanations. */
export interface MergeStep {
  /** The declared columns as the record brought them; undefined: what the change says is what was brought. */
  readonly record?: Row | undefined
  /** The stored row before. */
  readonly stored: Row | undefined
  readonly change: MergeChange
  readonly applied: Applied
}

/** Why the record is too late by this sequence; undefined: it is not. */
export function reasonOlder(
  plan: MergePlan,
  { stored, change }: MergeStep,
  sequence: Sequence | undefined,
): string | undefined {
  if (stored === undefined || sequence === undefined || isAbsentTuple(change.row, sequence.columns)) return undefined
  return reasonByOrder(createSequenceOrder(sequence, plan.columns).compare(change.row, stored), sequence)
}

/** `order`: of the record to what is stored, as `SequenceOrder` compares. */
export function reasonByOrder(order: number, sequence: Sequence): string | undefined {
  if (order > 0 || (order === 0 && sequence.tie === 'last-arrival')) return undefined
  return order < 0 ? 'older sequence' : 'equal sequence keeps the first'
}

export function hasChanged(plan: MergePlan, { stored, applied }: MergeStep, position: number): boolean {
  const before = (stored?.[position] ?? null) as Value | null
  const after = (applied.row?.[position] ?? null) as Value | null
  return !equalValues((plan.columns[position] as StoredColumn).type, before, after)
}
