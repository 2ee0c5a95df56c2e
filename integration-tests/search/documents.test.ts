import { Client as Elasticsearch9 } from '@elastic/elasticsearch'
import { Client as OpenSearch3 } from '@opensearch-project/opensearch'
import { Client as Elasticsearch8 } from 'elasticsearch-8'
import { expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { describeEachSearch } from '../stores.ts'
import { TestIndices, writeAll } from './test-index.ts'

const columns = 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED'

describeEachSearch('documents', (server) => {
  const indices = new TestIndices(server)

  test('C1 clients of each major version can be handed in, and are not closed', async () => {
    const node = server.url
    const clients =
      server.connector === 'opensearch'
        ? [new OpenSearch3({ node })]
        : [new Elasticsearch9({ node }), new Elasticsearch8({ node })]
    for (const [place, client] of clients.entries()) {
      const name = `client-${place}`
      const table = indices.ddl(name, columns)
      await writeAll(table, [{ kind: '+I', row: { id: 1, v: 'a' } }], { client })
      await writeAll(table, [{ kind: '+U', row: { id: 1, v: 'b' } }], { client })
      expect(await indices.rows(name)).toEqual([{ id: 1, v: 'b' }])
      await client.close()
    }
  })

  test('C1 the other product is refused by name', async () => {
    const other = server.connector === 'opensearch' ? 'elasticsearch' : 'opensearch'
    const table = indices.ddl('other', columns, { connector: other })
    await expect(createSink({ table })).rejects.toMatchObject({
      code: 'STORE_MISMATCH',
      hint: `use 'connector' = '${server.connector}'`,
    })
  })

  test("K1 Flink's names of connector and options are taken", async () => {
    const connector = server.connector === 'opensearch' ? 'opensearch-2' : 'elasticsearch-7'
    const table = indices.ddl('flink', 'a STRING, b STRING, id INT, PRIMARY KEY (a, b) NOT ENFORCED', {
      connector,
      'document-id.key-delimiter': '_',
      'sink.bulk-flush.max-actions': '2',
      'sink.bulk-flush.max-size': '2mb',
      'sink.bulk-flush.interval': '1s',
      'sink.bulk-flush.backoff.strategy': 'EXPONENTIAL',
      'connection.request-timeout': '10s',
      'connection.timeout': '10s',
      'socket.timeout': '20s',
      'document-type': '_doc',
      format: 'json',
    })
    await writeAll(table, [{ kind: '+I', row: { a: 'x', b: 'y', id: 1 } }])
    expect(JSON.parse(await indices.ask('GET', `/${indices.name('flink')}/_doc/x_y`))).toMatchObject({ found: true })
  })

  test('R3 an id over 512 bytes is rejected alone, before it would fail its whole request', async () => {
    const table = indices.ddl('ids', 'k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED', {
      'sink.failure-handler': 'skip',
    })
    const keys = ['a', 'é'.repeat(257), 'b', 'x'.repeat(512)]
    const { account } = await writeAll(
      table,
      keys.map((k, id) => ({ kind: '+I', row: { k, id } })),
    )
    expect(account).toMatchObject({ written: 3, rejected: 1 })
    expect((await indices.rows('ids')).map(({ id }) => id)).toEqual([0, 2, 3])
  })

  test('C1 rows go to indices by their key, no more of them than allowed', async () => {
    const index = indices.name('days')
    const table = indices.ddl('dynamic', 'id INT, day DATE, v STRING, PRIMARY KEY (id, day) NOT ENFORCED', {
      index: `${index}-{day|yyyy.MM}`,
      'index.max-count': '2',
      'sink.failure-handler': 'skip',
      'sequence.field': 'v',
    })
    const days = ['2026-01-31', '2026-02-01', '2026-03-01', '2026-01-01']
    const { account } = await writeAll(
      table,
      days.map((day, id) => ({ kind: '+I', row: { id, day, v: 'x' } })),
    )
    expect(account).toMatchObject({ written: 3, rejected: 1 })
    await indices.ask('POST', `/${index}-*/_refresh`)
    const found = JSON.parse(await indices.ask('GET', `/${index}_live/_search?filter_path=hits.hits._index`)) as {
      hits: { hits: { _index: string }[] }
    }
    expect(
      found.hits.hits.map(({ _index }) => _index.slice(index.length)).toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual(['-2026.01', '-2026.01', '-2026.02'])
    await indices.ask('DELETE', `/${index}-2026.01,${index}-2026.02`)
    await indices.ask('DELETE', `/_index_template/tidegate-${index}-x`)
  })

  test('C1 an index name by a column outside the key is refused', async () => {
    const table = indices.ddl('outside', columns, { index: 'x-{v}' })
    await expect(createSink({ table })).rejects.toThrow(/outside the primary key/)
  })

  test('G2 tombstones are swept once their retention is over, and not before', async () => {
    const table = indices.ddl('swept', 'id INT, s INT, PRIMARY KEY (id) NOT ENFORCED', {
      'sequence.field': 's',
      'sink.tombstone.retention': '2s',
    })
    const sink = await createSink({ table })
    for (const kind of ['+I', '-D'] as const) await sink.write({ kind, row: { id: 1, s: 5 } })
    await sink.flush()
    const count = async (): Promise<number> => {
      await indices.ask('POST', `/${indices.name('swept')}/_refresh`)
      return (JSON.parse(await indices.ask('GET', `/${indices.name('swept')}/_count`)) as { count: number }).count
    }
    expect(await count()).toBe(1)
    await expect.poll(count, { timeout: 20_000, interval: 200 }).toBe(0)
    await sink.close()
  })

  test('R2 a stored script that somebody has removed is stored again', async () => {
    const table = indices.ddl('script', 'id INT, s INT, PRIMARY KEY (id) NOT ENFORCED', { 'sequence.field': 's' })
    const sink = await createSink({ table })
    await sink.write({ kind: '+I', row: { id: 1, s: 1 } })
    await sink.flush()
    const [plan] = sink.plan.tables
    const { elasticsearch } = await import('../../adapters/elasticsearch/index.ts')
    const script =
      plan === undefined ? undefined : /tidegate-[0-9a-f]{24}/.exec(elasticsearch.statements(plan)[0]?.text ?? '')?.[0]
    await indices.ask('DELETE', `/_scripts/${script}`)
    await sink.write({ kind: '+U', row: { id: 1, s: 2 } })
    await sink.close()
    expect(await indices.rows('script')).toEqual([{ id: 1, s: 2 }])
  })
})
