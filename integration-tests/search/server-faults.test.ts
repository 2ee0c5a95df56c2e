import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { type SearchServer, startSearchServer } from '../services/search/search-server.ts'
import { startTcpProxy } from '../services/tcp-proxy.ts'
import { describeStore } from '../stores.ts'
import { TestIndices, writeAll } from './test-index.ts'

const columns = 'id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED'
const patient = {
  'sequence.field': 's',
  'sink.max-retries': '60',
  'sink.retry.interval': '100ms',
  'sink.retry.max-interval': '1s',
}

/** With nodes of their own, which are killed and kept short. */
for (const name of ['elasticsearch-9', 'opensearch-3'] as const) {
  describeStore(name, 'a server that fails', () => {
    const connector = name === 'elasticsearch-9' ? 'elasticsearch' : 'opensearch'
    let node: SearchServer | undefined
    const server = {
      connector,
      get url() {
        return must(node, 'within a test').url
      },
    } as const
    beforeAll(async () => {
      node = await startSearchServer(name, {
        'http.max_content_length': '1mb',
        'thread_pool.write.size': '1',
        'thread_pool.write.queue_size': '1',
      })
    })
    // hooks run from the last to the first: the indices go before their server
    afterAll(async () => await node?.stop())
    const indices = new TestIndices(server)

    const versions = (count: number, s: bigint): Change[] =>
      Array.from({ length: count }, (_, id) => ({ kind: '+U', row: { id, v: `v${s}`, s } }))

    test('R1 a server that is killed in the middle of a flush loses nothing that was durable, and the rest is sent again', async () => {
      const table = indices.ddl('killed', columns, { ...patient, 'sink.buffer-flush.max-rows': '50' })
      const sink = await createSink({ table })
      const writing = (async () => {
        for (const change of [...versions(300, 1n), ...versions(300, 2n), ...versions(300, 0n)])
          await sink.write(change)
        await sink.close()
      })()
      writing.catch(() => {})
      must(node, 'it runs').kill()
      await must(node, 'it runs').restart()
      await writing
      expect(await indices.rows('killed')).toEqual(Array.from({ length: 300 }, (_, id) => ({ id, v: 'v2', s: 2 })))
    })

    test('G2 a deleted row stays deleted when the server restarts', async () => {
      const table = indices.ddl('restarted', columns, patient)
      await writeAll(table, [
        { kind: '+I', row: { id: 1, v: 'a', s: 5n } },
        { kind: '-D', row: { id: 1, v: 'a', s: 6n } },
      ])
      await must(node, 'it runs').restart()
      const { account } = await writeAll(table, versions(2, 5n))
      expect(account).toMatchObject({ written: 1, stale: 1 })
      expect((await indices.rows('restarted')).map(({ id }) => id)).toEqual([0])
    })

    test('R2 writes that the server turns away for a full queue are sent again, item by item', async () => {
      const table = indices.ddl('throttled', columns, {
        ...patient,
        'sink.buffer-flush.max-rows': '20',
        'sink.parallelism': '8',
      })
      const sinks = await Promise.all(Array.from({ length: 4 }, () => createSink({ table })))
      await Promise.all(
        sinks.map(async (sink, writer) => {
          for (const change of versions(400, BigInt(writer))) await sink.write(change)
          await sink.close()
        }),
      )
      expect(await indices.rows('throttled')).toEqual(Array.from({ length: 400 }, (_, id) => ({ id, v: 'v3', s: 3 })))
    })

    test('R3 a request that is too large is halved, and a document that is too large by itself is rejected', async () => {
      const table = indices.ddl('large', columns, { 'bulk.max-bytes': '16mb', 'sink.failure-handler': 'skip' })
      const rows = [300_000, 300_000, 1_200_000, 300_000, 300_000, 300_000]
      const { account } = await writeAll(
        table,
        rows.map((length, id) => ({ kind: '+I', row: { id, v: 'x'.repeat(length), s: 1n } })),
      )
      expect(account).toMatchObject({ written: 5, rejected: 1 })
      expect((await indices.rows('large')).map(({ id }) => id)).toEqual([0, 1, 3, 4, 5])
    })

    test('R2 an answer that is lost, a reset and a connection that hangs leave the same rows', async () => {
      await using proxy = await startTcpProxy(Number(new URL(server.url).port))
      const hosts = proxy.via(server.url)
      const table = indices.ddl('severed', columns, { ...patient, hosts, 'request-timeout': '2s' })
      const sink = await createSink({ table })
      const faults = [
        () => proxy.loseAnswer('POST /_bulk', 'HTTP/1.1 200'),
        () => proxy.resetBefore('POST /_bulk'),
        () => proxy.freezeBefore('POST /_bulk'),
      ]
      for (const [round, fault] of faults.entries()) {
        const done = fault()
        for (const change of versions(20, BigInt(round))) await sink.write(change)
        await sink.flush()
        await done
        proxy.thaw()
      }
      await sink.close()
      expect(await indices.rows('severed')).toEqual(Array.from({ length: 20 }, (_, id) => ({ id, v: 'v2', s: 2 })))
    })

    test('R2 after a lost answer a sum is not sent again, and says so', async () => {
      await using proxy = await startTcpProxy(Number(new URL(server.url).port))
      const table = indices.ddl('summed', 'id INT, n INT, PRIMARY KEY (id) NOT ENFORCED', {
        hosts: proxy.via(server.url),
        'merge-engine': 'aggregation',
        'fields.n.aggregate-function': 'sum',
        'sink.accept-duplicates': 'true',
      })
      const sink = await createSink({ table })
      const lost = proxy.loseAnswer('POST /_bulk', 'HTTP/1.1 200')
      await sink.write({ kind: '+I', row: { id: 1, n: 3 } })
      await expect(sink.close()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
      await lost
      expect(await indices.rows('summed')).toEqual([{ id: 1, n: 3 }])
    })
  })
}
