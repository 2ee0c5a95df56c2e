import type { RowKind } from '../row/row-kind.ts'

/** A count with the lines of the first few cases. */
export interface Cases {
  readonly count: number
  readonly lines: readonly number[]
}

export type KeySource = 'option' | 'ddl' | 'input'

/** What is in a changelog, as plain data: what `tidegate inspect --json` prints. Holds no row values. */
export interface InspectReport {
  readonly name: string
  readonly format: {
    readonly name: string | null
    /** Members by which it was recognised; null if it was named. */
    readonly seen: readonly string[] | null
  }
  /** Lines of the input, those that hold a record, and those that cannot be read. */
  readonly lines: number
  readonly records: number
  readonly malformed: Cases & { readonly firstReason: string | null }
  readonly changes: Readonly<Record<RowKind, number>> & { readonly total: number }
  /** Changes of tables that the DDL does not declare; nothing else is said of them. */
  readonly otherTables: { readonly changes: number; readonly names: readonly string[] }
  readonly control: {
    readonly groupEnds: number
    readonly watermarks: number
    readonly truncates: number
    readonly schemaChanges: number
  }
  /** Changes that belong to a group, and groups whose end did not come. */
  readonly groups: { readonly changes: number; readonly open: number }
  readonly partitions: number
  readonly images: { readonly full: number; readonly partial: number; readonly key: number }
  readonly deletes: { readonly full: number; readonly keyOnly: number; readonly ofNothing: number }
  readonly updates: {
    /** `-U` and `+U` of one update. */
    readonly pairs: number
    /** `+U` without the image before. */
    readonly withoutBefore: number
    /** Pairs whose halves differ in the key; null where no key is known. */
    readonly keyChanges: Cases | null
    /** `delete-create`: an update is written as a delete and an insert of one key; null: there are no updates. */
    readonly encoding: 'update' | 'delete-create' | null
    readonly deleteCreatePairs: number
  }
  readonly numbersAbove2to53: Cases & { readonly columns: readonly string[] }
  readonly largestRow: { readonly bytes: number; readonly line: number } | null
  readonly tables: readonly TableReport[]
  readonly advice: readonly string[]
}

/** One table of the stream. */
export interface TableReport {
  /** Null where records do not name it. */
  readonly name: string | null
  readonly changes: number
  readonly columns: readonly ColumnReport[]
  /** Columns that the DDL does not declare, with how often they came; null without a DDL. */
  readonly undeclared: Readonly<Record<string, number>> | null
  /** Declared columns that never came; null without a DDL. */
  readonly neverSent: readonly string[] | null
  /** What only a known key can tell. */
  readonly keyed: KeyedReport | null
  /** Order by the sequence that was named; null without one. */
  readonly sequence: SequenceReport | null
}

export interface ColumnReport {
  readonly name: string
  /** Changes that carry the column, and of those the ones that carry null. */
  readonly present: number
  readonly nulls: number
}

export interface KeyedReport {
  readonly key: readonly string[]
  /** Who named the key: the call, the DDL, or the records themselves. */
  readonly keySource: KeySource
  readonly keys: number
  /** Rows that are left when every change is applied by key in the order of arrival. */
  readonly rowsLeft: number
  /** Changes that lack a column of the key, or hold null in it. */
  readonly withoutKey: Cases
  /** `-U` and `-D` with more than the key that agree with the current row of their key. */
  readonly matched: number
  /** Those that do not: the row is another, or is gone already (rule O2). */
  readonly unmatched: Cases
  /** Those of keys that the input has not shown before. */
  readonly unseen: number
  /** `-U` that no `+U` or `+I` of its key follows. */
  readonly loneUpdateBefores: Cases
  /** Changes that repeat the one before of their key, or whose position was passed already. */
  readonly redelivered: Cases
  /** Keys whose changes stand in several partitions, between which there is no order. */
  readonly keysInSeveralPartitions: number
}

export interface SequenceReport {
  readonly columns: readonly string[]
  /** `+I` and `+U` below the newest sequence of their key. */
  readonly older: Cases
  /** `+I` and `+U` with the same sequence as the newest of their key. */
  readonly ties: number
  /** Changes without a value in one of the columns. */
  readonly missing: number
}
