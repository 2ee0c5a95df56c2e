import { inspect, isDeepStrictEqual } from 'node:util'
import type { DataType } from '../row/data-type.ts'
import { parseExact } from '../row/exact-json.ts'
import { compareNullable, equalValues, type Value } from '../row/value.ts'
import { type ModelTable, readModelRules } from './model-rules.ts'

type ModelRow = Readonly<Record<string, Value | null>>

/**
 * How two sets of canonical rows of a table differ, a line for each difference; empty if they hold the same. The order of
 * the rows does not count, nor that of the elements of a `collect` column; sums and products of floating point are equal
 * within a tolerance (rule A1), JSON by its content.
 */
export function rowDifferences(
  table: ModelTable,
  expected: readonly ModelRow[],
  actual: readonly ModelRow[],
): string[] {
  const same = columnEquality(table)
  const left = [...actual]
  const lines: string[] = []
  for (const row of expected) {
    const at = left.findIndex((candidate) => table.schema.columns.every(({ name }) => same(name, row, candidate)))
    if (at >= 0) left.splice(at, 1)
    else lines.push(`missing: ${rowText(table, row)}`)
  }
  return [...lines, ...left.map((row) => `not expected: ${rowText(table, row)}`)]
}

type ColumnEquality = (column: string, a: ModelRow, b: ModelRow) => boolean

function columnEquality(table: ModelTable): ColumnEquality {
  const { functions } = readModelRules(table)
  const equalities = new Map(
    table.schema.columns.map(({ name, type }) => [name, valueEquality(type, functions.get(name)?.name)]),
  )
  return (column, a, b) => {
    const [x, y] = [a[column] ?? null, b[column] ?? null]
    if (x === null || y === null) return x === y
    return equalities.get(column)?.(x, y) ?? false
  }
}

function valueEquality(type: DataType, aggregate: string | undefined): (a: Value, b: Value) => boolean {
  if (type.name === 'JSON') return (a, b) => isDeepStrictEqual(parseExact(String(a)), parseExact(String(b)))
  if ((type.name === 'DOUBLE' || type.name === 'FLOAT') && (aggregate === 'sum' || aggregate === 'product')) {
    const tolerance = type.name === 'DOUBLE' ? 1e-9 : 1e-4
    return (a, b) => Math.abs(Number(a) - Number(b)) <= tolerance * Math.max(1, Math.abs(Number(a)))
  }
  if (type.name === 'ARRAY' && aggregate === 'collect') {
    const sorted = (value: Value): (Value | null)[] =>
      (value as readonly (Value | null)[]).toSorted((x, y) => compareNullable(type.element, x, y))
    return (a, b) => equalValues(type, sorted(a), sorted(b))
  }
  return (a, b) => equalValues(type, a, b)
}

function rowText(table: ModelTable, row: ModelRow): string {
  return inspect(Object.fromEntries(table.schema.columns.map(({ name }) => [name, row[name]])), {
    breakLength: Number.POSITIVE_INFINITY,
    depth: 5,
  })
}
