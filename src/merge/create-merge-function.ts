import { createAggregation } from './aggregation.ts'
import { createChangeLog } from './change-log.ts'
import { createDeduplicate } from './deduplicate.ts'
import { createFirstRow } from './first-row.ts'
import type { MergeFunction } from './merge-function.ts'
import type { MergeEngine, MergePlan } from './merge-plan.ts'
import { createPartialUpdate } from './partial-update.ts'
import { createRetractPairs } from './retract-pairs.ts'

const creators: Readonly<Record<MergeEngine, (plan: MergePlan) => MergeFunction>> = {
  deduplicate: createDeduplicate,
  'first-row': createFirstRow,
  'partial-update': createPartialUpdate,
  aggregation: createAggregation,
}

/** The merge rules of a plan as functions: what a record does to a row, and what two changes do together. */
export function createMergeFunction(plan: MergePlan): MergeFunction {
  if (plan.batchShape === 'log') return createChangeLog()
  if (plan.batchShape === 'retract-pairs') return createRetractPairs(plan)
  return creators[plan.engine](plan)
}
