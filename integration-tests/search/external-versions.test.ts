import { expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { askBulk } from '../services/search/search-server.ts'
import { describeEachSearch } from '../stores.ts'
import { TestIndices, writeAll } from './test-index.ts'

const columns = 'id INT, v STRING, s BIGINT NOT NULL, PRIMARY KEY (id) NOT ENFORCED'
const options = {
  versioning: 'external',
  'sequence.field': 's',
  'source.changelog-mode': 'upsert',
  'sink.delete.without-sequence': 'error',
}

describeEachSearch('external versions', (server) => {
  const indices = new TestIndices(server)
  const newest = 9_007_199_254_741_000n

  test('G1 two writers of the same keys in opposite orders leave the newest version of each, beyond 2^53 too', async () => {
    const versions = Array.from({ length: 30 }, (_, id) => id).flatMap((id) =>
      [7n, 3n, 9n, 1n, 5n].map((back, place): Change => {
        const kind = id % 3 === 0 && back === 1n ? '-D' : '+U'
        return { kind, row: { id, v: `v${place}`, s: newest - back } }
      }),
    )
    const table = indices.ddl('gated', columns, { ...options, 'sink.buffer-flush.max-rows': '7' })
    await Promise.all([writeAll(table, versions), writeAll(table, versions.toReversed())])
    const rows = await indices.rows('gated')
    expect(rows).toEqual(
      Array.from({ length: 30 }, (_, id) => ({ id, v: 'v3', s: newest - 1n })).filter(({ id }) => id % 3 !== 0),
    )
  })

  test('R4 what the server drops as older is counted as stale', async () => {
    const table = indices.ddl('counted', columns, options)
    const change = (id: number, s: bigint, kind: Change['kind'] = '+U'): Change => ({ kind, row: { id, v: 'x', s } })
    await writeAll(table, [change(1, 5n), change(2, 5n), change(3, 5n)])
    const { account } = await writeAll(table, [change(1, 4n), change(2, 5n), change(3, 4n, '-D'), change(4, 1n)])
    expect(account).toMatchObject({ accepted: 4, written: 2, stale: 2 })
  })

  test('R3 a version out of range and a change that lacks columns are rejected alone, before anything is sent', async () => {
    const table = indices.ddl('range', columns, { ...options, 'sink.failure-handler': 'skip' })
    const { account } = await writeAll(table, [
      { kind: '+I', row: { id: 1, v: 'kept', s: 0n } },
      { kind: '+I', row: { id: 2, v: 'negative', s: -1n } },
      { kind: '+I', row: { id: 3, v: 'highest', s: 9_223_372_036_854_775_807n } },
      { kind: '+U', row: { id: 1, s: 7n } },
    ])
    expect(account.rejected).toBe(2)
    expect(await indices.rows('range')).toEqual([
      { id: 1, v: 'kept', s: 0 },
      { id: 3, v: 'highest', s: 9_223_372_036_854_775_807n },
    ])
  })

  test('G2 plain deletes are for whoever asks for them, and a delete of an unknown id is a success', async () => {
    const hard = { ...options, 'sink.delete.mode': 'hard', 'sink.tombstone.retention': '0' }
    const table = indices.ddl('plain', columns, hard)
    const { account } = await writeAll(table, [
      { kind: '+I', row: { id: 1, v: 'a', s: 1n } },
      { kind: '-D', row: { id: 2, v: 'b', s: 4n } },
      { kind: '-D', row: { id: 1, v: 'a', s: 2n } },
    ])
    expect(account).toMatchObject({ rejected: 0, stale: 0 })
    expect(await indices.rows('plain')).toEqual([])
  })

  test('G7 a plan that versions cannot keep is refused with every reason', async () => {
    const table = indices.ddl('refused', 'id INT, v STRING, s STRING, PRIMARY KEY (id) NOT ENFORCED', {
      versioning: 'external',
      'sequence.field': 's',
      'source.changelog-mode': 'retract',
    })
    await expect(createSink({ table })).rejects.toMatchObject({
      code: 'PLAN_REFUSED',
      problems: [
        { subject: 'versioning' },
        { subject: 'versioning' },
        { subject: 'sink.delete.without-sequence' },
        { subject: 'sink.ignore.update-before' },
      ],
    })
  })

  test('G1 an index is versioned in one way: another is refused, and so are documents written in another', async () => {
    await writeAll(indices.ddl('internal', columns, { 'sequence.field': 's' }), [])
    await expect(createSink({ table: indices.ddl('internal', columns, options) })).rejects.toThrow(
      /has internal versions/,
    )
    await writeAll(indices.ddl('foreign', columns, options), [])
    await askBulk(
      server.url,
      [{ index: { _index: indices.name('foreign'), _id: '1' } }, { id: 1, v: 'x', s: 77 }],
      '?refresh=true',
    )
    await expect(createSink({ table: indices.ddl('foreign', columns, options) })).rejects.toThrow(/not their s/)
  })
})
