import type { ColumnOutcome } from '../merge/merge-function.ts'
import type { RowKind } from '../row/row-kind.ts'

/** What became of one change, as `tidegate simulate --trace --json` prints it: one line of JSON each. */
export interface TraceLine {
  /** Line of the input, from 1; null where a decoder cannot tell. */
  readonly record: number | null
  /** Index among the changes that the line gave. */
  readonly change: number
  /** Only where there are several tables. */
  readonly table?: string | undefined
  /** Null for a line that could not be read. */
  readonly kind: RowKind | null
  /** Values of the primary key; null where they are not known. */
  readonly key: Readonly<Record<string, unknown>> | null
  readonly outcome: TraceOutcome
  /** By declared column that the change brought. */
  readonly columns: Readonly<Record<string, ColumnOutcome>>
  readonly reason: string
  /** The row that a reader of the store sees afterwards; null: none. */
  readonly row: Readonly<Record<string, unknown>> | null
}

/**
 * `applied`: a column changed, or a group advanced. `stale`: older than what is stored. `ignored`: a rule drops it, or it
 * changes nothing. `held`: it waits in the buffer. `rejected`: it goes to the failure handler.
 */
export type TraceOutcome = 'applied' | 'stale' | 'ignored' | 'held' | 'rejected'

/** A line for what is no change: an element of the changelog, or a flush under `--flush-rows`. */
export interface ControlLine {
  readonly record: number | null
  readonly control: string
  readonly [detail: string]: unknown
}
