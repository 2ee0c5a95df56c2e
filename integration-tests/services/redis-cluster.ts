import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.ts'
import { onRedis } from './redis-database.ts'
import type { RedisSource } from './redis-programs.ts'
import { type RedisServer, startRedis } from './redis-server.ts'

export interface RedisCluster extends AsyncDisposable {
  readonly version: string
  readonly nodes: readonly RedisServer[]
  /** Of all nodes, with commas between. */
  readonly url: string
  stop(): Promise<void>
}

const slotRanges = [
  ['0', '5460'],
  ['5461', '10922'],
  ['10923', '16383'],
] as const

/** Three nodes without replicas, each with a third of the slots. */
export async function startRedisCluster(source: RedisSource, settings: readonly string[] = []): Promise<RedisCluster> {
  const nodes: RedisServer[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    for (const _ of slotRanges) nodes.push(await startNode(source, settings))
    await join(nodes)
    const [first] = nodes
    return {
      version: first?.version ?? '',
      nodes,
      url: nodes.map(({ url }) => url).join(),
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startNode(source: RedisSource, settings: readonly string[]): Promise<RedisServer> {
  const bus = await freePort()
  return await startRedis(source, [
    ...['--cluster-enabled', 'yes', '--cluster-port', String(bus), '--cluster-node-timeout', '2000'],
    ...['--cluster-allow-replica-migration', 'no', '--cluster-config-file', 'nodes.conf'],
    ...settings,
  ])
}

/** Slots are given by hand, then the nodes meet. */
async function join(nodes: readonly RedisServer[]): Promise<void> {
  const [first] = nodes
  for (const [index, { url }] of nodes.entries()) {
    await onRedis(url, async (client) => {
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', ...(slotRanges[index] ?? [])])
      await client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1)])
    })
  }
  for (const { port, url } of nodes.slice(1)) {
    const bus = await onRedis(url, async (client) => await client.sendCommand(['CONFIG', 'GET', 'cluster-port']))
    await onRedis(first?.url ?? '', async (client) => {
      await client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(port), settingOf(bus)])
    })
  }
  const deadline = Date.now() + 180_000
  for (const { url } of nodes) {
    while (!(await isJoined(url, nodes.length))) {
      if (Date.now() > deadline) throw new Error('the nodes of the cluster did not find each other')
      await delay(50)
    }
  }
}

async function isJoined(url: string, count: number): Promise<boolean> {
  const info = String(await onRedis(url, async (client) => await client.sendCommand(['CLUSTER', 'INFO'])))
  const wanted = ['cluster_state:ok', `cluster_known_nodes:${count}`, 'cluster_slots_ok:16384']
  return wanted.every((line) => info.includes(line))
}

/** RESP2 answers a list, RESP3 a map. */
function settingOf(reply: unknown): string {
  const [, value] = Array.isArray(reply) ? reply : (Object.entries(reply as object)[0] ?? [])
  return String(value)
}
