import type { DataType } from '../row/data-type.ts'

export type MergeEngine = 'deduplicate' | 'partial-update' | 'aggregation' | 'first-row'

export const aggregateFunctions = [
  'sum',
  'product',
  'max',
  'min',
  'last_value',
  'last_non_null_value',
  'first_value',
  'first_non_null_value',
  'listagg',
  'bool_and',
  'bool_or',
  'collect',
] as const

export type AggregateFunction = (typeof aggregateFunctions)[number]

/**
 * How the stored rows of one table merge with what comes in: the compiled form of merge engine, sequence and group
 * options. `apply`, `compose` and every adapter's statements are derived from it and from nothing else.
 */
export interface MergePlan {
  readonly engine: MergeEngine
  /**
   * Undefined: of each key the state that is left is sent. `retract-pairs`: an image that is taken back goes out with the one
   * that takes its place. `log`: every change is appended as it came, and `key` is empty (rule K2).
   */
  readonly batchShape?: 'retract-pairs' | 'log' | undefined
  /** Declared columns in their order, then the hidden ones. A positional `Row` follows this list. */
  readonly columns: readonly StoredColumn[]
  /** How many of `columns` are declared. */
  readonly declaredCount: number
  /** Positions of the primary key, in the order of its clause; empty: rows are only appended. */
  readonly key: readonly number[]
  /** One rule a stored column. */
  readonly rules: readonly ColumnRule[]
  /**
   * The row's sequence. `gates`: an older change is dropped (deduplicate, rule G1); otherwise it orders but never drops
   * (aggregation and partial-update, rule G5), or tells images apart (batch shape `retract-pairs`).
   */
  readonly sequence: (Sequence & { readonly gates: boolean }) | undefined
  /** Sequence groups of `partial-update` (rule G3). */
  readonly groups: readonly SequenceGroup[]
  /** Position of the flag column: true = a reader does not see the row (tombstone, soft delete, rule A4). */
  readonly deletedFlag: number | undefined
  /** Position of the column that holds when the row became a tombstone, by the store's clock; only if tombstones are swept. */
  readonly deletedAt?: number | undefined
  readonly deleteMode: 'hard' | 'tombstone' | 'soft'
  /** What a delete without a sequence does where a sequence gates (rule G6). */
  readonly deleteWithoutSequence: 'apply' | 'ignore' | 'error'
  /** A `-D` removes the row (`partial-update.remove-record-on-delete`, `aggregation.remove-record-on-delete`). */
  readonly removeRecordOnDelete: boolean
}

export interface StoredColumn {
  readonly name: string
  readonly type: DataType
  readonly nullable: boolean
  /** Not declared by the user: made and kept by tidegate. */
  readonly hidden: boolean
}

/** Columns compared as a tuple, field by field, null lowest (rules G1, G4). */
export interface Sequence {
  /** Stored positions, most significant first. */
  readonly columns: readonly number[]
  /** Smaller values are newer; null stays the lowest, as in Paimon. */
  readonly descending: boolean
  readonly tie: 'last-arrival' | 'first-arrival'
}

export interface SequenceGroup extends Sequence {
  /** Protected columns without an aggregate function. */
  readonly plain: readonly number[]
  /** Protected columns with one. */
  readonly aggregated: readonly number[]
  /** `partial-update.remove-record-on-sequence-group` names this group: a `-D` that is not older removes the row. */
  readonly removesRecord: boolean
}

export type ColumnRule =
  | { readonly kind: 'key' }
  /** Part of the row's sequence, or of the group with that index. */
  | { readonly kind: 'sequence'; readonly group: number | undefined }
  /** Replaced with the whole row: deduplicate and first-row. */
  | { readonly kind: 'replace' }
  /** Replaced with its group, nulls included. */
  | { readonly kind: 'group-replace'; readonly group: number }
  /** `partial-update` outside every group and without a sequence: overwritten, by null only if `nulls`. */
  | { readonly kind: 'overwrite'; readonly nulls: boolean }
  | AggregateRule
  /** Kept by tidegate: the deleted flag. */
  | { readonly kind: 'deleted-flag' }
  /** Kept by the store: when the flag was set. `apply` leaves it alone. */
  | { readonly kind: 'deleted-at' }
  /** Kept by tidegate: one field of the sequence at which the column at `of` was set. */
  | { readonly kind: 'own-sequence'; readonly of: number; readonly field: number }

export interface AggregateRule {
  readonly kind: 'aggregate'
  readonly function: AggregateFunction
  /** The group that protects the column. */
  readonly group: number | undefined
  /** Where the function depends on order: decided by the row's sequence, the group's, or by arrival. */
  readonly order: 'row-sequence' | 'group-sequence' | 'arrival'
  /** Hidden columns that hold the column's own sequence (last_non_null_value and first_* under a sequence, rule G5). */
  readonly ownSequence: readonly number[]
  readonly ignoreRetract: boolean
  /** collect as a set, listagg without repeats. */
  readonly distinct: boolean
  /** Between the entries of listagg. */
  readonly delimiter: string
}

/** Functions for which a change applied twice differs from a change applied once (rule A3). */
export const notIdempotent: ReadonlySet<AggregateFunction> = new Set<AggregateFunction>([
  'sum',
  'product',
  'listagg',
  'collect',
])

/** Functions that take a retraction (Paimon; rule A2). */
export const takesRetract: ReadonlySet<AggregateFunction> = new Set<AggregateFunction>([
  'sum',
  'product',
  'collect',
  'last_value',
  'last_non_null_value',
])
