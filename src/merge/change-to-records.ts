import type { Row } from '../row/row.ts'
import type { ChangeRecord } from './change-record.ts'
import { contributionsToRecords } from './contributions-to-records.ts'
import type { MergeChange } from './merge-change.ts'
import type { MergePlan } from './merge-plan.ts'
import { isAbsentTuple } from './sequence.ts'

/**
 * Records that do together what the change does, for dead letters and for handing back what was not written. What they
 * can't say: that a group's column was cleared while a plain column of the group was left alone; that a value with a
 * sequence of its own does not bring back a row that a group has removed; where the first arrival of a sequence wins, what
 * is taken back and what is added at a null sequence; and, where no flag column can hold it, that something is taken back
 * before the row is there.
 */
export function changeToRecords(plan: MergePlan, change: MergeChange): readonly ChangeRecord[] {
  const row = change.row.slice(0, plan.declaredCount) as Row
  if (plan.batchShape === 'retract-pairs') return pairRecords(change, row)
  const removal: ChangeRecord[] = change.replace ? [{ kind: '-D', row: keyOf(plan, row, plan.sequence?.columns) }] : []
  if (plan.engine === 'partial-update' || plan.engine === 'aggregation') {
    return [...removal, ...contributionsToRecords(plan, change)]
  }
  switch (change.op) {
    case 'insert':
      return [{ kind: change.kind ?? '+I', row }]
    case 'delete':
      return deleteRecords(plan, change, row)
    case 'retract':
      return [{ kind: '-U', row }]
    case 'upsert':
      // an image with every column replaces the row without a delete before it
      return row.includes(undefined) && change.replace ? [...removal, { kind: '+I', row }] : [{ kind: '+U', row }]
  }
}

function pairRecords({ op, before }: MergeChange, row: Row): ChangeRecord[] {
  if (op === 'retract') return [{ kind: '-D', row }]
  return before === undefined
    ? [{ kind: '+I', row }]
    : [
        { kind: '-U', row: before as Row },
        { kind: '+U', row },
      ]
}

/** A delete that passes whatever is stored, and has taken along a sequence, is a gated one and then one without. */
function deleteRecords(plan: MergePlan, change: MergeChange, row: Row): ChangeRecord[] {
  const gated: ChangeRecord = { kind: '-D', row }
  if (change.ungated !== true) return [gated]
  const bare: ChangeRecord = { kind: '-D', row: keyOf(plan, row) }
  return isAbsentTuple(row, plan.sequence?.columns ?? []) ? [bare] : [gated, bare]
}

function keyOf(plan: MergePlan, row: Row, sequence: readonly number[] = []): Row {
  return row.map((value, position) => (plan.key.includes(position) || sequence.includes(position) ? value : undefined))
}
