import type { MergePlan } from '../merge/merge-plan.ts'
import type { UpdateBeforePlan } from './plan.ts'

/** Rule K2: what `sink.ignore.update-before` means under the table's merge rules. */
export function updateBeforePlan(option: 'auto' | 'true' | 'false', merge: MergePlan): UpdateBeforePlan {
  if (option === 'true') return 'drop'
  if (merge.batchShape !== undefined) return merge.batchShape === 'log' ? 'append' : 'pair'
  if (merge.engine === 'deduplicate') return option === 'false' ? 'delete' : 'drop-paired'
  if (option === 'false' || merge.engine === 'aggregation' || merge.groups.length > 0) return 'retract'
  return 'ignore-paired'
}
