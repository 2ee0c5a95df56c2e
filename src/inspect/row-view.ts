import type { Change } from '../changelog/element.ts'
import { toJsonText } from '../row/json-text.ts'
import { toJsonRow } from '../row/json-value.ts'
import type { RowObject } from '../row/row.ts'
import { createRowReader } from '../row/row-reader.ts'
import type { Schema } from '../row/schema.ts'
import { ValueFault } from '../row/value-fault.ts'

/** The row of a change in values that can be compared and printed. */
export type RowView = (change: Change) => RowObject

/** With a schema its declared columns in canonical form, where they can be read; else the members as they came. */
export function createRowView(schema: Schema | undefined): RowView {
  if (schema === undefined) return ({ row }) => row
  return ({ row, encoding }) => {
    try {
      return toJsonRow(schema, createRowReader(schema, encoding).read(row))
    } catch (error) {
      if (error instanceof ValueFault) return row
      throw error
    }
  }
}

export function ownMember(row: RowObject, name: string): unknown {
  return Object.hasOwn(row, name) ? row[name] : undefined
}

export function sameValue(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && toJsonText(a) === toJsonText(b))
}

/** An injective text of the key; undefined where a column of it is missing or null. */
export function keyTextOf(key: readonly string[], row: RowObject): string | undefined {
  const values = key.map((name) => ownMember(row, name))
  return values.some((value) => value === undefined || value === null) ? undefined : toJsonText(values)
}
