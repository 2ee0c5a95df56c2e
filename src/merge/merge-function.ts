import type { Image } from '../changelog/element.ts'
import type { ErrorCode } from '../errors.ts'
import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { MergeChange } from './merge-change.ts'

/**
 * The merge rules of one plan as functions. Law, for every stored row `s` and changes `a`, `b` of one key:
 * `apply(apply(s, a), b) = apply(s, compose(a, b))` wherever `compose` does not answer `cannot`.
 */
export interface MergeFunction {
  /** What a record does, before anything is stored; or why it does nothing, or cannot be taken. */
  lift(record: LiftInput): Lifted
  /** `stored` is a whole stored row (hidden columns included, no `undefined`), or undefined if there is none. Pure. */
  apply(stored: Row | undefined, change: MergeChange): Applied
  /** Both in one, if that is exact. Pure. */
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
  /** `stale`: nothing changed because something newer is stored. `unchanged`: nothing to do, e.g. a delete of no row. */
  readonly outcome: 'applied' | 'stale' | 'unchanged' | 'rejected'
  /** The stored row afterwards (the same object if nothing changed); undefined: no row. */
  readonly row: Row | undefined
  /** With `rejected`: why. */
  readonly code?: ErrorCode | undefined
  readonly reason?: string | undefined
}

export type Composed =
  | { readonly outcome: 'composed'; readonly change: MergeChange }
  /** The later change is older than the earlier one and has no effect in any case. */
  | { readonly outcome: 'stale' }
  /** They must be applied one after the other: the later one goes out in a second wave of the flush. */
  | { readonly outcome: 'cannot' }

/** Per declared column, why it did or didn't change; for `simulate --trace`. */
export type ColumnOutcome = 'applied' | `kept: ${string}`
