import { type Problem, problemsError } from '../errors.ts'
import type { DataType } from './data-type.ts'

/** A physical column: one that is written. */
export interface Column {
  readonly name: string
  readonly type: DataType
  /** False for NOT NULL; a primary key column is never nullable. */
  readonly nullable: boolean
  readonly comment?: string | undefined
}

/** The declared columns of a table in their order, and its primary key. */
export interface Schema {
  readonly columns: readonly Column[]
  /** Positions of the primary key columns, in the order of the PRIMARY KEY clause; empty without one. */
  readonly primaryKey: readonly number[]
  /** Column name to position. */
  readonly positions: ReadonlyMap<string, number>
}

/** Checks names and key, and freezes. All faults come in one error (`SCHEMA_INVALID`). */
export function createSchema(columns: readonly Column[], primaryKey: readonly string[]): Schema {
  const problems: Problem[] = []
  const positions = new Map<string, number>()
  for (const [index, column] of columns.entries()) {
    if (column.name === '') problems.push({ subject: `column ${index + 1}`, message: 'has no name' })
    if (positions.has(column.name)) problems.push({ subject: column.name, message: 'is declared twice' })
    positions.set(column.name, index)
  }
  if (columns.length === 0) problems.push({ subject: 'columns', message: 'there is no column to write' })
  const key: number[] = []
  for (const name of primaryKey) {
    const position = positions.get(name)
    if (position === undefined) {
      problems.push({ subject: name, message: 'is in the PRIMARY KEY but is no column of the table' })
    } else if (key.includes(position)) {
      problems.push({ subject: name, message: 'is in the PRIMARY KEY twice' })
    } else {
      key.push(position)
    }
  }
  if (problems.length > 0) throw problemsError('the table cannot be used:', problems, { code: 'SCHEMA_INVALID' })
  const checked = columns.map((column, index) =>
    Object.freeze(key.includes(index) ? { ...column, nullable: false } : { ...column }),
  )
  return Object.freeze({ columns: Object.freeze(checked), primaryKey: Object.freeze(key), positions })
}

/** Names of the primary key columns, in the order of the PRIMARY KEY clause. */
export function primaryKeyNames({ columns, primaryKey }: Pick<Schema, 'columns' | 'primaryKey'>): readonly string[] {
  return primaryKey.map((position) => (columns[position] as Column).name)
}
