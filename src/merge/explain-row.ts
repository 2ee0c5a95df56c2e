import type { MergePlan } from './merge-plan.ts'
import { type MergeStep, reasonOlder } from './merge-step.ts'

/** Why a record left the stored row as it was, in one phrase; undefined: it did not. */
export function explainRow(plan: MergePlan, step: MergeStep): string | undefined {
  const { change, applied } = step
  switch (applied.outcome) {
    case 'applied':
      return undefined
    case 'rejected':
      return applied.reason
    case 'unchanged':
      if (change.op === 'upsert') return 'same values'
      return step.stored === undefined || change.op === 'delete' ? 'there is no such row' : 'nothing to take back'
    case 'stale':
      return reasonStale(plan, step)
  }
}

function reasonStale(plan: MergePlan, step: MergeStep): string {
  if (plan.engine === 'first-row') return 'the first row stays'
  const { sequence } = plan
  if (plan.engine !== 'deduplicate' || sequence === undefined) {
    return plan.engine === 'deduplicate' ? otherVersion : 'older sequence'
  }
  // a retract on a tie names a version, and it is not the stored one
  const tie = step.change.op === 'retract' ? 'last-arrival' : sequence.tie
  return reasonOlder(plan, step, { ...sequence, tie }) ?? otherVersion
}

const otherVersion = 'another version of the row is stored'
