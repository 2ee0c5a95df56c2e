import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { redis } from '../../adapters/redis/index.ts'
import { must } from '../../src/assert.ts'
import { createSink, planTables } from '../../src/sink/create-sink.ts'
import type { Sink } from '../../src/sink/sink.ts'
import { type RedisCluster, startRedisCluster } from '../services/redis-cluster.ts'
import { onRedis, openReader, type RedisReader } from '../services/redis-database.ts'
import { type RedisServer, startRedis } from '../services/redis-server.ts'
import { describeStore } from '../stores.ts'

const columns = 'id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED'

function ddlOf(url: string, options = ''): string {
  return `CREATE TABLE people (${columns}) WITH ('connector' = 'redis', 'url' = '${url}', 'source.changelog-mode' = 'upsert',
    'sink.buffer-flush.interval' = '0', 'sink.max-retries' = '100', 'sink.retry.interval' = '20ms',
    'sink.retry.max-interval' = '100ms'${options})`
}

interface Writing {
  readonly sink: Sink
  /** Reasons of all retries so far. */
  readonly retries: readonly string[]
}

async function startWriting(url: string, options = ''): Promise<Writing> {
  const retries: string[] = []
  const sink = await createSink({
    table: ddlOf(url, options),
    onEvent: (event) => {
      if (event.type === 'retry') retries.push(event.reason)
    },
  })
  return { sink, retries }
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('it did not come to that')
    await delay(10)
  }
}

describeStore('redis', 'a sink whose server is in no state to write', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis('redis')
  })
  afterAll(() => server?.stop())
  const send = async (...args: string[]): Promise<unknown> =>
    await onRedis(server.url, async (client) => await client.sendCommand(args))

  test.each([
    ['OOM', [['CONFIG', 'SET', 'maxmemory', '1']], [['CONFIG', 'SET', 'maxmemory', '0']]],
    [
      'READONLY',
      [
        ['REPLICAOF', '127.0.0.1', '1'],
        ['CONFIG', 'SET', 'replica-serve-stale-data', 'yes'],
      ],
      [['REPLICAOF', 'NO', 'ONE']],
    ],
    [
      'NOREPLICAS',
      [['CONFIG', 'SET', 'min-replicas-to-write', '1']],
      [['CONFIG', 'SET', 'min-replicas-to-write', '0']],
    ],
  ])('R2 %s: the flush is tried again, and goes on when it is over', async (word, begin, end) => {
    const { sink, retries } = await startWriting(server.url)
    await sink.write({ kind: '+U', row: { id: 1, name: `before ${word}` } })
    await sink.flush()
    for (const args of begin) await send(...args)
    await sink.write({ kind: '+U', row: { id: 1, name: `after ${word}` } })
    const flushing = sink.flush()
    await until(() => retries.length > 1)
    for (const args of end) await send(...args)
    await flushing
    await sink.close()
    expect(retries.join()).toContain(`(${word})`)
    expect(await send('HGET', 'people:1', 'name')).toBe(`after ${word}`)
  })

  test('R2 BUSY: a script of somebody else is waited for', async () => {
    await send('CONFIG', 'SET', 'busy-reply-threshold', '50')
    const { sink, retries } = await startWriting(server.url)
    const busy = createClient({ url: server.url })
    busy.on('error', () => {})
    await busy.connect()
    const looping = busy.sendCommand(['EVAL', 'while true do end', '0']).catch((error: Error) => error.message)
    await delay(200)
    await sink.write({ kind: '+U', row: { id: 2, name: 'patient' } })
    const flushing = sink.flush()
    await until(() => retries.some((reason) => reason.includes('(BUSY)')))
    await send('SCRIPT', 'KILL')
    await flushing
    await sink.close()
    expect(await looping).toMatch(/killed/i)
    busy.destroy()
    expect(await send('HGET', 'people:2', 'name')).toBe('patient')
  })

  test('R2 NOSCRIPT: a server that has forgotten the script gets it again, without a retry', async () => {
    const { sink, retries } = await startWriting(server.url)
    for (const name of ['a', 'b']) {
      await send('SCRIPT', 'FLUSH')
      await sink.write({ kind: '+U', row: { id: 3, name } })
      await sink.flush()
    }
    await sink.close()
    expect(retries).toEqual([])
    expect(await send('HGET', 'people:3', 'name')).toBe('b')
  })

  test('a replica that does not follow in time holds the flush back, and one that does lets it go', async () => {
    const { sink, retries } = await startWriting(server.url, ", 'wait.replicas' = '1', 'wait.timeout' = '50ms'")
    await sink.write({ kind: '+U', row: { id: 4, name: 'twice' } })
    const flushing = sink.flush()
    await until(() => retries.length > 0)
    expect(retries.join()).toContain('0 of 1 replicas have the flush')
    await using replica = await startRedis('redis', ['--replicaof', `127.0.0.1 ${server.port}`])
    await flushing
    await sink.close()
    await using reading = disposable(await openReader({ isCluster: false }, replica.url))
    expect(String(await reading.send(['HGET', 'people:4', 'name']))).toBe('twice')
  })

  describe('whose user', () => {
    const userUrl = (user: string, password: string): string =>
      server.url.replace('redis://', `redis://${user}:${password}@`)

    test('has another password, is told so without it', async () => {
      await send('ACL', 'SETUSER', 'writer', 'on', '>right', '~people:*', '+@all')
      const opening = createSink({ table: ddlOf(userUrl('writer', 'wrongsecret')) })
      await expect(opening).rejects.toMatchObject({ code: 'STORE_AUTH' })
      await expect(opening).rejects.not.toThrow(/wrongsecret/)
    })

    test('lacks rights, is told by check which, and by the flush that one is missing', async () => {
      await send(
        'ACL',
        'SETUSER',
        'reader',
        'reset',
        'on',
        '>right',
        '~people:*',
        '+@read',
        '+@connection',
        '+info',
        '+acl',
      )
      const [domain] = await planTables({ tables: ddlOf(userUrl('reader', 'right')) })
      const { plan } = must(domain, 'one domain')
      const context = { plan, tables: plan.tables, client: undefined, lanes: 1, inFlightPerLane: 1 }
      const findings = await redis.check({ ...context, signal: new AbortController().signal })
      const missing = findings.find(({ subject }) => subject === 'user reader')
      expect(missing).toMatchObject({ severity: 'error', message: expect.stringContaining('HSET') })
      expect(missing?.fix).toMatch(/^ACL SETUSER reader ~people:\* .*\+evalsha/)
      const { sink } = await startWriting(userUrl('reader', 'right'))
      await sink.write({ kind: '+U', row: { id: 5, name: 'x' } })
      await expect(sink.flush()).rejects.toMatchObject({ code: 'STORE_AUTH' })
      await expect(sink.close()).rejects.toMatchObject({ code: 'STORE_AUTH' })
      // what check has printed is enough
      await send(...must(missing?.fix, 'a fix').replace('ACL ', 'ACL ').split(' '))
      const mended = await startWriting(userUrl('reader', 'right'))
      await mended.sink.write({ kind: '+U', row: { id: 5, name: 'mended' } })
      await mended.sink.close()
      expect(await send('HGET', 'people:5', 'name')).toBe('mended')
    })
  })
})

function disposable(reader: RedisReader): RedisReader & AsyncDisposable {
  return { ...reader, [Symbol.asyncDispose]: () => reader.close() }
}

describeStore('redis-cluster', 'a sink whose cluster changes', () => {
  let cluster: RedisCluster
  beforeAll(async () => {
    cluster = await startRedisCluster('redis')
  })
  afterAll(() => cluster?.stop())
  const send = async (node: RedisServer, ...args: string[]): Promise<unknown> =>
    await onRedis(node.url, async (client) => await client.sendCommand(args))

  test('R2 MOVED, ASK: slots that go to another node while rows are written lose none', async () => {
    const [from, to] = cluster.nodes as [RedisServer, RedisServer]
    const ids = Array.from({ length: 60 }, (_, id) => id)
    const { sink } = await startWriting(cluster.url, ", 'mode' = 'cluster'")
    const writeAll = async (name: string): Promise<void> => {
      for (const id of ids) await sink.write({ kind: '+U', row: { id, name } })
      await sink.flush()
    }
    await writeAll('first')
    const fromId = String(await send(from, 'CLUSTER', 'MYID'))
    const toId = String(await send(to, 'CLUSTER', 'MYID'))
    const slots = new Set<string>()
    for (const id of ids) slots.add(String(await send(from, 'CLUSTER', 'KEYSLOT', `people:${id}`)))
    const moving = [...slots].filter((slot) => Number(slot) <= 5460).slice(0, 8)
    expect(moving.length).toBeGreaterThan(3)
    for (const [at, slot] of moving.entries()) {
      await send(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId)
      await send(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId)
      // in the middle of the way, and behind it
      if (at % 2 === 0) await writeAll(`migrating ${slot}`)
      const keys = (await send(from, 'CLUSTER', 'GETKEYSINSLOT', slot, '100')) as string[]
      const writing = writeAll(`moved ${slot}`)
      if (keys.length > 0) {
        await send(from, 'MIGRATE', '127.0.0.1', String(to.port), '', '0', '5000', 'REPLACE', 'KEYS', ...keys)
      }
      await writing
      for (const node of [to, from, cluster.nodes[2] as RedisServer]) {
        await send(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', toId)
      }
    }
    await writeAll('last')
    await sink.close()
    await using reader = disposable(await openReader({ isCluster: true }, cluster.url))
    const names = await Promise.all(ids.map((id) => reader.send(['HGET', `people:${id}`, 'name'], `people:${id}`)))
    expect(names.map(String)).toEqual(ids.map(() => 'last'))
  })

  test('R2 CLUSTERDOWN: a node that is gone is waited for', async () => {
    const lost = cluster.nodes[2] as RedisServer
    const { sink, retries } = await startWriting(cluster.url, ", 'mode' = 'cluster', 'command-timeout' = '2s'")
    await sink.write({ kind: '+U', row: { id: 1, name: 'before' } })
    await sink.flush()
    await lost.kill()
    for (let id = 0; id < 30; id++) await sink.write({ kind: '+U', row: { id, name: 'after' } })
    const flushing = sink.flush()
    await until(() => retries.length > 1)
    await lost.restart()
    await flushing
    await sink.close()
    await using reader = disposable(await openReader({ isCluster: true }, cluster.url))
    const name = await reader.send(['HGET', 'people:1', 'name'], 'people:1')
    expect(String(name)).toBe('after')
  })
})
