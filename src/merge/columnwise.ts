import type { Row } from '../row/row.ts'
import { type ColumnGroup, createSequenceGroup, createUngrouped } from './column-group.ts'
import { createRowRemoval } from './create-row-removal.ts'
import { changed, withoutSequence } from './lift-outcome.ts'
import { type ContributionRow, createMergeChange, type MergeChange } from './merge-change.ts'
import type { Applied, Composed, Lifted, LiftInput } from './merge-function.ts'
import type { MergePlan, StoredColumn } from './merge-plan.ts'
import { isAbsentTuple } from './sequence.ts'
import { emptyRow, sameRow, setDeleted } from './stored-row.ts'

/**
 * What `partial-update` and `aggregation` share: a change is merged column by column, group by group, and a row is there
 * once a record was added to it. A key that only retracts have touched keeps its state and stays invisible (rule A4).
 */
export interface ColumnwiseMerge {
  /** A row of contributions that says nothing yet but its key. */
  newContributions(from: ContributionRow): ContributionRow
  readonly groups: readonly ColumnGroup[]
  readonly ungrouped: ColumnGroup
  /** A `-D` that removes its row. */
  liftRemoval(record: LiftInput): Lifted
  apply(stored: Row | undefined, change: MergeChange): Applied
  compose(earlier: MergeChange, later: MergeChange): Composed
}

export function createColumnwiseMerge(plan: MergePlan): ColumnwiseMerge {
  const { columns, deletedFlag } = plan
  const removal = createRowRemoval(plan)
  const groups = plan.groups.map((_, index) => createSequenceGroup(plan, index))
  const ungrouped = createUngrouped(plan)
  const parts = [...groups, ungrouped]
  const nothing: ContributionRow = columns.map(() => undefined)

  return { newContributions, groups, ungrouped, liftRemoval, apply, compose }

  function newContributions(from: ContributionRow): ContributionRow {
    const contributions = nothing.slice()
    for (const position of plan.key) contributions[position] = from[position]
    return contributions
  }

  function liftRemoval({ kind, key, row }: LiftInput): Lifted {
    const removed = newContributions(row)
    const { order } = ungrouped
    if (order !== undefined && isAbsentTuple(row, order.columns)) {
      return withoutSequence(plan, kind) ?? changed(createMergeChange(key, 'delete', removed, { ungated: true }))
    }
    for (const position of order?.columns ?? []) removed[position] = row[position] ?? null
    return changed(createMergeChange(key, 'delete', removed))
  }

  function apply(stored: Row | undefined, change: MergeChange): Applied {
    if (change.op === 'delete') return removal.remove(stored, change) ?? merge(stored, { ...change, op: 'retract' })
    return merge(stored, change)
  }

  function merge(stored: Row | undefined, change: MergeChange): Applied {
    const adds = change.op === 'upsert'
    if (!adds && stored === undefined && deletedFlag === undefined) {
      return {
        outcome: 'rejected',
        row: undefined,
        code: 'RETRACT_WITHOUT_ROW',
        reason: 'a retract came before any row of its key, and without a flag column nothing can hold it (rule A4)',
      }
    }
    const hidden = stored === undefined || (deletedFlag !== undefined && stored[deletedFlag] === true)
    const isNew = stored === undefined || change.replace
    const row = isNew ? emptyRow(plan, stored ?? change.row) : stored.slice()
    let late = false
    for (const part of parts) {
      const applied = part.apply(row, change.row, { fresh: hidden || change.replace, isNew })
      late ||= applied.late
      if (applied.fault !== undefined) {
        const { name } = columns[applied.fault.position] as StoredColumn
        return { outcome: 'rejected', row: stored, code: 'ROW_INVALID', reason: `${name}: ${applied.fault.reason}` }
      }
    }
    setDeleted(plan, row, !isVisible(stored, hidden, change), stored)
    if (stored === undefined || !sameRow(stored, row, columns)) return { outcome: 'applied', row }
    return { outcome: late ? 'stale' : 'unchanged', row: stored }
  }

  function isVisible(stored: Row | undefined, hidden: boolean, change: MergeChange): boolean {
    if (change.op !== 'upsert') return !hidden && !change.replace
    return stored === undefined || !hidden || change.replace || removal.revives(stored, change.row)
  }

  function compose(earlier: MergeChange, later: MergeChange): Composed {
    if (earlier.moveFrom !== undefined || later.moveFrom !== undefined) return 'cannot'
    if (earlier.op === 'delete' || later.op === 'delete') return removal.composeDelete(earlier, later)
    if (later.replace) return later
    const earlierAdds = earlier.op === 'upsert'
    // a retract that finds no row is rejected where no flag can hold its state
    if (deletedFlag === undefined && !earlierAdds && later.op === 'upsert') return 'cannot'
    if (!removal.reviveAlike(earlier, later)) return 'cannot'
    const row = newContributions(later.row)
    for (const part of parts) {
      if (!part.compose(row, earlier.row, later.row, earlierAdds)) return 'cannot'
    }
    const op = earlierAdds ? 'upsert' : later.op
    return createMergeChange(later.key, op, row, { replace: earlier.replace })
  }
}
