import type {
  ClearedValue,
  CollectDelta,
  Contribution,
  MergeChange,
  ProductStep,
} from '../../../src/merge/merge-change.ts'
import type { MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'

/** Questions about changes that decide which statement they go out in and what it is told of them. */

export function isRemoval({ op }: MergeChange): boolean {
  return op === 'delete' || op === 'retract'
}

/** Some field of the tuple was sent, be it as null. */
export function carries({ row }: MergeChange, sequence: Sequence): boolean {
  return sequence.columns.some((position) => row[position] !== undefined)
}

/** Every declared column has a value or NULL. */
export function isComplete({ row }: MergeChange, plan: MergePlan): boolean {
  for (let position = 0; position < plan.declaredCount; position++) {
    if (row[position] === undefined && position !== plan.deletedFlag) return false
  }
  return true
}

export function isCleared(contribution: Contribution): contribution is ClearedValue {
  return typeof contribution === 'object' && contribution !== null && 'cleared' in contribution
}

export function isProductStep(contribution: Contribution): contribution is ProductStep {
  return typeof contribution === 'object' && contribution !== null && 'product' in contribution
}

export function isCollectDelta(contribution: Contribution): contribution is CollectDelta {
  return typeof contribution === 'object' && contribution !== null && 'remove' in contribution
}

/** The value that a contribution would make of a column that holds NULL. */
export function initialValue(contribution: Contribution): Contribution {
  if (isCleared(contribution)) return contribution.value
  if (isProductStep(contribution)) return contribution.product === 'multiply' ? contribution.by : null
  if (isCollectDelta(contribution)) return contribution.add ?? null
  return contribution
}
