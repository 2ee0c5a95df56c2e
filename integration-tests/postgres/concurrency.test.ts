import { expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachPostgres } from '../stores.ts'
import { useDatabase } from './test-database.ts'

const small = {
  'sink.buffer-flush.max-rows': '40',
  'sink.create-table': 'if-not-exists',
  'source.changelog-mode': 'unknown',
}

describeEachPostgres('several writers of the same keys', (server) => {
  const database = useDatabase(server)

  /** Each writer is a sink of its own with its own connections; all write at the same time. */
  async function writeTogether(table: string, streams: readonly (readonly Change[])[]): Promise<void> {
    await Promise.all(
      streams.map(async (changes) => {
        const sink = await createSink({ table })
        for (const change of changes) await sink.write(change)
        await sink.close()
      }),
    )
  }

  function shuffled<T>(items: readonly T[], seed: number): T[] {
    let state = seed
    const copy = [...items]
    for (let at = copy.length - 1; at > 0; at--) {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
      const other = state % (at + 1)
      ;[copy[at], copy[other]] = [copy[other] as T, copy[at] as T]
    }
    return copy
  }

  const keys = Array.from({ length: 150 }, (_, id) => id)

  test('G1 a gate leaves the newest version of every key, whoever wrote it, deletes included', async () => {
    const table = sinkTable(database.url, 'gated', 'id INT, s INT, v STRING, PRIMARY KEY (id) NOT ENFORCED', {
      ...small,
      'sequence.field': 's',
      'sink.parallelism': '2',
    })
    const versions = keys.flatMap((id) =>
      Array.from({ length: 12 }, (_, s): Change => {
        const kind = (id + s) % 5 === 0 ? '-D' : '+U'
        return { kind, row: { id, s, v: `v${s}` } }
      }),
    )
    await writeTogether(table, [shuffled(versions, 1), shuffled(versions, 2), shuffled(versions, 3)])
    const expected = keys.filter((id) => (id + 11) % 5 !== 0).map((id) => ({ id: String(id), s: '11', v: 'v11' }))
    expect(await database.rows('SELECT * FROM gated_live ORDER BY id')).toEqual(expected)
  })

  test('G3 producers of different sequence groups fill the same new rows at the same time', async () => {
    const table = sinkTable(
      database.url,
      'joined',
      'id INT, a STRING, sa INT, b STRING, sb INT, PRIMARY KEY (id) NOT ENFORCED',
      {
        ...small,
        'merge-engine': 'partial-update',
        'fields.sa.sequence-group': 'a',
        'fields.sb.sequence-group': 'b',
        'sink.max-retries': '20',
        'sink.retry.interval': '10ms',
      },
    )
    const left = keys.flatMap((id) => [3, 1, 2].map((sa): Change => ({ kind: '+U', row: { id, sa, a: `a${sa}` } })))
    const right = keys.flatMap((id) => [1, 3, 2].map((sb): Change => ({ kind: '+U', row: { id, sb, b: `b${sb}` } })))
    await writeTogether(table, [left, shuffled(right, 5), shuffled(left, 7), right])
    expect(await database.rows('SELECT a, b, count(*) FROM joined GROUP BY a, b')).toEqual([
      { a: 'a3', b: 'b3', count: String(keys.length) },
    ])
  })

  test('A1 sums of several writers lose and double nothing, retracts included', async () => {
    const table = sinkTable(database.url, 'summed', 'id INT, n BIGINT, mx INT, PRIMARY KEY (id) NOT ENFORCED', {
      ...small,
      'merge-engine': 'aggregation',
      'fields.n.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
      'sink.max-retries': '20',
      'sink.retry.interval': '10ms',
    })
    const stream = (seed: number): Change[] =>
      shuffled(
        keys.flatMap((id) =>
          Array.from(
            { length: 10 },
            (_, n): Change => ({ kind: n % 4 === 3 ? '-U' : '+I', row: { id, n: BigInt(n), mx: n } }),
          ),
        ),
        seed,
      )
    await writeTogether(table, [stream(1), stream(2), stream(3)])
    // of 0 to 9 the 3 and the 7 are taken back: 45 - 2 * 10, by three writers
    expect(await database.rows('SELECT n, mx, count(*) FROM summed_live GROUP BY n, mx')).toEqual([
      { n: '75', mx: '9', count: String(keys.length) },
    ])
  })

  test('R2 hard deletes and upserts of the same keys in any order end without a failure', async () => {
    const table = sinkTable(database.url, 'contended', 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED', {
      ...small,
      'sink.max-retries': '20',
      'sink.retry.interval': '10ms',
    })
    const stream = (seed: number): Change[] => [
      ...shuffled(
        keys.flatMap((id): Change[] => [
          { kind: '+U', row: { id, v: 'x' } },
          { kind: '-D', row: { id, v: 'x' } },
        ]),
        seed,
      ),
      ...keys.map((id): Change => ({ kind: '+U', row: { id, v: 'last' } })),
    ]
    await writeTogether(table, [stream(11), stream(12), stream(13)])
    expect(await database.rows('SELECT v, count(*) FROM contended GROUP BY v')).toMatchObject([{ v: 'last' }])
  })
})
