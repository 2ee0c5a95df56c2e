import type { Schema } from './schema.ts'
import type { Value } from './value.ts'

/**
 * A row inside tidegate: one entry a column, in the order of the schema (stored columns after the declared ones where a
 * plan adds some). `undefined` is absent: the producer did not say. `null` is NULL.
 */
export type Row = (Value | null | undefined)[]

/** A row as users write and read it. A missing member and `undefined` are absent; null is NULL. */
export type RowObject = Readonly<Record<string, unknown>>

/** The positional row as an object without a prototype, so that a column named `__proto__` is one like any other. */
export function rowToObject(schema: Pick<Schema, 'columns'>, row: Row): Record<string, Value | null> {
  const object: Record<string, Value | null> = Object.create(null)
  for (const [index, column] of schema.columns.entries()) {
    const value = row[index]
    if (value !== undefined) object[column.name] = value
  }
  return object
}
