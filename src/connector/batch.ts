import type { Positions } from '../changelog/position.ts'
import type { ErrorCode } from '../errors.ts'
import type { MergeChange } from '../merge/merge-change.ts'

/**
 * What one flush sends. Immutable once cut: a retry sends the same batch under the same id; bisection makes child ids
 * (`id/1`, `id/2`).
 */
export interface WriteBatch {
  readonly id: string
  /** Which lane cut it; batches of one lane come in order, batches of different lanes never share a key. */
  readonly lane: number
  /** Newest position of each partition that is durable once this batch is; recorded with the rows under exactly-once. */
  readonly positions: Positions
  readonly tables: readonly TableBatch[]
  /** False: more parts of one group follow in the same transaction (rule B2). */
  readonly commit: boolean
  readonly rowCount: number
  /** Approximate bytes of the rows in memory. */
  readonly byteCount: number
}

export interface TableBatch {
  /** Index of the table in `OpenContext.tables`. */
  readonly table: number
  /** Empty the table before the first wave (rule K5). */
  readonly truncate: boolean
  /** Applied one after the other; in one wave a key comes at most once, in ascending order of the key. */
  readonly waves: readonly Wave[]
}

export type Wave = readonly MergeChange[]

export interface WriteResult {
  /** By position in `WriteBatch.tables`. */
  readonly tables: readonly TableWriteResult[]
}

export interface TableWriteResult {
  /** Changes that took effect, or may have where the store cannot tell. */
  readonly written: number
  /** Changes that were older than what is stored. */
  readonly stale: number
}

/** A change that the store refuses for a reason of its own. */
export interface RejectedChange {
  readonly table: number
  readonly change: MergeChange
  /** Default: `ROW_REJECTED`. */
  readonly code?: ErrorCode | undefined
  /** The store's own code, e.g. an SQLSTATE. */
  readonly storeCode?: string | undefined
  /** Without values of the row. */
  readonly reason: string
}
