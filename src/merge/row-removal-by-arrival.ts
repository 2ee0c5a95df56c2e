import type { MergePlan } from './merge-plan.ts'
import { type RowRemoval, removedRow } from './row-removal.ts'

/** Without a sequence a `-D` removes whatever is there, and the next record starts from nothing. */
export function createRemovalByArrival(plan: MergePlan): RowRemoval {
  return {
    remove: (stored, change) => removedRow(plan, stored, change.row, () => {}),
    revives: () => true,
    composeDelete(_earlier, later) {
      if (later.op === 'delete') return later
      // without a row to hold it, a retract is rejected
      if (later.op === 'retract' && plan.deletedFlag === undefined) return 'cannot'
      return { ...later, replace: true }
    },
    reviveAlike: () => true,
  }
}
