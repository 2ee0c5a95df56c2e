import type { Positions } from '../changelog/position.ts'
import type { Problem } from '../errors.ts'
import type { OptionTable } from '../options/option-table.ts'
import type { SinkPlan, TablePlan } from '../plan/plan.ts'
import type { DataType } from '../row/data-type.ts'
import type { Value } from '../row/value.ts'
import type { RejectedChange, WriteBatch, WriteResult } from './batch.ts'
import type { Capabilities } from './capabilities.ts'

/**
 * The seam: what a store has to give so that tidegate can write into it. `docs/writing-a-connector.md` walks through one.
 * A connector is a value without state; a writer is an open handle to the store.
 */
export interface Connector {
  /** The value of `'connector'`. */
  readonly name: string
  /** Options beside the shared ones. */
  readonly options: OptionTable
  /** Other spellings of `'connector'` that mean this one, e.g. jdbc with a certain url. */
  readonly aliases?: readonly ConnectorAlias[] | undefined
  /** Tables with equal identity share one flush domain (rule B4); taken from the resolved options, never shown. */
  identity(options: ConnectorOptions): string
  /** Pure; `serverVersion` is what `sink.server-version` or the open connection says, else the oldest supported is assumed. */
  capabilities(options: ConnectorOptions, serverVersion?: string | undefined): Capabilities
  readonly typeMapping: TypeMapping
  /** What the connector's own options and the table's shape do not allow; refused with the plan (`PLAN_REFUSED`). Pure. */
  planProblems?(plan: PlannedTable): readonly Problem[]
  /** Name of the target in the store, as a user would write it. */
  targetName(plan: TablePlan): string
  /** The statements that a flush sends, for `explain`. Pure. */
  statements(plan: TablePlan): readonly StatementText[]
  /** What a reader has to do to see the rows as they are, a line each, for `explain`. Pure. */
  readers?(plan: TablePlan): readonly string[]
  /** The store's statements that create a fitting target; empty for stores without DDL. Pure. */
  createTable(plan: TablePlan): readonly string[]
  /** What ends one of them where `ddl` prints several; `;` if undefined. */
  readonly statementEnd?: string | undefined
  open(context: OpenContext): Promise<SinkWriter>
  /** Compares the target with the plan without writing: every difference at once. */
  check?(context: OpenContext): Promise<readonly CheckFinding[]>
  /** Total: foreign errors included, never throws. */
  classify(error: unknown): FailureClass
}

/** A table plan before its texts for `explain` are made. */
export type PlannedTable = Omit<TablePlan, 'steps' | 'promises' | 'warnings' | 'advice'>

export interface ConnectorAlias {
  readonly connector: string
  /** The alias holds only if the option `url` starts with this. */
  readonly urlPrefix?: string | undefined
}

/** Resolved options of a connector, by canonical name. */
export type ConnectorOptions = Readonly<Record<string, unknown>>

export interface TypeMapping {
  /** The store's type for a column of `type`, or undefined if it can't hold its values exactly. */
  nativeType(type: DataType): string | undefined
  /** What the store holds equal to `value` in a key column of `type`; undefined means identity. */
  keyNormalizer(type: DataType): ((value: Value) => Value) | undefined
  /** Why `type` can't be a sequence here, e.g. a precision finer than the store keeps (rule G7); undefined if it can. */
  sequenceFault(type: DataType): string | undefined
}

export interface StatementText {
  /** When it is sent. */
  readonly purpose: string
  readonly text: string
}

export interface OpenContext {
  readonly plan: SinkPlan
  /** The tables of the flush domain, in the order in which `TableBatch.table` counts them. */
  readonly tables: readonly TablePlan[]
  /** A ready client or pool of the user's, never closed by us. */
  readonly client: unknown
  /** How many lanes will call `write` at once, and how many batches of one lane may be in flight. */
  readonly lanes: number
  readonly inFlightPerLane: number
  readonly signal: AbortSignal
  /** Tells the user of something that goes on all the same. Undefined: nobody listens. */
  readonly warn?: ((table: string, message: string) => void) | undefined
}

/** An open handle. One `write` at a time per lane, unless the writer says it takes more (`inFlightPerLane`). */
export interface SinkWriter {
  /** What the server calls itself, e.g. `PostgreSQL 15.18`. */
  readonly server: string
  /** How many batches of one lane may be under way at once; 1 if undefined. */
  readonly inFlightPerLane?: number | undefined
  /** Resolves only when everything of the batch is durable. Idempotent for the same batch where the plan promises it. */
  write(batch: WriteBatch, context: WriteContext): Promise<WriteResult>
  /**
   * The store keeps the ids of the batches that it has, and drops what comes under one of them again: then a batch whose outcome
   * is not known is sent again, idempotent or not (rule R2).
   */
  readonly dropsRepeatedBatches?: boolean | undefined
  /** Positions in the ledger at open, under exactly-once (rule R5). */
  readonly positions?: Positions | undefined
  /** After an unknown outcome: has the batch with this id been committed? Undefined where the store cannot say (rule R2). */
  committed?(batchId: string): Promise<boolean | undefined>
  /** Removes tombstones whose retention is over (rule G2); called between flushes. */
  sweep?(): Promise<void>
  /** The rows a reader sees, for `demo`, `simulate` and small tables; absent for stores that can't be read back. */
  read?(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]>
  /** Idempotent. Never flushes: the core has done so. */
  close(): Promise<void>
}

export interface WriteContext {
  readonly signal: AbortSignal
  /**
   * Hands over changes that the store refuses, before anything is committed. If it throws, nothing of the batch may
   * become durable and `write` rejects with the same error; otherwise the rest is written. Changes of the same key in
   * later waves of the batch must be handed over too: they were made on top of what is refused.
   */
  reject(rejected: readonly RejectedChange[]): Promise<void>
}

/** What a failure means for the next step (rule R2). */
export type FailureClass =
  | 'transient'
  | 'throttled'
  | 'row'
  | 'schema'
  | 'auth'
  | 'fenced'
  | 'unknown-outcome'
  | 'fatal'

export interface CheckFinding {
  readonly severity: 'error' | 'warning' | 'ok'
  /** Table, column, index or right. */
  readonly subject: string
  readonly message: string
  /** A statement or a step that mends it. */
  readonly fix?: string | undefined
}
