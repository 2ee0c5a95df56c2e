import { Redis as Ioredis, Cluster as IoredisCluster } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { conformance } from '../../src/testing/conformance.ts'
import { redisHarness } from '../conformance/redis-harness.ts'
import { databaseUrl, type RedisAccess } from '../services/redis-database.ts'
import { describeStore } from '../stores.ts'

/** A client as a user makes it, and what tells that it still works. */
interface ReadyClient {
  readonly client: unknown
  connect(): Promise<unknown>
  ping(): Promise<unknown>
  end(): unknown
}

function nodeRedis(url: string): ReadyClient {
  const client = createClient({ url })
  return { client, connect: () => client.connect(), ping: () => client.ping(), end: () => client.destroy() }
}

function nodeRedisCluster(url: string): ReadyClient {
  const client = createCluster({ rootNodes: url.split(',').map((one) => ({ url: one })) })
  return {
    client,
    connect: () => client.connect(),
    ping: () => client.sendCommand('any', true, ['PING']),
    end: () => client.destroy(),
  }
}

function ioredis(url: string): ReadyClient {
  const client = new Ioredis(url, { lazyConnect: true })
  return { client, connect: () => client.connect(), ping: () => client.ping(), end: () => client.disconnect() }
}

function ioredisCluster(url: string): ReadyClient {
  const client = new IoredisCluster(url.split(','), { lazyConnect: true })
  return { client, connect: () => client.connect(), ping: () => client.ping(), end: () => client.disconnect() }
}

/** What depends on the driver: how values, errors and lost connections arrive. Merging is the script's, whoever sends it. */
const ofDrivers = /^(A1 random|C1|K5|R\d|B\d)/

function defineTests(server: RedisAccess, open: (url: string) => ReadyClient): void {
  const url = databaseUrl(server)
  const ready = open(url)
  const harness = redisHarness(server, { ready: { client: ready.client, url } })
  beforeAll(async () => {
    await ready.connect()
  })
  afterAll(async () => {
    await harness.dispose()
    ready.end()
  })
  for (const { id, title, run } of conformance(harness)) {
    if (!ofDrivers.test(title)) continue
    test(`${title} (${id})`, async () => {
      await run()
    })
  }

  test('a client that was handed in is left open', async () => {
    const mode = server.isCluster ? 'cluster' : 'single'
    const table = `CREATE TABLE left_open (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'redis', 'mode' = '${mode}')`
    const sink = await createSink({ table, client: ready.client })
    await sink.write({ kind: '+I', row: { id: 1 } })
    await sink.close()
    expect(String(await ready.ping())).toBe('PONG')
  })

  test('a client of the other kind of server is refused with the way out', async () => {
    const mode = server.isCluster ? 'single' : 'cluster'
    const table = `CREATE TABLE other_mode (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'redis', 'mode' = '${mode}')`
    await expect(createSink({ table, client: ready.client })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      problems: [{ subject: 'mode', fix: `'mode' = '${server.isCluster ? 'cluster' : 'single'}'` }],
    })
  })
}

describeStore('redis', 'clients that are handed in', ({ redis: server }) => {
  if (server === undefined) return
  describe('node-redis', () => defineTests(server, nodeRedis))
  describe('ioredis', () => defineTests(server, ioredis))
})

describeStore('redis-cluster', 'clusters that are handed in', ({ redis: server }) => {
  if (server === undefined) return
  describe('node-redis', () => defineTests(server, nodeRedisCluster))
  describe('ioredis', () => defineTests(server, ioredisCluster))
})
