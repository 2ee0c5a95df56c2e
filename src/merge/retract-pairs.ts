import type { Row } from '../row/row.ts'
import { isAdd } from '../row/row-kind.ts'
import { changed } from './lift-outcome.ts'
import { type ContributionRow, createMergeChange, type MergeChange } from './merge-change.ts'
import type { Applied, Composed, Lifted, LiftInput, MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'
import { sameRow } from './stored-row.ts'

/**
 * Batch shape `retract-pairs`, for stores that cancel a row by another one of the same content (rule K2): `+I` and `+U` set
 * an image, `-U` and `-D` take one back, and the store looks nothing up. So every image must be whole, and what is taken
 * back must be what stands. Of a key's changes, the first image that was taken back and the last one that stands are left:
 * whatever comes, each image has been set as often, less the times that it was taken back, as without folding.
 */
export function createRetractPairs(plan: MergePlan): MergeFunction {
  const { columns, declaredCount } = plan

  return { lift, apply, compose }

  function lift({ kind, row, key, image }: LiftInput): Lifted {
    const lacking = columns.slice(0, declaredCount).filter((_, at) => row[at] === undefined)
    if (lacking.length > 0) {
      const names = lacking.map(({ name }) => name).join(', ')
      const hint = image === 'key' ? '; nulls in every column but the key say no more than the key' : ''
      const reason = `${kind} lacks ${names}, and rows are cancelled by their whole content (K2)${hint}`
      return { outcome: 'rejected', code: 'ROW_INVALID', reason }
    }
    return changed(createMergeChange(key, isAdd(kind) ? 'upsert' : 'retract', row, { replace: true }))
  }

  function apply(stored: Row | undefined, { op, row, before }: MergeChange): Applied {
    const taken = op === 'retract' ? row : before
    const fault = faultOf(stored, taken)
    if (fault !== undefined) return { outcome: 'rejected', row: stored, code: 'ROW_INVALID', reason: fault }
    return { outcome: 'applied', row: op === 'retract' ? undefined : (row as Row) }
  }

  /** The store would keep what is said here, as a row too many. */
  function faultOf(stored: Row | undefined, taken: ContributionRow | undefined): string | undefined {
    if (taken === undefined) return stored === undefined ? undefined : 'a row of the key stands that was not taken back'
    if (stored === undefined) return 'there is no row that could be taken back'
    return isSame(stored, taken) ? undefined : 'what is taken back is not the row that stands'
  }

  function compose(earlier: MergeChange, later: MergeChange): Composed {
    if (earlier.op === 'retract') {
      return later.op === 'upsert' && later.before === undefined ? { ...later, before: earlier.row } : 'cannot'
    }
    if (earlier.before === undefined || !isSame(earlier.row, later.op === 'retract' ? later.row : later.before)) {
      return 'cannot'
    }
    return later.op === 'retract' ? { ...later, row: earlier.before } : { ...later, before: earlier.before }
  }

  function isSame(a: ContributionRow, b: ContributionRow | undefined): boolean {
    return b !== undefined && sameRow(a, b, columns)
  }
}
