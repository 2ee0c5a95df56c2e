import { explainRow } from '../merge/explain-row.ts'
import type { ColumnOutcome } from '../merge/merge-function.ts'
import type { MergeStep } from '../merge/merge-step.ts'
import type { Row } from '../row/row.ts'
import type { TracedTable } from './traced-table.ts'

/** Why a change that came to the store did what it did, in words for people. */
export function appliedReason(
  table: TracedTable,
  step: MergeStep,
  columns: Readonly<Record<string, ColumnOutcome>>,
): string {
  switch (step.applied.outcome) {
    case 'applied':
      return takenReason(table, step, columns)
    case 'rejected':
      return step.applied.reason ?? 'it cannot be applied'
    case 'stale':
    case 'unchanged':
      return keptReason(table, step, columns)
  }
}

function takenReason(
  table: TracedTable,
  { stored, applied, change }: MergeStep,
  columns: Readonly<Record<string, ColumnOutcome>>,
): string {
  const isSeen = (row: Row | undefined) => row !== undefined && table.isVisible(row)
  const [before, after] = [isSeen(stored), isSeen(applied.row)]
  if (change.op === 'insert') return 'the row is appended'
  if (!after) {
    if (before) return applied.row === undefined ? 'the row is deleted' : 'the row is deleted and its sequence is kept'
    return change.op === 'retract' && table.plan.merge.engine !== 'deduplicate'
      ? 'the key keeps its state, and is seen once a row is added'
      : 'there is no row, and the sequence is kept against older ones'
  }
  if (!before) return 'the row is new'
  const kept = keptReasons(columns)
  return kept.length === 0 ? 'the row is updated' : `the row is updated in part; kept: ${kept.join('; ')}`
}

function keptReason(table: TracedTable, step: MergeStep, columns: Readonly<Record<string, ColumnOutcome>>): string {
  const { engine } = table.plan.merge
  const whole = explainRow(table.plan.merge, step)
  const kept = keptReasons(columns)
  const reason = engine === 'deduplicate' || engine === 'first-row' || kept.length === 0 ? whole : kept.join('; ')
  return `nothing changed: ${reason ?? 'the row is as it was'}`
}

/** Each reason once. */
function keptReasons(columns: Readonly<Record<string, ColumnOutcome>>): readonly string[] {
  const reasons = Object.values(columns).flatMap((outcome) =>
    outcome === 'applied' ? [] : [outcome.slice('kept: '.length)],
  )
  return [...new Set(reasons)]
}
