import type { Capabilities } from '../../../src/connector/capabilities.ts'
import type { PlannedTable } from '../../../src/connector/connector.ts'
import type { Problem } from '../../../src/errors.ts'
import type { RowKind } from '../../../src/row/row-kind.ts'
import type { RowBinary } from '../row-binary.ts'

/** How ClickHouse keeps a table: what a row is made of, what becomes of rows with the same key, and what a reader has to do. */
export interface Engine {
  /** As `system.tables` has it, without `Replicated` or `Shared` in front. */
  readonly name: string
  readonly capabilities: Capabilities
  /** Every column of a stored row, in the order of the insert. */
  columns(plan: PlannedTable): readonly TableColumn[]
  /** The columns that the engine goes by, in its parentheses. */
  parameters(plan: PlannedTable): readonly string[]
  /** The columns of ORDER BY. */
  sortedBy(plan: PlannedTable): readonly string[]
  /** The column that counts what arrives; undefined: nothing is counted. */
  countedBy(plan: PlannedTable): string | undefined
  /** Rows of a flush that is sent twice count twice, unless the server knows it by its token. */
  readonly countsRepeats: boolean
  /** What the rows of an insert are, for `explain`. */
  readonly purpose: string
  /** What stands behind `FROM <table>` so that a reader sees each row as it is; undefined: nothing has to. */
  readonly reading: string | ((plan: PlannedTable) => string) | undefined
  /** What a reader sees who leaves that out, for `explain`. */
  readonly unread: string
  /** How a reader gets at a column of the plan where it is not stored under its name. */
  expression?(plan: PlannedTable, at: number): string | undefined
  /** What the engine cannot hold of a table, refused with the plan. */
  problems(plan: PlannedTable): readonly Problem[]
}

export interface TableColumn {
  readonly name: string
  /** The column's type in ClickHouse. */
  readonly type: string
  /** Throws `UnsendableValue`. */
  readonly write: (out: RowBinary, row: OutgoingRow) => void
  /** No column of the plan: tidegate keeps it for the engine. */
  readonly isOwn: boolean
}

/** A row to insert. */
export interface OutgoingRow {
  readonly row: ArrayLike<unknown>
  readonly isDeleted: boolean
  /** What rows of one key are told apart by: their sequence, or the number of their arrival. */
  readonly version: bigint
  /** -1 takes back a row of the same content. */
  readonly sign: 1 | -1
  readonly kind: RowKind
}
