import { createReadStream, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PGlite } from '@electric-sql/pglite'
import { expect, test } from 'vitest'
import { decode } from '../src/format/decode.ts'
import { createSinks } from '../src/sink/create-sink.ts'

const demo = join(import.meta.dirname, '..', 'demo')

test('B4 the recorded changelog of the demo ends in the state of the bank that it was recorded from', async () => {
  const pglite = await PGlite.create()
  const sink = await createSinks({ tables: readFileSync(join(demo, 'pgbench.sql'), 'utf8'), client: pglite })
  await pipeline(createReadStream(join(demo, 'pgbench.ndjson.gz')), decode(), sink.writable())
  const { rows } = await pglite.query(`
    select (select count(*)::int from pgbench_accounts) as accounts, (select count(*)::int from pgbench_tellers) as tellers,
      (select count(*)::int from pgbench_branches) as branches, (select count(*)::int from pgbench_history) as history,
      (select sum(abalance) from pgbench_accounts) as by_accounts, (select sum(tbalance) from pgbench_tellers) as by_tellers,
      (select sum(bbalance) from pgbench_branches) as by_branches, (select sum(delta) from pgbench_history) as by_history,
      (select count(*)::int from pgbench_accounts a
        where abalance <> coalesce((select sum(delta) from pgbench_history h where h.aid = a.aid), 0)) as wrong`)
  await pglite.close()
  expect(rows[0]).toMatchObject({ accounts: 1000, tellers: 10, branches: 1, history: 2000, wrong: 0 })
  const { by_accounts, by_tellers, by_branches, by_history } = rows[0] as Record<string, string>
  expect(new Set([by_accounts, by_tellers, by_branches, by_history]).size).toBe(1)
})
