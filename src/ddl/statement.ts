import type { IToken } from 'chevrotain'
import type { DataType } from '../row/data-type.ts'

/** What the grammar reads, before names are resolved. Tokens are kept where a later fault needs a place. */
export type Statement =
  | CreateTable
  | InsertInto
  | { readonly kind: 'set'; readonly key: string; readonly value: string }
  /** Without a key: every setting. */
  | { readonly kind: 'reset'; readonly key: string | undefined }
  /** Accepted, without effect. `what`: e.g. `CREATE VIEW`. */
  | { readonly kind: 'unused'; readonly what: string }

export interface CreateTable {
  readonly kind: 'create-table'
  readonly path: Path
  readonly ifNotExists: boolean
  readonly elements: readonly TableElement[]
  readonly clauses: readonly TableClause[]
}

export type TableElement =
  | PhysicalColumn
  | { readonly kind: 'computed'; readonly name: IToken }
  | PrimaryKey
  | { readonly kind: 'watermark'; readonly of: string }
  | { readonly kind: 'unique' }

export interface PhysicalColumn {
  readonly kind: 'column'
  readonly name: IToken
  readonly type: ColumnType
  readonly attributes: readonly ColumnAttribute[]
}

export type ColumnAttribute =
  | { readonly kind: 'not-null' }
  | { readonly kind: 'null' }
  | { readonly kind: 'metadata' }
  | { readonly kind: 'comment'; readonly text: string }
  | PrimaryKey
  | { readonly kind: 'unique' }

/** `columns` is empty for a key that stands with its column. */
export interface PrimaryKey {
  readonly kind: 'primary-key'
  readonly token: IToken
  readonly columns: readonly IToken[]
}

export type TableClause =
  | { readonly kind: 'comment'; readonly text: string }
  | { readonly kind: 'distributed' }
  | { readonly kind: 'partitioned'; readonly columns: readonly IToken[] }
  | { readonly kind: 'with'; readonly options: readonly OptionPair[] }

export interface OptionPair {
  readonly token: IToken
  readonly key: string
  readonly value: string
}

export interface InsertInto {
  readonly kind: 'insert'
  readonly target: Path
  readonly overwrite: boolean
  /** From a hint: `INSERT INTO t /*+ OPTIONS('k'='v') *\/`. */
  readonly hints: readonly OptionPair[]
  readonly onConflict: OnConflict | undefined
}

export type OnConflict = 'error' | 'nothing' | 'deduplicate'

export interface Path {
  readonly token: IToken
  readonly parts: readonly string[]
}

/** A type as it stands in a column. */
export interface ColumnType {
  readonly type: DataType
  readonly nullable: boolean
  /** `NOT NULL` stands somewhere inside, which nothing checks. */
  readonly innerNotNull: boolean
}
