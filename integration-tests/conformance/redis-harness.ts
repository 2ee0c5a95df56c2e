import { redis } from '../../adapters/redis/index.ts'
import { encodePart } from '../../adapters/redis/key-template.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Column } from '../../src/row/schema.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { databaseUrl, openReader, type RedisAccess, type RedisReader } from '../services/redis-database.ts'
import { onFirstUse } from './on-first-use.ts'

export interface RedisHarnessOptions {
  readonly format?: 'hash' | 'json' | undefined
  /** A client to hand in, of the same database; by default the connector has the url. */
  readonly ready?: { readonly client: unknown; readonly url: string } | undefined
}

/** The connector on a server or cluster; what it has written is removed after the last case. */
export function redisHarness(server: RedisAccess, { format = 'hash', ready }: RedisHarnessOptions = {}): Harness {
  const url = ready?.url ?? databaseUrl(server)
  const reader = onFirstUse(async () => await openReader(server, url))
  const tables: string[] = []
  return {
    connector: redis,
    client: ready?.client,
    prepare: async ({ name }) => {
      tables.push(name)
      const mode = server.isCluster ? 'cluster' : 'single'
      return { connector: 'redis', mode, 'value.format': format, ...(ready === undefined ? { url } : {}) }
    },
    snapshot: async (table) => {
      const from = await reader.use()
      if (table.schema.primaryKey.length === 0) return await entriesOf(from, table)
      const rows = await (server.isCluster ? scannedRows : rowsAtOnce)(from, table, format)
      return rows.filter((row) => row['__tidegate_deleted'] !== true && row['__tidegate_deleted'] !== 'true')
    },
    sever: async () => {
      const database = new URL(url.split(',')[0] ?? url).pathname.slice(1) || '0'
      const from = await reader.use()
      const own = new RegExp(`^id=(\\d+) .*\\bname=tidegate\\b.*\\bdb=${database}\\b`, 'gm')
      for (const list of await from.sendToAll(['CLIENT', 'LIST'])) {
        for (const [, id = ''] of String(list).matchAll(own))
          await from.sendToAll(['CLIENT', 'KILL', 'ID', id]).catch(() => {})
      }
    },
    dispose: async () => {
      await reader.end(async (from) => {
        for (const name of tables) for (const key of await keysOf(from, name)) await from.send(['UNLINK', key], key)
        await from.close()
      })
    },
  }
}

const pattern = (table: string): string => `${encodePart(table)}:*`

async function keysOf(from: RedisReader, table: string): Promise<readonly string[]> {
  const replies = await from.sendToAll(['KEYS', pattern(table)])
  return [...replies.flatMap((keys) => (keys as Buffer[]).map(String)), encodePart(table)]
}

/** One script sees one moment. */
const allRows = `
  local rows = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
    rows[#rows + 1] = redis.call('TYPE', key).ok == 'hash' and redis.call('HGETALL', key) or redis.call('GET', key)
  end
  return rows`

async function rowsAtOnce(from: RedisReader, table: TableDefinition): Promise<RowObject[]> {
  const replies = (await from.send(['EVAL', allRows, '0', pattern(table.name)])) as unknown[]
  return replies.map((reply) => rowOf(table, reply))
}

/** Keys that are there from begin to end are all seen. */
async function scannedRows(from: RedisReader, table: TableDefinition, format: 'hash' | 'json'): Promise<RowObject[]> {
  const keys = (await keysOf(from, table.name)).slice(0, -1)
  const command = format === 'hash' ? 'HGETALL' : 'GET'
  const replies = await Promise.all(keys.map((key) => from.send([command, key], key)))
  return replies.flatMap((reply) => (isNothing(reply) ? [] : [rowOf(table, reply)]))
}

/** The key was there when its name was read. */
function isNothing(reply: unknown): boolean {
  return reply === null || (reply instanceof Map && reply.size === 0)
}

function rowOf(table: TableDefinition, reply: unknown): RowObject {
  if (Buffer.isBuffer(reply)) return parseExact(reply.toString('utf8')) as RowObject
  const fields = fieldsOf(reply)
  const row: Record<string, unknown> = Object.create(null)
  for (const { name, type } of table.schema.columns) row[name] = rawValue(type, fields.get(name))
  row['__tidegate_deleted'] = fields.get('__tidegate_deleted')?.toString()
  return row
}

/** What comes from a script is a list. */
function fieldsOf(reply: unknown): Map<string, Buffer> {
  if (reply instanceof Map) return new Map([...reply].map(([name, value]) => [String(name), value as Buffer]))
  const list = reply as readonly Buffer[]
  const fields = new Map<string, Buffer>()
  for (let index = 0; index < list.length; index += 2) fields.set(String(list[index]), list[index + 1] as Buffer)
  return fields
}

function rawValue(type: Column['type'], stored: Buffer | undefined): unknown {
  if (stored === undefined) return null
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return new Uint8Array(stored)
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return parseExact(stored.toString('utf8'))
    default:
      return stored.toString('utf8')
  }
}

/** A table without a primary key is a stream. */
async function entriesOf(from: RedisReader, table: TableDefinition): Promise<RowObject[]> {
  const key = encodePart(table.name)
  const entries = (await from.send(['XRANGE', key, '-', '+'], key)) as [unknown, unknown][]
  return entries.map(([, fields]) => rowOf(table, fields))
}
