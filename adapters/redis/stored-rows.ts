import { createHash } from 'node:crypto'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Row } from '../../src/row/row.ts'
import { callScript } from './call-script.ts'
import { decodeJsonRow } from './json-rows.ts'
import type { Link } from './link.ts'
import { readScript } from './script.ts'
import type { RedisTable } from './table.ts'

/** What a key holds. */
export type Stored =
  /** `row` undefined: nothing. `digest` is that of the script, by which it sees whether the row has changed since. */
  | { readonly row: Row | undefined; readonly digest: string }
  /** Something that is no row of the table. */
  | { readonly fault: string }

/** Longer ones would keep the server from others. */
const keysPerCall = 500

/** Reads keys of one slot. */
export async function readStored(
  link: Pick<Link, 'send'>,
  table: RedisTable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, Stored>> {
  const stored = new Map<string, Stored>()
  const args = table.format === 'hash' ? ['hash', ...fieldNames(table)] : ['string']
  for (let from = 0; from < keys.length; from += keysPerCall) {
    const part = keys.slice(from, from + keysPerCall)
    const replies = (await callScript(link, readScript, part, args)) as readonly unknown[]
    for (const [index, key] of part.entries()) stored.set(key, storedOf(table, replies[index]))
  }
  return stored
}

export function fieldNames({ plan, positions }: RedisTable): readonly string[] {
  return positions.map((at) => plan.merge.columns[at]?.name ?? '')
}

function storedOf(table: RedisTable, reply: unknown): Stored {
  if (reply === 0) return { fault: 'the key holds something of another type' }
  const values = (table.format === 'hash' ? reply : [reply]) as readonly (Buffer | null)[]
  try {
    return { row: decodeRow(table, values), digest: digestOf(values) }
  } catch {
    return { fault: 'the key holds something that is no row of the table' }
  }
}

/** Throws for values that are none of the declared types. */
function decodeRow(table: RedisTable, values: readonly (Buffer | null)[]): Row | undefined {
  const { plan, positions, codecs, format } = table
  const [first] = values
  if (format === 'json') return first === null || first === undefined ? undefined : decodeJsonRow(table, first)
  if (format === 'string') {
    const at = positions.find((position) => !plan.merge.key.includes(position)) ?? 0
    if (first === null || first === undefined) return undefined
    const row: Row = new Array(plan.merge.columns.length).fill(null)
    row[at] = codecs[positions.indexOf(at)]?.decode(first) ?? null
    return row
  }
  return decodeHash(table, values)
}

/** A hash with none of the key columns is no row yet. */
export function decodeHash(
  { plan: { merge }, positions, codecs }: RedisTable,
  values: readonly (Buffer | null)[],
): Row | undefined {
  const keyIndex = positions.indexOf(merge.key[0] ?? 0)
  if ((values[keyIndex] ?? null) === null) return undefined
  const row: Row = new Array(merge.columns.length).fill(null)
  for (const [index, position] of positions.entries()) {
    const value = values[index] ?? null
    if (value !== null) row[position] = codecs[index]?.decode(value) ?? null
  }
  if (merge.deletedFlag !== undefined) row[merge.deletedFlag] ??= false
  return row
}

/** As the script makes it: two readings have the same digest only if they are equal. */
export function digestOf(values: readonly (Buffer | null)[]): string {
  const hash = createHash('sha1')
  for (const value of values) {
    if (value === null) hash.update('~')
    else hash.update(`${value.length}:`).update(value)
  }
  return hash.digest('hex')
}

/** The key columns of a string are in its name alone; a change that meets the row brings them. */
export function withKey(
  row: Row | undefined,
  { plan: { merge } }: RedisTable,
  from: MergeChange['row'],
): Row | undefined {
  if (row === undefined) return undefined
  const whole = row.slice()
  for (const at of merge.key) whole[at] = from[at] as Row[number]
  return whole
}
