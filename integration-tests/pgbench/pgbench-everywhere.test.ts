import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { compareOffsets } from '../../src/changelog/position.ts'
import { decode } from '../../src/format/decode.ts'
import { compareCodePoints } from '../../src/row/value.ts'
import { createSinks } from '../../src/sink/create-sink.ts'
import type { FlushReport } from '../../src/sink/sink.ts'
import { createSlot, startReplication } from '../services/logical-replication.ts'
import { createDatabase, type PostgresDatabase } from '../services/postgres-database.ts'
import { describeStore } from '../stores.ts'
import { BankTarget, bankLine, canBeBank } from './bank-target.ts'
import {
  fillSmallBank,
  makeEmptyBank,
  onDatabase,
  type PgbenchTable,
  pgbenchTableNames,
  runSmallLoad,
} from './pgbench.ts'

const slot = 'everywhere'
const load = { accountCount: 1000, transactionCount: 1000, clients: 4 }

describeStore('postgres-machine', "pgbench's live changelog into all stores by one sink", ({ postgres: access }) => {
  if (access === undefined) return
  const stores = inject('stores').filter(canBeBank)
  const targets: BankTarget[] = []
  const flushed = new Set<string>()
  let source: PostgresDatabase
  let report: FlushReport
  let lastCommit: string | undefined

  beforeAll(async () => {
    source = await createDatabase(access)
    await makeEmptyBank(source.url)
    await onDatabase(source.url, (client) =>
      client.query(`create publication ${slot} for table ${pgbenchTableNames.join(', ')}`),
    )
    await createSlot(source.url, slot, async () => {})
    await fillSmallBank(source.url, load.accountCount)
    for (const [index, status] of stores.entries())
      targets.push(await BankTarget.create(status, `all${process.pid}_${index}`))

    const sink = await createSinks({
      tables: targets.map(({ ddl }) => ddl).join('\n'),
      onEvent: (event) => {
        if (event.type === 'flush') flushed.add(event.connector)
      },
    })
    const decoded = decode('pgoutput')
    const written = pipeline(decoded, sink.writable())
    const replication = startReplication({ url: source.url, slot, publication: slot, into: decoded })
    const loading = runSmallLoad(source.url, load)
    const arrived = async (): Promise<void> => {
      await loading
      while (replication.commitCount < load.transactionCount + 1) await delay(20)
    }
    await Promise.race([arrived(), replication.failed, written])
    decoded.end()
    await written
    report = await sink.close()
    lastCommit = replication.lastCommit
    await replication.stop()
  }, 180_000)

  afterAll(async () => {
    for (const target of targets) await target.drop()
    await source?.drop()
  })

  describe.each(stores.map(({ name }, index) => [name, index] as const))('%s', (_name, index) => {
    test.each(pgbenchTableNames)('B4 %s equals its source', async (table) => {
      const [here, there] = [await targets[index]?.lines(table), await sourceLines(source.url, table)]
      expect(there.length).toBeGreaterThan(0)
      expect(here?.length).toBe(there.length)
      expect(here?.filter((line, at) => line !== there[at]).slice(0, 5)).toEqual([])
    })
  })

  test('R1 the position is that of the last commit, once every store has it', () => {
    const [position, ...others] = report.positions.values()
    expect(others).toEqual([])
    expect(compareOffsets(position ?? '', lastCommit ?? '')).toBe(0)
    expect(flushed).toContain('postgres')
  })

  test('R4 each change counts once a store, and the account closes', () => {
    const { accepted, written, folded, stale, ignored, rejected } = report.account
    expect(accepted).toBe(written + folded + stale + ignored + rejected)
    expect(accepted % stores.length).toBe(0)
    expect(rejected).toBe(0)
  })
})

async function sourceLines(url: string, table: PgbenchTable): Promise<readonly string[]> {
  return await onDatabase(url, async (client) => {
    const columns = await client.query<{ name: string }>(
      `select attname as name from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 order by attnum`,
    )
    const list = columns.rows.map(({ name }) => `${name}::text`).join(', ')
    const { rows } = await client.query<string[]>({ text: `select ${list} from ${table}`, rowMode: 'array' })
    return rows.map(bankLine).sort(compareCodePoints)
  })
}
