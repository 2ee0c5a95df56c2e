import { must } from '../../../src/assert.ts'
import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { Value } from '../../../src/row/value.ts'
import type { WireType } from '../binary-array.ts'
import { quoteIdentifier } from '../identifier.ts'
import type { Target } from '../target.ts'

/** One array parameter of a statement: a column of the staged set `s`. */
export interface StagedColumn {
  readonly name: string
  readonly wire: WireType
  /** What the change puts into it; undefined is NULL. */
  readonly value: (change: MergeChange) => unknown
  /** For the message when a value can't be encoded. */
  readonly label: string
}

/** A statement over a staged set, ready to be sent with the arrays of a wave. */
export interface StagedStatement {
  readonly text: string
  readonly columns: readonly StagedColumn[]
}

/** The value of a stored column as the change brings it. */
export function columnValue(target: Target, position: number): StagedColumn {
  const { name, binding } = must(target.columns[position], 'a stored column')
  const { encode } = binding
  return {
    name,
    wire: binding.wire,
    label: `column ${name}`,
    value:
      encode === undefined
        ? ({ row }) => row[position]
        : ({ row }) => {
            const value = row[position]
            return value === undefined || value === null ? null : encode(value as Value)
          },
  }
}

/** `unnest($1::int8[], $2::text[]) AS s ("id", "name")`: one statement text for any number of rows. */
export function unnest(columns: readonly StagedColumn[]): string {
  const arrays = columns.map(({ wire }, index) => `$${index + 1}::${wire}[]`)
  return `unnest(${arrays.join(', ')}) AS s (${columns.map(({ name }) => quoteIdentifier(name)).join(', ')})`
}

/** The staged value in the column's own type. */
export function stagedValue(target: Target, position: number): string {
  const { name, binding } = must(target.columns[position], 'a stored column')
  const sql = `s.${quoteIdentifier(name)}`
  return binding.cast === undefined ? sql : `${sql}::${binding.cast}`
}

export function storedValue(target: Target, position: number): string {
  return `t.${quoteIdentifier(must(target.columns[position], 'a stored column').name)}`
}

export function excludedValue(target: Target, position: number): string {
  return `EXCLUDED.${quoteIdentifier(must(target.columns[position], 'a stored column').name)}`
}

export function columnList(target: Target, positions: readonly number[]): string {
  return positions.map((position) => quoteIdentifier(must(target.columns[position], 'a stored column').name)).join(', ')
}

/** `t."a" = s."a" AND t."b" = s."b"` over the primary key. */
export function keysEqual(target: Target, key: readonly number[]): string {
  return key.map((position) => `${storedValue(target, position)} = ${stagedValue(target, position)}`).join(' AND ')
}
