import type { ChangelogMode } from '../changelog/changelog-mode.ts'
import type { Capabilities } from '../connector/capabilities.ts'
import type { MergePlan } from '../merge/merge-plan.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { Schema } from '../row/schema.ts'
import type { ValueEncoding } from '../row/value-encoding.ts'

/** Everything that is settled before the first record. Running follows it; `explain` prints it. Plain data. */
export interface SinkPlan {
  readonly connector: string
  readonly tables: readonly TablePlan[]
  readonly flush: FlushPlan
  readonly delivery: DeliveryPlan
}

export interface TablePlan {
  /** Declared name. */
  readonly name: string
  readonly schema: Schema
  readonly merge: MergePlan
  readonly connectorOptions: Readonly<Record<string, unknown>>
  readonly capabilities: Capabilities
  readonly source: SourcePlan
  readonly updateBefore: UpdateBeforePlan
  /** A delete takes the row that it names whole, in whichever order they come (rule O2). */
  readonly matchesWholeRows: boolean
  /** `-D` is dropped before anything else sees it; with `retracts`, `-U` too (Paimon's ignore-delete). */
  readonly ignoreDelete: 'none' | 'deletes' | 'retracts'
  readonly rowKindColumn: number | undefined
  readonly notNullEnforcer: 'error' | 'drop'
  readonly typeLengthEnforcer: 'ignore' | 'trim_pad' | 'error'
  readonly truncate: 'apply' | 'ignore' | 'error'
  readonly createTable: boolean
  /** Milliseconds; `forever`: never swept (rule G2). */
  readonly tombstoneRetention: number | 'forever'
  /** How the changelog mode changes from step to step. */
  readonly steps: readonly PlanStep[]
  /** One line a promise, with its condition; repeated by `explain`. */
  readonly promises: readonly string[]
  readonly warnings: readonly string[]
  readonly advice: readonly string[]
  /** Declared but not written, aliases used, options of Flink that have no effect here. */
  readonly notes: readonly string[]
  /** Effective options as text, secrets masked; `given` false: the default. */
  readonly effectiveOptions: readonly { readonly name: string; readonly value: string; readonly given: boolean }[]
}

export interface SourcePlan {
  readonly format: string | undefined
  readonly formatOptions: Readonly<Record<string, string>>
  readonly mode: ChangelogMode
  /** How values are read where the format does not say (`timestamp-format`). */
  readonly encoding: ValueEncoding | undefined
  readonly updateEncoding: 'update' | 'delete-create' | 'auto'
  /** Tables of the stream that are routed here: names, `schema.table`, or `*`. */
  readonly table: string
  /** By which the stream is unique; undefined: not said, taken to be the primary key. */
  readonly upsertKey: readonly number[] | 'none' | undefined
}

/**
 * What becomes of `-U` (rule K2).
 * - `drop`: never looked at.
 * - `drop-paired`: dropped when a `+U` or `+I` of the same key follows; else a delete of that version.
 * - `delete`: a delete of that version.
 * - `retract`: an input of the column functions.
 * - `ignore-paired`: dropped and counted as ignored when a `+U` follows; else refused (rule A2).
 * - `pair`: sent with the image that takes its place (batch shape `retract-pairs`).
 * - `append`: written as a change of its own (batch shape `log`).
 */
export type UpdateBeforePlan = 'drop' | 'drop-paired' | 'delete' | 'retract' | 'ignore-paired' | 'pair' | 'append'

export interface PlanStep {
  readonly name: string
  readonly in: readonly RowKind[]
  readonly out: readonly RowKind[]
  readonly runs: 'core' | 'store'
  readonly detail: string
}

export interface FlushPlan {
  /** Rows, bytes, milliseconds; 0 turns a trigger off (rule B1). */
  readonly maxRows: number
  readonly maxBytes: number
  readonly intervalMs: number
  /** Bytes that the buffer and the flushes under way may hold together (rule B3). */
  readonly bufferMaxBytes: number
  readonly align: 'none' | 'group'
  readonly lanes: number
}

export interface DeliveryPlan {
  readonly guarantee: 'at-least-once' | 'exactly-once'
  readonly sinkId: string | undefined
  /** True: sending a batch twice leaves the store as sending it once. */
  readonly idempotent: boolean
  readonly maxRetries: number
  readonly retryIntervalMs: number
  readonly retryMaxIntervalMs: number
  readonly failureHandler: 'fail' | 'skip' | 'dead-letter'
  readonly failureScope: 'row' | 'group'
  readonly deadLetterPath: string | undefined
}
