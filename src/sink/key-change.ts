import type { ErrorCode } from '../errors.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { LiftInput, MergeFunction } from '../merge/merge-function.ts'
import type { TablePlan } from '../plan/plan.ts'
import type { Row } from '../row/row.ts'

export type KeyChange =
  /** `delete` undefined: the functions of the old key's columns have taken their part back, and the row may stay; or its image is taken back already. */
  | { readonly outcome: 'change'; readonly delete: MergeChange | undefined; readonly upsert: MergeChange }
  | { readonly outcome: 'rejected'; readonly code: ErrorCode; readonly reason: string }

/**
 * An update that changed the sink key, as a delete of the old key and an upsert of the new one (rule K6). Columns that the
 * new image lacks are taken from the old image, then from what the buffer holds of the old key; what is still absent then
 * must come from the store, as a move.
 */
export function keyChange(
  plan: TablePlan,
  merge: MergeFunction,
  before: LiftInput,
  buffered: MergeChange | undefined,
  after: LiftInput,
): KeyChange {
  const { row, complete } = completeImage(plan, before.row, buffered, after.row)
  const lifted = merge.lift({ ...after, row, image: complete ? 'full' : after.image })
  if (lifted.outcome !== 'change') return rejection(lifted)
  const isTakenBack = plan.updateBefore === 'retract' || plan.updateBefore === 'pair'
  const deleted = isTakenBack ? undefined : merge.lift(deletion(plan, before, after.row))
  if (deleted !== undefined && deleted.outcome !== 'change') return rejection(deleted)
  if (complete || plan.merge.engine !== 'deduplicate') {
    return { outcome: 'change', delete: deleted?.change, upsert: lifted.change }
  }
  if (!plan.capabilities.moves) {
    return {
      outcome: 'rejected',
      code: 'MOVE_WITHOUT_ROW',
      reason: 'the key changed and the new image lacks columns, which this connector cannot copy from the old row (K6)',
    }
  }
  const moveFrom = buffered?.moveFrom ?? { key: before.key, row: before.row }
  return { outcome: 'change', delete: deleted?.change, upsert: { ...lifted.change, moveFrom } }
}

function completeImage(
  plan: TablePlan,
  before: Row,
  buffered: MergeChange | undefined,
  after: Row,
): { row: Row; complete: boolean } {
  const row = [...after]
  let complete = true
  const held = buffered?.op === 'upsert' && plan.merge.engine === 'deduplicate' ? (buffered.row as Row) : undefined
  for (let at = 0; at < row.length; at++) {
    if (row[at] === undefined) row[at] = before[at] ?? held?.[at]
    if (row[at] === undefined && held !== undefined && buffered?.replace === true) row[at] = null
    if (row[at] === undefined) complete = false
  }
  return { row, complete }
}

/** The old row went at the time of the update: its tombstone bears the new image's sequence. */
function deletion(plan: TablePlan, before: LiftInput, after: Row): LiftInput {
  const row = [...before.row]
  for (const at of plan.merge.sequence?.columns ?? []) if (after[at] !== undefined) row[at] = after[at]
  return { ...before, kind: '-D', row }
}

function rejection(
  lifted: { outcome: 'ignored'; reason: string } | { outcome: 'rejected'; code: ErrorCode; reason: string },
): KeyChange {
  const code = lifted.outcome === 'rejected' ? lifted.code : 'RETRACT_UNSUPPORTED'
  return { outcome: 'rejected', code, reason: `the update changes the key: ${lifted.reason}` }
}
