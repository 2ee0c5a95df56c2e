import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { decode } from '../../src/format/decode.ts'
import { createSinks } from '../../src/sink/create-sink.ts'
import { describeEachSearch } from '../stores.ts'
import { TestIndices } from './test-index.ts'

const recording = join(import.meta.dirname, '..', '..', 'demo', 'pgbench.ndjson.gz')
const filler = 'filler STRING'

describeEachSearch('the recorded changelog of pgbench', (server) => {
  const indices = new TestIndices(server)

  test('B4 ends in the state of the bank that it was recorded from', async () => {
    const pgoutput = { format: 'pgoutput' }
    const tables = [
      indices.ddl('pgbench_branches', `bid INT, bbalance INT, ${filler}, PRIMARY KEY (bid) NOT ENFORCED`, pgoutput),
      indices.ddl(
        'pgbench_tellers',
        `tid INT, bid INT, tbalance INT, ${filler}, PRIMARY KEY (tid) NOT ENFORCED`,
        pgoutput,
      ),
      indices.ddl(
        'pgbench_accounts',
        `aid INT, bid INT, abalance INT, ${filler}, PRIMARY KEY (aid) NOT ENFORCED`,
        pgoutput,
      ),
      indices.ddl('pgbench_history', `tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP(6), ${filler}`, {
        ...pgoutput,
        'source.changelog-mode': 'insert-only',
        'sink.accept-duplicates': 'true',
      }),
    ]
    const sink = await createSinks({ tables: tables.join(';\n') })
    await pipeline(createReadStream(recording), decode(), sink.writable())

    const [branches, tellers, accounts, history] = await Promise.all(
      ['pgbench_branches', 'pgbench_tellers', 'pgbench_accounts', 'pgbench_history'].map((name) => indices.rows(name)),
    )
    expect([branches?.length, tellers?.length, accounts?.length, history?.length]).toEqual([1, 10, 1000, 2000])
    const total = sumOf(history, 'delta')
    expect([sumOf(branches, 'bbalance'), sumOf(tellers, 'tbalance'), sumOf(accounts, 'abalance')]).toEqual([
      total,
      total,
      total,
    ])
    const wrong = (accounts ?? []).filter(
      ({ aid, abalance }) =>
        abalance !==
        sumOf(
          history?.filter((row) => row['aid'] === aid),
          'delta',
        ),
    )
    expect(wrong).toEqual([])
  })
})

function sumOf(rows: readonly Record<string, unknown>[] | undefined, column: string): number {
  return (rows ?? []).reduce((sum, row) => sum + Number(row[column]), 0)
}
