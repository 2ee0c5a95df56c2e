import type { DataType } from '../../src/row/data-type.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Row } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import { ValueFault } from '../../src/row/value-fault.ts'
import type { RedisTable } from './table.ts'

/** The row as JSON text: every declared column, and of tidegate's own those that say something. */
export function encodeJsonRow({ plan: { merge }, positions }: RedisTable, row: Row): string {
  const members: string[] = []
  for (const position of positions) {
    const column = merge.columns[position]
    const value = row[position] ?? null
    if (column === undefined || (position >= merge.declaredCount && (value === null || value === false))) continue
    members.push(`${JSON.stringify(column.name)}:${jsonOf(column.type, value)}`)
  }
  return `{${members.join()}}`
}

/** A column of type JSON is a part of the text where that keeps it as it is, else a text of its own. */
function jsonOf(type: DataType, value: Value | null): string {
  if (type.name !== 'JSON' || value === null) return JSON.stringify(toJsonValue(type, value))
  const text = value as string
  return /^[[{]/.test(text) && toJsonText(parseExact(text)) === text ? text : JSON.stringify(text)
}

/** Throws `ValueFault` or `SyntaxError` for what somebody else has put there. */
export function decodeJsonRow({ plan: { merge }, positions, coercions }: RedisTable, stored: Buffer): Row {
  const object = parseExact(stored.toString('utf8'))
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw new ValueFault('is no JSON object')
  const row: Row = new Array(merge.columns.length).fill(null)
  for (const [index, position] of positions.entries()) {
    const column = merge.columns[position]
    if (column === undefined || !Object.hasOwn(object, column.name)) continue
    const member = (object as Record<string, unknown>)[column.name]
    if (member === null || member === undefined) continue
    const raw = column.type.name === 'JSON' && typeof member !== 'string' ? toJsonText(member) : member
    row[position] = coercions[index]?.(raw) ?? null
  }
  if (merge.deletedFlag !== undefined) row[merge.deletedFlag] ??= false
  return row
}
