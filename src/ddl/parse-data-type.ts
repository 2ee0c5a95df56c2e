import type { DataType } from '../row/data-type.ts'
import { readSql } from './read-sql.ts'
import type { ColumnType } from './statement.ts'

/** A type as Flink writes it, e.g. `DECIMAL(12, 2)` or `ARRAY<INT>`. Throws `DDL_SYNTAX` or `DDL_UNSUPPORTED`. */
export function parseDataType(text: string): DataType {
  return parseColumnType(text).type
}

/** The same with `NOT NULL` or `NULL` behind it; without either a column is nullable. */
export function parseColumnType(text: string): ColumnType {
  return readSql(text, (parser) => parser.loneType())
}
