import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { RowKind } from '../row/row-kind.ts'
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
   * By stored position. `undefined`: says nothing about the column. The key is always there, and so is the sequence of
   * whatever is gated or ordered (an absent field of it as null). Aggregated columns hold a contribution:
   * sum → signed difference (a retract is already negated) · product → `ProductStep` · collect → `CollectDelta` ·
   * last_non_null_value → the value, or null for "clear" · last_value → the value, null included · both inside a
   * sequence group also `ClearedValue` · first_value → the value, null included · others → the value, never null.
   * Hidden columns are undefined in changes, save own sequences: they stand beside the contribution that they belong to.
   * A `delete` holds the row as it came; only its key and its sequences count. A `retract` under `deduplicate` holds the
   * columns to compare.
   */
  readonly row: ContributionRow
  /**
   * The row starts from nothing: columns that the change lacks become NULL (or the default). So it is after a delete in
   * the same fold, and under `deduplicate` for every complete image, where nothing is lacking. Else it is a patch.
   */
  readonly replace: boolean
  /** A delete that passes whatever the stored sequence is (rule G6); the stored sequence stays, or `row`'s if newer. */
  readonly ungated?: boolean | undefined
  /**
   * Batch shape `retract-pairs`: the image whose place `row` takes; undefined if there was none. A `retract` holds in `row`
   * the image that is taken back.
   */
  readonly before?: ContributionRow | undefined
  /** Batch shape `log`: what the record was. */
  readonly kind?: RowKind | undefined
  /** The row moved here from another key: absent columns are copied from the row under that key (rule K6). */
  readonly moveFrom?: { readonly key: FoldKey; readonly row: Row } | undefined
}

/** Every change is made here, so that all have one shape for the engine that runs them. */
export function createMergeChange(
  key: FoldKey,
  op: MergeChange['op'],
  row: ContributionRow,
  { replace = false, ungated, kind }: ChangeDetails = {},
): MergeChange {
  return { key, op, row, replace, ungated, before: undefined, kind, moveFrom: undefined }
}

interface ChangeDetails {
  readonly replace?: boolean
  readonly ungated?: true | undefined
  readonly kind?: RowKind | undefined
}

export type Contribution = Value | null | undefined | ProductStep | CollectDelta | ClearedValue

export type ContributionRow = Contribution[]

/** Contribution to a `product` column. */
export interface ProductStep {
  readonly product: 'multiply' | 'divide'
  readonly by: Value
}

/** Contribution to a `collect` column: `remove` is taken out first (one element each, or all equal ones if distinct), then `add` comes in. */
export interface CollectDelta {
  /** Undefined: nothing was ever added, so a NULL column stays NULL; an empty list makes it an empty array. */
  readonly add: readonly (Value | null)[] | undefined
  readonly remove: readonly (Value | null)[]
}

/**
 * Contribution to a last_value or last_non_null_value column of a sequence group that a retract has cleared, whatever
 * its sequence (Paimon: older retracts still count). `value` comes in afterwards as usual: last_value takes it if the
 * change is not older than the group, else stays NULL; last_non_null_value always, together with its own sequence.
 */
export interface ClearedValue {
  readonly cleared: true
  readonly value: Value | null | undefined
}
