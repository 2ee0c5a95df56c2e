import { createColumnwiseMerge } from './columnwise.ts'
import { changed, unableToRetract } from './lift-outcome.ts'
import { createMergeChange } from './merge-change.ts'
import type { Lifted, LiftInput, MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'

/** `aggregation`: each column by its function; a retract takes its part back out of every column (Paimon). */
export function createAggregation(plan: MergePlan): MergeFunction {
  const { newContributions, ungrouped, liftRemoval, apply, compose } = createColumnwiseMerge(plan)

  return { lift, apply, compose }

  function lift(record: LiftInput): Lifted {
    const { kind, row, key } = record
    if (kind === '-D' && plan.removeRecordOnDelete) return liftRemoval(record)
    const contributions = newContributions(row)
    if (kind === '+I' || kind === '+U') {
      ungrouped.contribute(contributions, row)
      return changed(createMergeChange(key, 'upsert', contributions))
    }
    const unable: number[] = []
    ungrouped.retract(contributions, row, unable)
    if (unable.length > 0) return unableToRetract(plan, kind, unable)
    return changed(createMergeChange(key, 'retract', contributions))
  }
}
