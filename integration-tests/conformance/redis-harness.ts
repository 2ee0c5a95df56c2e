import { createClient, createCluster } from 'redis'
import { redis } from '../../adapters/redis/index.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { onFirstUse } from './on-first-use.ts'

interface Reader {
  readonly keys: (pattern: string) => Promise<readonly string[]>
  readonly call: (key: string, ...args: string[]) => Promise<unknown>
  readonly flush: () => Promise<void>
  readonly sever: () => Promise<void>
  readonly close: () => void
}

/** The connector on a server or a cluster, by url; rows are read as a reader would, by HGETALL and GET. */
export function redisHarness(
  { url, isCluster }: { readonly url: string; readonly isCluster: boolean },
  options: Readonly<Record<string, string>> = {},
): Harness {
  const reader = onFirstUse(() => (isCluster ? clusterReader(url) : serverReader(url)))
  return {
    connector: redis,
    prepare: async () => ({ connector: 'redis', url, ...(isCluster ? { mode: 'cluster' } : {}), ...options }),
    snapshot: async (table) => await visibleRows(table, await reader.use()),
    sever: async () => await (await reader.use()).sever(),
    dispose: async () => {
      await reader.end(async (one) => {
        await one.flush()
        one.close()
      })
    },
  }
}

async function visibleRows(table: TableDefinition, { keys, call }: Reader): Promise<RowObject[]> {
  const prefix = table.options['key.prefix'] ?? `${table.name}:`
  if (table.schema.primaryKey.length === 0) {
    const stream = prefix.slice(0, -1)
    const entries = (await call(stream, 'XRANGE', stream, '-', '+')) as readonly [string, readonly string[]][]
    return entries.map(([, fields]) => rowOf(table, parseExact(String(fields[1])) as RowObject))
  }
  const rows: RowObject[] = []
  for (const key of await keys(`${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`)) {
    const fields =
      table.options['value.format'] === 'json'
        ? (parseExact(String(await call(key, 'GET', key))) as RowObject)
        : pairs((await call(key, 'HGETALL', key)) as readonly string[])
    if (fields['__tidegate_deleted'] === 'true' || fields['__tidegate_deleted'] === true) continue
    rows.push(rowOf(table, fields))
  }
  return rows
}

function pairs(flat: readonly string[] | Readonly<Record<string, string>>): RowObject {
  if (!Array.isArray(flat)) return flat as RowObject
  const object: Record<string, string> = Object.create(null)
  for (let at = 0; at < flat.length; at += 2) object[String(flat[at])] = String(flat[at + 1])
  return object
}

/** The declared columns; a field that is not there is NULL. */
function rowOf(table: TableDefinition, fields: RowObject): RowObject {
  const entries = table.schema.columns.map(({ name, type }) => {
    const value = Object.hasOwn(fields, name) ? fields[name] : null
    const isNested = type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW'
    return [name, isNested && typeof value === 'string' ? parseExact(value) : value]
  })
  return Object.fromEntries(entries) as RowObject
}

async function serverReader(url: string): Promise<Reader> {
  const client = createClient({ url, RESP: 2 })
  client.on('error', () => {})
  await client.connect()
  const call = async (_key: string, ...args: string[]): Promise<unknown> => await client.sendCommand(args)
  return {
    keys: async (pattern) => (await client.sendCommand(['KEYS', pattern])) as unknown as string[],
    call,
    flush: async () => {
      await client.sendCommand(['FLUSHALL'])
    },
    sever: async () => {
      await client.sendCommand(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
    },
    close: () => client.destroy(),
  }
}

async function clusterReader(url: string): Promise<Reader> {
  const cluster = createCluster({ rootNodes: [{ url }], RESP: 2 })
  cluster.on('error', () => {})
  await cluster.connect()
  const onEach = async (args: string[]): Promise<unknown[]> =>
    await Promise.all(cluster.masters.map(async (node) => (await cluster.nodeClient(node)).sendCommand(args)))
  return {
    keys: async (pattern) => (await onEach(['KEYS', pattern])).flat() as string[],
    call: async (key, ...args) => await cluster.sendCommand(key, false, args),
    flush: async () => {
      await onEach(['FLUSHALL'])
    },
    sever: async () => {
      await onEach(['CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'])
    },
    close: () => cluster.destroy(),
  }
}
