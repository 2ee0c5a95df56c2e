import type { Row } from '../../src/row/row.ts'
import { rowToObject } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import { groupBy } from './group-by.ts'
import { hashSlot } from './hash-slot.ts'
import type { Link } from './link.ts'
import { scanKeys } from './scan-keys.ts'
import { decodeHash, fieldNames, readStored } from './stored-rows.ts'
import type { RedisTable } from './table.ts'

/** Up to `limit` rows that a reader sees. */
export async function readRows(
  link: Link,
  table: RedisTable,
  limit: number,
): Promise<readonly Readonly<Record<string, Value | null>>[]> {
  const rows = await rowsOf(link, table, limit)
  const { schema, merge } = table.plan
  const { deletedFlag } = merge
  return rows
    .filter((row) => deletedFlag === undefined || row[deletedFlag] !== true)
    .slice(0, limit)
    .map((row) => rowToObject(schema, row))
}

async function rowsOf(link: Link, table: RedisTable, limit: number): Promise<readonly Row[]> {
  const keys = await scanKeys(link, table)
  if (table.plan.merge.key.length === 0) return await entriesOf(link, table, keys, limit)
  if (table.format === 'sorted-set') return await membersOf(link, table, keys, limit)
  const bySlot = groupBy(keys, hashSlot)
  const rows: Row[] = []
  for (const slotKeys of bySlot.values()) {
    for (const [key, stored] of await readStored(link, table, slotKeys)) {
      if (!('fault' in stored) && stored.row !== undefined) rows.push(withColumnsOf(table, key, stored.row))
    }
    if (rows.length >= limit && table.plan.merge.deletedFlag === undefined) break
  }
  return rows
}

/** What the name of the key says of the row, where the value does not. */
function withColumnsOf({ template, positions, coercions, format }: RedisTable, key: string, row: Row): Row {
  if (format === 'hash' || format === 'json') return row
  const parts = template.partsOf(key) ?? []
  const whole = row.slice()
  for (const [index, at] of template.columns.entries()) {
    whole[at] = coercions[positions.indexOf(at)]?.(parts[index]) ?? null
  }
  return whole
}

async function membersOf(
  link: Link,
  table: RedisTable,
  keys: readonly string[],
  limit: number,
): Promise<readonly Row[]> {
  const { plan, positions, codecs, memberColumn = 0 } = table
  const scoreColumn = positions.find((at) => !plan.merge.key.includes(at)) ?? 0
  const rows: Row[] = []
  for (const key of keys) {
    const flat = (await link.send(['ZRANGE', key, '0', String(limit - 1), 'WITHSCORES'], key)) as readonly unknown[]
    for (const [member, score] of pairsOf(flat)) {
      const row: Row = new Array(plan.merge.columns.length).fill(null)
      row[memberColumn] = codecs[positions.indexOf(memberColumn)]?.decode(member as Buffer) ?? null
      row[scoreColumn] = codecs[positions.indexOf(scoreColumn)]?.decode(Buffer.from(String(score))) ?? null
      rows.push(withColumnsOf(table, key, row))
    }
    if (rows.length >= limit) break
  }
  return rows
}

/** RESP2 lists members and scores in turn, RESP3 in pairs. */
function pairsOf(reply: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(reply[0])) return reply as readonly (readonly [unknown, unknown])[]
  return reply.flatMap((member, index) => (index % 2 === 0 ? [[member, reply[index + 1]] as const] : []))
}

async function entriesOf(
  link: Link,
  table: RedisTable,
  keys: readonly string[],
  limit: number,
): Promise<readonly Row[]> {
  const names = fieldNames(table)
  const rows: Row[] = []
  for (const key of keys) {
    const entries = (await link.send(['XRANGE', key, '-', '+', 'COUNT', String(limit)], key)) as [unknown, Buffer[]][]
    for (const [, fields] of entries) {
      const values = new Map<string, Buffer>()
      for (let index = 0; index < fields.length; index += 2)
        values.set(String(fields[index]), fields[index + 1] as Buffer)
      rows.push(
        decodeHash(
          table,
          names.map((name) => values.get(name) ?? null),
        ) ?? [],
      )
    }
  }
  return rows
}
