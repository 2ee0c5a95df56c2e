import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { Value } from '../row/value.ts'

/**
 * What one or several records of a key do to its row, ready to be applied, composed with the next one, or sent.
 *
 * - `insert`: append a row (tables without a primary key).
 * - `upsert`: the row is there afterwards.
 * - `delete`: the row is gone afterwards, in the way of the plan's delete mode.
 * - `retract`: under `deduplicate` a delete of exactly that version: it takes effect if its sequence is newer than the
 *   stored one, or if (at an equal sequence, or without one) every column it carries equals the stored row's (rules G1, K2).
 *   Under the other engines the columns' functions take their part back; the row's existence is not touched (rule A4).
 */
export interface MergeChange {
  readonly key: FoldKey
  readonly op: 'insert' | 'upsert' | 'delete' | 'retract'
  /**
   * By stored position. `undefined`: says nothing about the column. Aggregated columns hold a contribution:
   * sum → signed difference (a retract is already negated) · product → `ProductStep` · collect → `CollectDelta` ·
   * last_non_null_value → the value, or null for "clear" · last_value → the value, null included ·
   * others → the value, never null.
   * Hidden columns are undefined in changes, save own sequences that `compose` had to carry.
   */
  readonly row: ContributionRow
  /** A delete came before it in the same fold: columns it lacks become NULL (or the default). Else it is a patch. */
  readonly replace: boolean
  /** A delete that passes whatever the stored sequence is (rule G6); the stored sequence stays, or `row`'s if newer. */
  readonly ungated?: boolean | undefined
  /** The row moved here from another key: absent columns are copied from the row under that key (rule K6). */
  readonly moveFrom?: { readonly key: FoldKey; readonly row: Row } | undefined
}

export type Contribution = Value | null | undefined | ProductStep | CollectDelta

export type ContributionRow = Contribution[]

/** Contribution to a `product` column. */
export interface ProductStep {
  readonly product: 'multiply' | 'divide'
  readonly by: Value
}

/** Contribution to a `collect` column: `remove` is taken out first (one element each, or all equal ones if distinct), then `add` comes in. */
export interface CollectDelta {
  readonly add: readonly (Value | null)[]
  readonly remove: readonly (Value | null)[]
}
