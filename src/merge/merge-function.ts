import type { Image } from '../changelog/element.ts'
import type { ErrorCode } from '../errors.ts'
import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { MergeChange } from './merge-change.ts'

/**
 * The merge rules of one plan as functions. Law, for every stored row `s` and changes `a`, `b` of one key:
 * `apply(apply(s, a), b) = apply(s, compose(a, b))` wherever `compose` does not answer `cannot` and `apply` rejects
 * neither change. DOUBLE and FLOAT sums may differ by rounding (rule A1), a `collect` array in its order.
 */
export interface MergeFunction {
  /** What a record does, before anything is stored; or why it does nothing, or cannot be taken. */
  lift(record: LiftInput): Lifted
  /**
   * `stored` is a whole stored row (hidden columns included, no `undefined`), or undefined if there is none. Pure.
   * The absent columns of a move must have been filled in before (rule K6).
   */
  apply(stored: Row | undefined, change: MergeChange): Applied
  /** Both in one, if that is exact. Pure; often answers with one of the two as it is. */
  compose(earlier: MergeChange, later: MergeChange): Composed
}

export interface LiftInput {
  readonly kind: RowKind
  /** Declared columns by position. */
  readonly row: Row
  readonly key: FoldKey
  readonly image: Image
}

export type Lifted =
  | { readonly outcome: 'change'; readonly change: MergeChange }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'rejected'; readonly code: ErrorCode; readonly reason: string }

export interface Applied {
  /** `stale`: nothing changed because something newer is stored. `unchanged`: nothing to do, e.g. a delete of no row or the same values again. */
  readonly outcome: 'applied' | 'stale' | 'unchanged' | 'rejected'
  /** The stored row afterwards (the same object if nothing changed); undefined: no row. */
  readonly row: Row | undefined
  /** With `rejected`: why. */
  readonly code?: ErrorCode | undefined
  readonly reason?: string | undefined
}

/**
 * The one change that does what both do, or
 * - `stale`: the later change has no effect in any case, the earlier one stands;
 * - `cannot`: they must be applied one after the other, so the later one goes out in a second wave of the flush.
 */
export type Composed = MergeChange | 'stale' | 'cannot'

/** Per declared column, why it did or didn't change; for `simulate --trace`. */
export type ColumnOutcome = 'applied' | `kept: ${string}`
