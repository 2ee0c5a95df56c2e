import { expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachPostgres } from '../stores.ts'
import { useDatabase } from './test-database.ts'

const columns = 'id INT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED'
const options = {
  'merge-engine': 'aggregation',
  'fields.n.aggregate-function': 'sum',
  'sink.delivery-guarantee': 'exactly-once',
  'sink.create-table': 'if-not-exists',
  'sink.buffer-flush.max-rows': '50',
  'sink.retry.interval': '20ms',
  'sink.max-retries': '30',
  'source.changelog-mode': 'insert-only',
}

/** Each record adds 1 to one of seven rows. */
function record(offset: number): Change {
  return { kind: '+I', row: { id: offset % 7, n: 1n }, position: { partition: 'p', offset } }
}

describeEachPostgres('exactly-once', (server) => {
  const database = useDatabase(server)

  async function total(table: string): Promise<string | null | undefined> {
    return (await database.rows(`SELECT sum(n) AS n FROM ${table}`))[0]?.['n']
  }

  test('R5 what is delivered again from the durable position on counts once', async () => {
    const table = sinkTable(database.url, 'replayed', columns, { ...options, 'sink.id': 'replayed' })
    for (const [from, to] of [
      [0, 300],
      [100, 500],
      [0, 600],
    ] as const) {
      const sink = await createSink({ table })
      for (let offset = from; offset < to; offset++) await sink.write(record(offset))
      await sink.close()
    }
    expect(await total('replayed')).toBe('600')
    expect(
      await database.rows("SELECT sink_id, epoch, positions FROM tidegate_ledger WHERE sink_id = 'replayed'"),
    ).toEqual([{ sink_id: 'replayed', epoch: '3', positions: '{"p": 599}' }])
  })

  test('R5 an older writer of the same sink is shut out, and leaves nothing behind', async () => {
    const table = sinkTable(database.url, 'fenced', columns, { ...options, 'sink.id': 'fenced' })
    const older = await createSink({ table })
    await older.write(record(0))
    await older.flush()
    const newer = await createSink({ table })
    await older.write(record(1))
    await expect(older.flush()).rejects.toMatchObject({ code: 'WRITER_FENCED' })
    for (let offset = 0; offset < 10; offset++) await newer.write(record(offset))
    await newer.close()
    expect(await total('fenced')).toBe('10')
  })
})
