import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import type { SinkWriter } from '../../src/connector/connector.ts'
import { createSink, planTables } from '../../src/sink/create-sink.ts'
import { postgres } from './index.ts'

let pglite: PGlite

beforeAll(async () => {
  pglite = await PGlite.create()
}, 60_000)

afterAll(async () => {
  await pglite.close()
})

function ddl(name: string, columns: string, options = ''): string {
  return `CREATE TABLE ${name} (${columns}) WITH ('connector' = 'postgres', 'sink.create-table' = 'if-not-exists',
    'source.changelog-mode' = 'upsert'${options})`
}

async function open(tables: string, client: unknown = pglite): Promise<SinkWriter> {
  const [domain] = await planTables({ tables })
  const { plan } = must(domain, 'one domain')
  const signal = new AbortController().signal
  return await postgres.open({ plan, tables: plan.tables, client, lanes: 1, inFlightPerLane: 1, signal })
}

test('a folder of PGlite keeps its rows from one sink to the next, and is closed by whoever opened it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-'))
  const table = ddl('kept', 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED', `, 'url' = 'pglite:${folder}/db'`)
  for (const id of [1, 2]) {
    const sink = await createSink({ table })
    expect(sink.server).toMatch(/^PostgreSQL \d+\.\d+ \(PGlite\)$/)
    await sink.write({ kind: '+I', row: { id, v: 'x' } })
    await sink.close()
  }
  const writer = await open(table, null)
  expect(await writer.read?.(0, 10)).toMatchObject([{ id: 1 }, { id: 2 }])
  await writer.close()
  await writer.close()
  await rm(folder, { recursive: true })
}, 60_000)

test('G2 tombstones are unseen by readers, and swept once their time is over, by the clock of the store', async () => {
  const table = ddl(
    'swept',
    'id INT, s INT, v STRING, PRIMARY KEY (id) NOT ENFORCED',
    ", 'sequence.field' = 's', 'sink.tombstone.retention' = '1 h'",
  )
  const sink = await createSink({ table, client: pglite })
  for (const id of [1, 2, 3]) await sink.write({ kind: '+U', row: { id, s: 1, v: 'x' } })
  for (const id of [1, 2]) await sink.write({ kind: '-D', row: { id, s: 2 } })
  await sink.flush()
  await pglite.exec("UPDATE swept SET __tidegate_deleted_at = now() - interval '2 h' WHERE id = 1")
  // a second delete does not make a tombstone younger
  await sink.write({ kind: '-D', row: { id: 1, s: 3 } })
  await sink.close()
  const writer = await open(table)
  expect(await writer.read?.(0, 10)).toEqual([{ id: 3, s: 1, v: 'x' }])
  await writer.sweep?.()
  await writer.close()
  expect((await pglite.query('SELECT id FROM swept ORDER BY id')).rows).toEqual([{ id: 2 }, { id: 3 }])
  expect((await pglite.query('SELECT * FROM swept_live')).rows).toEqual([{ id: 3, s: 1, v: 'x' }])
})

test('read gives canonical values in the order of the key, up to the limit', async () => {
  const table = ddl(
    'read_back',
    'id BIGINT, d DECIMAL(20, 2), t TIMESTAMP_LTZ(3), b BYTES, a ARRAY<STRING>, m MAP<STRING, BIGINT>, j JSON, PRIMARY KEY (id) NOT ENFORCED',
  )
  const sink = await createSink({ table, client: pglite })
  const row = {
    d: '123456789012345678.90',
    t: '2024-02-29T12:00:00.5+02:00',
    b: Uint8Array.of(0, 255),
    a: ['x', null, 'NULL'],
    m: { k: 9007199254740993n },
    j: '{"n": 1e400}',
  }
  for (const id of [10n, 9n, -1n]) await sink.write({ kind: '+I', row: { id, ...row } })
  await sink.close()
  const writer = await open(table)
  const rows = must(await writer.read?.(0, 2), 'PostgreSQL can be read')
  await writer.close()
  expect(rows).toEqual(
    [-1n, 9n].map((id) => ({
      id,
      d: '123456789012345678.90',
      t: '2024-02-29T10:00:00.500Z',
      b: Buffer.from([0, 255]),
      a: ['x', null, 'NULL'],
      m: new Map([['k', 9007199254740993n]]),
      j: expect.stringContaining('"n":1000') as unknown,
    })),
  )
})

test('C1 a name that PostgreSQL would cut is refused before anything is made', async () => {
  const long = 'x'.repeat(64)
  await expect(open(ddl('t', `\`${long}\` INT, PRIMARY KEY (\`${long}\`) NOT ENFORCED`))).rejects.toMatchObject({
    code: 'PLAN_REFUSED',
  })
  await expect(open(ddl(long, 'id INT, PRIMARY KEY (id) NOT ENFORCED'))).rejects.toMatchObject({ code: 'PLAN_REFUSED' })
})
