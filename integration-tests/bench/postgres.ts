import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { createSink } from '../../src/sink/create-sink.ts'
import { startPostgres } from '../services/postgres-server.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { type OrderUpdate, orderColumns, orderUpdates } from './order-updates.ts'

const keys = 100_000
const count = 300_000
const batchRows = 5000
const singleCount = 20_000

const createOrders = `create table orders (
  id bigint primary key, customer text, amount numeric(12, 2), updated_at timestamp(6), note text, version bigint)`

const upsert = `insert into orders as t (id, customer, amount, updated_at, note, version)
  select * from unnest($1::bigint[], $2::text[], $3::numeric[], $4::timestamp[], $5::text[], $6::bigint[])
  on conflict (id) do update set customer = excluded.customer, amount = excluded.amount,
    updated_at = excluded.updated_at, note = excluded.note, version = excluded.version`

const single = `insert into orders (id, customer, amount, updated_at, note, version) values ($1, $2, $3, $4, $5, $6)
  on conflict (id) do update set customer = excluded.customer, amount = excluded.amount,
    updated_at = excluded.updated_at, note = excluded.note, version = excluded.version`

/** End to end into PostgreSQL 15 with its default durability, every path over the same rows and an existing table. */
export async function benchPostgres(rounds: number): Promise<void> {
  const server = await startPostgres({ source: 'machine' })
  try {
    const updates = orderUpdates(count, keys)
    const admin = new pg.Client(server.adminUrl)
    await admin.connect()
    await reset(admin)
    const paths = { admin, url: server.adminUrl, updates }
    const base = 'by hand: unnest, one connection, awaited'
    const standings = await contest(
      [
        { name: base, run: () => byHand(paths, 1) },
        { name: 'by hand: the same, two batches in flight', run: () => byHand(paths, 2) },
        { name: 'tidegate, one lane', run: () => throughSink(paths, '') },
        { name: 'tidegate, one lane, sequence gate', run: () => throughSink(paths, ", 'sequence.field' = 'version'") },
        { name: 'tidegate, two lanes', run: () => throughSink(paths, ", 'sink.parallelism' = '2'") },
        { name: 'COPY into an empty table with its key', run: () => copyEmpty(paths) },
        { name: 'one awaited upsert per record', run: () => oneByOne(paths), once: true },
      ],
      rounds,
    )
    process.stdout.write(
      `\nPostgreSQL ${server.version}, ${count / 1000}k updates over ${keys / 1000}k keys, batches of ${batchRows}\n` +
        `${formatStandings(standings, base)}\n`,
    )
    await admin.end()
  } finally {
    await server.stop()
  }
}

interface Paths {
  readonly admin: pg.Client
  readonly url: string
  readonly updates: readonly OrderUpdate[]
}

/** Every key is there, so that each path updates; the flag column serves the gated plan's tombstones. */
async function reset(admin: pg.Client): Promise<void> {
  await admin.query('drop table if exists orders')
  await admin.query(createOrders)
  await admin.query('alter table orders add column __tidegate_deleted boolean')
  await admin.query(`insert into orders select n, '', 0, now(), '', -1, false from generate_series(0, ${keys - 1}) n`)
  await admin.query('vacuum analyze orders')
}

async function byHand({ admin, url, updates }: Paths, inFlight: number): Promise<Run> {
  await reset(admin)
  const client = new pg.Client({ connectionString: url, pipeline: inFlight > 1 } as pg.ClientConfig)
  await client.connect()
  const rate = await measure(updates.length, async () => {
    const underWay = new Set<Promise<unknown>>()
    for (let start = 0; start < updates.length; start += batchRows) {
      const folded = new Map<bigint, OrderUpdate>()
      for (const update of updates.slice(start, start + batchRows)) folded.set(update.id, update)
      const rows = [...folded.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
      const sending = client.query({ name: 'upsert', text: upsert, values: columnsOf(rows) })
      underWay.add(sending)
      void sending.finally(() => underWay.delete(sending))
      if (underWay.size >= inFlight) await Promise.race(underWay)
    }
    await Promise.all(underWay)
  })
  await client.end()
  await check(admin, updates)
  return rate
}

function columnsOf(rows: readonly OrderUpdate[]): unknown[][] {
  return [
    rows.map(({ id }) => id),
    rows.map(({ customer }) => customer),
    rows.map(({ amount }) => amount),
    rows.map(({ updated_at }) => updated_at),
    rows.map(({ note }) => note),
    rows.map(({ version }) => version),
  ]
}

async function throughSink({ admin, url, updates }: Paths, options: string): Promise<Run> {
  await reset(admin)
  const sink = await createSink({
    table: `CREATE TABLE orders (${orderColumns}) WITH ('connector' = 'postgres', 'url' = '${url}',
      'table-name' = 'orders', 'sink.buffer-flush.max-rows' = '${batchRows}'${options})`,
  })
  const changes = updates.map((row) => ({ kind: '+U' as const, row: row as never }))
  const rate = await measure(updates.length, async () => {
    for (const change of changes) await sink.write(change)
    await sink.close()
  })
  await check(admin, updates)
  return rate
}

async function copyEmpty({ admin, url, updates }: Paths): Promise<Run> {
  await admin.query('drop table if exists copied')
  await admin.query(createOrders.replace('create table orders', 'create table copied'))
  const rows = [...new Map(updates.map((update) => [update.id, update])).values()]
  const client = new pg.Client(url)
  await client.connect()
  const rate = await measure(rows.length, async () => {
    const lines = rows.map((row) => `${Object.values(row).map(String).join('\t')}\n`)
    await pipeline(Readable.from(lines), client.query(copyFrom('copy copied from stdin')))
  })
  await client.end()
  return rate
}

async function oneByOne({ admin, url, updates }: Paths): Promise<Run> {
  await reset(admin)
  const client = new pg.Client(url)
  await client.connect()
  const some = updates.slice(0, singleCount)
  const rate = await measure(some.length, async () => {
    for (const row of some) await client.query({ name: 'single', text: single, values: Object.values(row) })
  })
  await client.end()
  return rate
}

/** The table must hold the last version of each key, whatever way it came there. */
async function check(admin: pg.Client, updates: readonly OrderUpdate[]): Promise<void> {
  const last = new Map(updates.map(({ id, version }) => [id, version]))
  const expected = [...last.values()].reduce((sum, version) => sum + version, 0n) - BigInt(keys - last.size)
  const { rows } = await admin.query<{ sum: string }>('select sum(version) from orders')
  if (BigInt(rows[0]?.sum ?? 0) !== expected) throw new Error('the table does not hold the last versions')
}
