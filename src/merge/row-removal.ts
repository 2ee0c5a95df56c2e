import type { Row } from '../row/row.ts'
import type { ContributionRow, MergeChange } from './merge-change.ts'
import type { Applied, Composed } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'
import { emptyRow, setDeleted, unchangedOr } from './stored-row.ts'

/**
 * How a `-D` removes a row under `partial-update` and `aggregation`, and what makes the row visible again.
 * What is removed leaves its sequences behind (save in delete mode `hard`); an added record that is older than what
 * removed the row does not bring it back. Paimon shows the image of the `-D` in that case, which is an artefact.
 */
export interface RowRemoval {
  /** Removes the row, or not if it is newer; undefined: this `delete` is a mere retract. */
  remove(stored: Row | undefined, change: MergeChange): Applied | undefined
  /** Does the added record make the stored row, which is not visible, visible again? */
  revives(stored: Row, change: ContributionRow): boolean
  /** Two changes of which one at least is a `delete`. */
  composeDelete(earlier: MergeChange, later: MergeChange): Composed
  /** Two changes of which none is a `delete`: does one change with the newer sequences revive a row exactly when they do? */
  reviveAlike(earlier: MergeChange, later: MergeChange): boolean
}

/** The row as it stands after its removal: gone, or a tombstone that holds what `keep` puts into it. */
export function removedRow(
  plan: MergePlan,
  stored: Row | undefined,
  change: ContributionRow,
  keep: (tombstone: Row) => void,
): Applied {
  if (plan.deleteMode === 'hard' || plan.deletedFlag === undefined) {
    return { outcome: stored === undefined ? 'unchanged' : 'applied', row: undefined }
  }
  const tombstone = emptyRow(plan, stored ?? change)
  keep(tombstone)
  setDeleted(plan, tombstone, true, stored)
  return unchangedOr('applied', stored, tombstone, plan.columns)
}
