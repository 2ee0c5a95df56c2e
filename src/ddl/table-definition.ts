import type { Schema } from '../row/schema.ts'

/** A table as the DDL or the equivalent object declares it, before its options are read. */
export interface TableDefinition {
  /** Last part of the name, unquoted. */
  readonly name: string
  /** All parts of the name: catalog, database, table. */
  readonly path: readonly string[]
  readonly schema: Schema
  /** Columns that the DDL names but that are not written: computed, METADATA; with the reason. */
  readonly notWritten: readonly { readonly name: string; readonly reason: string }[]
  /** Clauses that were accepted and have no effect here (WATERMARK, PARTITIONED BY), as notes for the user. */
  readonly notes: readonly string[]
  readonly partitionedBy: readonly string[]
  readonly comment?: string | undefined
  /** The WITH clause, keys and values as written. */
  readonly options: Readonly<Record<string, string>>
  /** From `INSERT INTO t … ON CONFLICT DO …`, if the file holds one for this table. */
  readonly onConflict?: 'error' | 'nothing' | 'deduplicate' | undefined
  /** `SET 'k'='v'` lines of the file, in force for every table of it. */
  readonly settings: Readonly<Record<string, string>>
}
