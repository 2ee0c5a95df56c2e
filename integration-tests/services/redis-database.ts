import { randomInt } from 'node:crypto'
import { createClient, createCluster, RESP_TYPES, type RedisClientType } from 'redis'

/** A server that tests write to. */
export interface RedisAccess {
  /** Of a cluster, some of its nodes with commas between. */
  readonly url: string
  readonly isCluster: boolean
  /** How many numbered databases the server has; 1: only number 0. */
  readonly databases: number
}

/** What a test reads the server by. Bulk replies are Buffers. */
export interface RedisReader {
  /** Goes to the node that holds the key. */
  send(args: readonly (string | Buffer)[], key?: string): Promise<unknown>
  /** To every node. */
  sendToAll(args: readonly (string | Buffer)[]): Promise<readonly unknown[]>
  close(): Promise<void>
}

/** A numbered database of one test file's own, where the server has several. */
export function databaseUrl({ url, databases }: RedisAccess): string {
  if (databases < 2) return url
  const own = new URL(url)
  own.pathname = `/${randomInt(1, databases)}`
  return own.href
}

/** A field may be named `__proto__`, which an object would not keep. */
const buffers = { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer, [RESP_TYPES.MAP]: Map } }

export async function openReader({ isCluster }: Pick<RedisAccess, 'isCluster'>, url: string): Promise<RedisReader> {
  if (isCluster) return await openClusterReader(url)
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  const send: RedisReader['send'] = async (args) => await client.sendCommand([...args], buffers)
  return { send, sendToAll: async (args) => [await send(args)], close: async () => client.destroy() }
}

async function openClusterReader(url: string): Promise<RedisReader> {
  const cluster = createCluster({ rootNodes: url.split(',').map((one) => ({ url: one })) })
  cluster.on('error', () => {})
  await cluster.connect()
  return {
    send: async (args, key) => await cluster.sendCommand(key, false, [...args], buffers),
    sendToAll: async (args) => {
      const nodes = await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)))
      return await Promise.all(nodes.map((node) => node.sendCommand([...args], buffers)))
    },
    close: async () => cluster.destroy(),
  }
}

export async function onRedis<T>(url: string, work: (client: RedisClientType) => Promise<T>): Promise<T> {
  const client = createClient({ url, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client as RedisClientType)
  } finally {
    client.destroy()
  }
}

/** E.g. `Redis 7.0.15` or `Valkey 9.1.2`. */
export async function redisVersion(url: string): Promise<string> {
  const [first = ''] = url.split(',')
  const info = await onRedis(first, async (client) => await client.info('server'))
  const field = (name: string): string | undefined => new RegExp(`^${name}:(.*)$`, 'm').exec(info)?.[1]?.trim()
  const valkey = field('valkey_version')
  return valkey === undefined ? `Redis ${field('redis_version')}` : `Valkey ${valkey}`
}

/** As `databaseUrl`, empty at first and in the end. */
export async function createRedisDatabase(server: RedisAccess): Promise<AsyncDisposable & { readonly url: string }> {
  const url = databaseUrl(server)
  const empty = async (): Promise<void> => {
    await onRedis(url, async (client) => await client.flushDb())
  }
  await empty()
  return { url, [Symbol.asyncDispose]: empty }
}
