import { assert } from '../assert.ts'
import type { MergePlan } from './merge-plan.ts'
import type { RowRemoval } from './row-removal.ts'
import { createRemovalByArrival } from './row-removal-by-arrival.ts'
import { createRemovalByGroup } from './row-removal-by-group.ts'
import { createRemovalBySequence } from './row-removal-by-sequence.ts'

/** By what a `-D` removes rows under this plan. */
export function createRowRemoval(plan: MergePlan): RowRemoval {
  const byGroup = plan.groups.some((group) => group.removesRecord)
  // a row that a soft delete hides could not be told from one that only retracts have touched (rule A4)
  assert(!(byGroup || plan.removeRecordOnDelete) || plan.deleteMode !== 'soft', 'sink.delete.mode = soft under removal')
  if (byGroup) return createRemovalByGroup(plan)
  return plan.removeRecordOnDelete && plan.sequence !== undefined
    ? createRemovalBySequence(plan, plan.sequence)
    : createRemovalByArrival(plan)
}
