import type { OnConflict } from './statement.ts'
import type { TableDefinition } from './table-definition.ts'

/** What a file of Flink SQL declares, as far as a sink needs it. */
export interface Script {
  /** In the order of their CREATE TABLE. */
  readonly tables: readonly TableDefinition[]
  readonly inserts: readonly InsertStatement[]
  /** What the `SET` lines leave in force at the end of the file. */
  readonly settings: Readonly<Record<string, string>>
  /** Statements that were accepted and have no effect here. */
  readonly notes: readonly string[]
}

/** Of an `INSERT INTO`, its query is not kept. */
export interface InsertStatement {
  /** All parts of the target's name. */
  readonly target: readonly string[]
  readonly onConflict: OnConflict | undefined
}
