import { type AggregateFunction, aggregateFunctions, takesRetract } from '../merge/merge-plan.ts'

/** What a store can do, as data. What is missing is refused at plan time with `CAPABILITY_MISSING`, never approximated. */
export interface Capabilities {
  /** `insert-only`: takes no updates or deletes (rule K3). `upsert`: rows are replaced and removed by key. */
  readonly changelog: 'insert-only' | 'upsert'
  readonly deleteModes: readonly ('hard' | 'tombstone' | 'soft')[]
  /** Changes that leave columns alone (absent columns). */
  readonly patch: boolean
  /** Where a row's sequence gate runs; compound: tuples of several columns (rules G1, G4). */
  readonly sequence: {
    readonly gate: boolean
    readonly compound: boolean
    readonly descending: boolean
    /** At equal sequences the earlier arrival can stay (`sequence.tie`); undefined: it can. */
    readonly firstArrival?: boolean | undefined
    /** Columns of text can be sequences; undefined: they can. */
    readonly text?: boolean | undefined
  }
  readonly sequenceGroups: boolean
  /** Aggregate functions that one atomic statement can keep, and of those the ones whose retract it can take. */
  readonly aggregates: readonly AggregateFunction[]
  readonly retracts: readonly AggregateFunction[]
  readonly firstRow: boolean
  /** The row of a changed key is moved with its unchanged columns (rule K6). */
  readonly moves: boolean
  /** Everything of a flush, of all its tables, becomes visible at once (rules B2, B4). */
  readonly transaction: boolean
  /** A transaction can stay open over several `write` calls, for groups larger than the buffer (rule B2). */
  readonly openTransaction: boolean
  /** Positions are stored with the rows and an older writer is fenced (rule R5). */
  readonly exactlyOnce: boolean
  readonly truncate: boolean
  /** What the store tells of each change: per row, a count of stale ones, or nothing (rule R4). */
  readonly outcome: 'row' | 'count' | 'none'
  readonly batchShape: BatchShape
  /** Only one writer at a time may write a table without a sequence: the writer itself numbers what arrives. */
  readonly singleWriter?: boolean | undefined
  /** Options under which the store merges columns, told where that is refused. */
  readonly mergesColumnsWith?: string | undefined
  /** Does nothing outlive the process: then every run is exactly-once by nature (rule A3). */
  readonly volatile: boolean
  /** How long a tombstone is kept, for `explain`, e.g. `until you remove it`. */
  readonly tombstoneLife: string
}

/**
 * What a flush sends of a key (rule K2). `upsert`: the state that is left. `retract-pairs`: the first image that is taken
 * back and the last one that stands, for tables whose rows cancel each other. `log`: every change, as a row of its own.
 */
export type BatchShape = 'upsert' | 'retract-pairs' | 'log'

type CanDo = Omit<
  Capabilities,
  'exactlyOnce' | 'outcome' | 'volatile' | 'tombstoneLife' | 'singleWriter' | 'mergesColumnsWith'
>

/** A store that can keep every rule; what it tells, outlives and promises is its own to say. */
export const everyRule: CanDo = {
  changelog: 'upsert',
  deleteModes: ['hard', 'tombstone', 'soft'],
  patch: true,
  sequence: { gate: true, compound: true, descending: true },
  sequenceGroups: true,
  aggregates: aggregateFunctions,
  retracts: [...takesRetract],
  firstRow: true,
  moves: true,
  transaction: true,
  openTransaction: true,
  truncate: true,
  batchShape: 'upsert',
}

/** A store that appends whole rows and nothing else. */
export const noRule: CanDo = {
  changelog: 'insert-only',
  deleteModes: [],
  patch: false,
  sequence: { gate: false, compound: false, descending: false },
  sequenceGroups: false,
  aggregates: [],
  retracts: [],
  firstRow: false,
  moves: false,
  transaction: false,
  openTransaction: false,
  truncate: false,
  batchShape: 'upsert',
}
