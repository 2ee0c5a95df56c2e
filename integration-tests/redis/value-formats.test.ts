import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { createRedisDatabase, openReader, type RedisReader } from '../services/redis-database.ts'
import { describeStore } from '../stores.ts'

for (const store of ['redis', 'valkey'] as const) {
  describeStore(store, 'what a key holds', ({ redis: server }) => {
    if (server === undefined) return
    let database: Awaited<ReturnType<typeof createRedisDatabase>>
    let reader: RedisReader
    beforeAll(async () => {
      database = await createRedisDatabase(server)
      reader = await openReader(server, database.url)
    })
    afterAll(async () => {
      await reader.close()
      await database[Symbol.asyncDispose]()
    })

    const ask = async (...args: string[]): Promise<unknown> => {
      const reply = await reader.send(args)
      return Array.isArray(reply) ? reply.map(plain) : plain(reply)
    }
    const ddlOf = (body: string, options: string): string =>
      `CREATE TABLE ${body} WITH ('connector' = 'redis', 'url' = '${database.url}', 'sink.buffer-flush.interval' = '0', ${options})`
    const write = async (body: string, options: string, changes: readonly Change[], each = true): Promise<void> => {
      const sink = await createSink({ table: ddlOf(body, options) })
      for (const change of changes) {
        await sink.write(change)
        if (each) await sink.flush()
      }
      await sink.close()
    }

    test('a counter is a string, and sums count past 2^53', async () => {
      const body = 'hits (page STRING, n BIGINT NOT NULL, PRIMARY KEY (page) NOT ENFORCED)'
      const options = `'value.format' = 'string', 'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum',
        'sink.accept-duplicates' = 'true', 'source.changelog-mode' = 'insert-only'`
      await write(body, options, [
        { kind: '+I', row: { page: 'a b', n: '9007199254740993' } },
        { kind: '+I', row: { page: 'a b', n: 1 } },
        { kind: '+I', row: { page: '/', n: 3 } },
      ])
      expect(await ask('GET', 'hits:a%20b')).toBe('9007199254740994')
      expect(await ask('TYPE', 'hits:%2F')).toBe('string')
    })

    test('a row is one JSON text, with long numbers as they are', async () => {
      const body = 'docs (id INT, n BIGINT, d DECIMAL(20, 2), t STRING, PRIMARY KEY (id) NOT ENFORCED)'
      await write(body, `'value.format' = 'json', 'source.changelog-mode' = 'upsert'`, [
        { kind: '+U', row: { id: 1, n: '9007199254740993', d: '1.50', t: null } },
      ])
      expect(JSON.parse(String(await ask('GET', 'docs:1')))).toEqual({
        ...{ id: 1, n: '9007199254740993', d: '1.50', t: null },
      })
    })

    test('a leaderboard is a sorted set, whose members keep their highest score', async () => {
      const body = 'board (game STRING, player STRING, score DOUBLE NOT NULL, PRIMARY KEY (game, player) NOT ENFORCED)'
      const options = `'value.format' = 'sorted-set', 'key' = 'board:<game>', 'merge-engine' = 'aggregation',
        'fields.score.aggregate-function' = 'max', 'source.changelog-mode' = 'insert-only'`
      await write(body, options, [
        { kind: '+I', row: { game: 'chess', player: 'ada', score: 10.5 } },
        { kind: '+I', row: { game: 'chess', player: 'lin', score: 20 } },
        { kind: '+I', row: { game: 'chess', player: 'ada', score: 30 } },
        { kind: '+I', row: { game: 'chess', player: 'lin', score: 15 } },
        { kind: '+I', row: { game: 'go', player: 'ada', score: 1 } },
      ])
      expect(await ask('ZREVRANGE', 'board:chess', '0', '-1')).toEqual(['ada', 'lin'])
      expect(Number(await ask('ZSCORE', 'board:chess', 'ada'))).toBe(30)
      expect(Number(await ask('ZSCORE', 'board:chess', 'lin'))).toBe(20)
      expect(await ask('ZCARD', 'board:go')).toBe(1)
    })

    test('members go and scores are replaced, where rows are', async () => {
      const body = 'ranks (player STRING, score INT NOT NULL, PRIMARY KEY (player) NOT ENFORCED)'
      await write(body, `'value.format' = 'sorted-set', 'key' = 'ranks', 'source.changelog-mode' = 'upsert'`, [
        { kind: '+I', row: { player: 'ada', score: 10 } },
        { kind: '+I', row: { player: 'lin', score: 5 } },
        { kind: '+U', row: { player: 'ada', score: 3 } },
        { kind: '-D', row: { player: 'lin', score: 5 } },
      ])
      expect(await ask('ZRANGE', 'ranks', '0', '-1')).toEqual(['ada'])
      expect(Number(await ask('ZSCORE', 'ranks', 'ada'))).toBe(3)
    })

    test.each([
      ['a score that is text', 's STRING NOT NULL', "'value.format' = 'sorted-set', 'key' = 'x'", 's'],
      ['a value that may be NULL', 's INT', "'value.format' = 'string'", 's'],
      ['a second column', 's INT NOT NULL, u INT', "'value.format' = 'string'", 'columns'],
      [
        'a member that does not expire',
        's INT NOT NULL',
        "'value.format' = 'sorted-set', 'key' = 'x', 'row.ttl' = '1h'",
        'row.ttl',
      ],
    ])('%s is refused by name', async (_title, columns, options, subject) => {
      const opening = createSink({ table: ddlOf(`x (id INT, ${columns}, PRIMARY KEY (id) NOT ENFORCED)`, options) })
      await expect(opening).rejects.toMatchObject({
        problems: expect.arrayContaining([expect.objectContaining({ subject })]),
      })
    })

    test('a score past 2^53 is rejected, since a double would change it', async () => {
      const body = 'exact (player STRING, score BIGINT NOT NULL, PRIMARY KEY (player) NOT ENFORCED)'
      const options = `'value.format' = 'sorted-set', 'key' = 'exact', 'source.changelog-mode' = 'upsert'`
      const writing = write(body, options, [{ kind: '+I', row: { player: 'ada', score: '9007199254740993' } }])
      await expect(writing).rejects.toMatchObject({ code: 'ROW_REJECTED' })
      expect(await ask('EXISTS', 'exact')).toBe(0)
    })

    test('G2 a row lives row.ttl after its last change, and a tombstone its retention', async () => {
      const body = 'lives (id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED)'
      const options = `'sequence.field' = 's', 'sink.tombstone.retention' = '800ms', 'row.ttl' = '1h'`
      await write(body, options, [
        { kind: '+I', row: { id: 1, v: 'a', s: 1 } },
        { kind: '+I', row: { id: 2, v: 'b', s: 1 } },
        { kind: '-D', row: { id: 2, v: 'b', s: 2 } },
        // older than the deletion
        { kind: '+U', row: { id: 2, v: 'late', s: 1 } },
      ])
      const life = Number(await ask('PTTL', 'lives:1'))
      expect(life).toBeGreaterThan(3_500_000)
      expect(life).toBeLessThanOrEqual(3_600_000)
      expect(await ask('HGET', 'lives:2', '__tidegate_deleted')).toBe('true')
      await delay(1000)
      expect(await ask('EXISTS', 'lives:2')).toBe(0)
      expect(await ask('EXISTS', 'lives:1')).toBe(1)
    })
  })
}

function plain(reply: unknown): unknown {
  return Buffer.isBuffer(reply) ? reply.toString('utf8') : reply
}
