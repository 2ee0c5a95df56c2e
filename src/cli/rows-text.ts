import Table from 'cli-table3'
import { toJsonText } from '../row/json-text.ts'

const cellMax = 40

/** Rows in a box, as a terminal shows them; null as an empty cell with a sign. */
export function rowsText(columns: readonly string[], rows: readonly Readonly<Record<string, unknown>>[]): string {
  const table = new Table({ head: [...columns], style: { head: [], border: [], compact: true } })
  for (const row of rows) table.push(columns.map((name) => cellText(row[name])))
  return table.toString()
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '∅'
  const text = typeof value === 'string' ? value : toJsonText(value)
  return text.length > cellMax ? `${text.slice(0, cellMax - 1)}…` : text
}
