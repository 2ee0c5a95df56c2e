import { Readable } from 'node:stream'
import { type Connection, createConnection, escape as quote } from 'mysql2/promise'
import { createSink } from '../../src/sink/create-sink.ts'
import { createMysqlDatabase } from '../services/mysql-database.ts'
import type { MysqlSource } from '../services/mysql-programs.ts'
import { startMysql } from '../services/mysql-server.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { type OrderUpdate, orderColumns, orderUpdates } from './order-updates.ts'

const keys = 100_000
const count = 200_000
const batchRows = 5000
const singleCount = 5000

const columns = ['id', 'customer', 'amount', 'updated_at', 'note', 'version'] as const

const createOrders = `CREATE TABLE orders (
  id BIGINT PRIMARY KEY, customer LONGTEXT, amount DECIMAL(12, 2), updated_at DATETIME(6), note LONGTEXT, version BIGINT,
  __tidegate_deleted BOOLEAN NOT NULL DEFAULT FALSE) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`

const insert = `INSERT INTO orders (${columns.join(', ')}) VALUES `
const update = ` ON DUPLICATE KEY UPDATE ${columns
  .slice(1)
  .map((name) => `${name} = VALUES(${name})`)
  .join(', ')}`

/** End to end into a server of the family with its default durability, every path over the same rows and a full table. */
export async function benchMysql(source: MysqlSource, rounds: number): Promise<void> {
  await using server = await startMysql(source)
  await using database = await createMysqlDatabase(server)
  const admin = await connect(database.url)
  const updates = orderUpdates(count, keys)
  const paths = { admin, url: database.url, updates }
  const base = 'by hand: VALUES of literals, one connection, awaited'
  const standings = await contest(
    [
      { name: base, run: () => byHand(paths, literalUpsert) },
      { name: 'by hand: VALUES of placeholders, prepared', run: () => byHand(paths, preparedUpsert) },
      { name: 'tidegate, one lane', run: () => throughSink(paths, '') },
      { name: 'tidegate, one lane, sequence gate', run: () => throughSink(paths, ", 'sequence.field' = 'version'") },
      { name: 'tidegate, two lanes', run: () => throughSink(paths, ", 'sink.parallelism' = '2'") },
      { name: 'tidegate, one lane, sequence group', run: () => throughSink(paths, group) },
      { name: 'tidegate, one lane, locked and merged', run: () => throughSink(paths, `${group}, ${removing}`) },
      { name: 'LOAD DATA into an empty table with its key', run: () => loadEmpty(paths) },
      { name: 'one awaited upsert per record', run: () => oneByOne(paths), once: true },
    ],
    rounds,
  )
  await admin.end()
  process.stdout.write(
    `\n${server.version}, ${count / 1000}k updates over ${keys / 1000}k keys, batches of ${batchRows}\n` +
      `${formatStandings(standings, base)}\n`,
  )
}

const group = ", 'merge-engine' = 'partial-update', 'fields.version.sequence-group' = 'customer,amount,updated_at,note'"
const removing = "'partial-update.remove-record-on-sequence-group' = 'version'"

interface Paths {
  readonly admin: Connection
  readonly url: string
  readonly updates: readonly OrderUpdate[]
}

async function connect(url: string): Promise<Connection> {
  return await createConnection({
    uri: url,
    charset: 'utf8mb4_bin',
    dateStrings: true,
    supportBigNumbers: true,
    infileStreamFactory: () => Readable.from([]),
  })
}

/** Every key is there, so that each path updates. */
async function reset(admin: Connection): Promise<void> {
  await admin.query('DROP TABLE IF EXISTS orders')
  await admin.query(createOrders)
  await admin.query('BEGIN')
  for (let start = 0; start < keys; start += batchRows) {
    const rows = Array.from({ length: batchRows }, (_, at) => `(${start + at}, '', 0, NOW(6), '', -1)`)
    await admin.query(insert + rows.join(', '))
  }
  await admin.query('COMMIT')
}

type SendRows = (client: Connection, rows: readonly OrderUpdate[]) => Promise<unknown>

async function literalUpsert(client: Connection, rows: readonly OrderUpdate[]): Promise<unknown> {
  const tuples = rows.map(
    (row) =>
      `(${row.id}, ${quote(row.customer)}, ${row.amount}, '${row.updated_at}', ${quote(row.note)}, ${row.version})`,
  )
  return await client.query(insert + tuples.join(', ') + update)
}

async function preparedUpsert(client: Connection, rows: readonly OrderUpdate[]): Promise<unknown> {
  const tuples = rows.map(() => '(?, ?, ?, ?, ?, ?)').join(', ')
  return await client.execute(
    insert + tuples + update,
    rows.flatMap((row) => columns.map((name) => String(row[name]))),
  )
}

async function byHand({ admin, url, updates }: Paths, send: SendRows): Promise<Run> {
  await reset(admin)
  const client = await connect(url)
  const run = await measure(updates.length, async () => {
    for (let start = 0; start < updates.length; start += batchRows) {
      const folded = new Map<bigint, OrderUpdate>()
      for (const one of updates.slice(start, start + batchRows)) folded.set(one.id, one)
      const rows = [...folded.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
      await send(client, rows)
    }
  })
  await client.end()
  await check(admin, updates)
  return run
}

async function throughSink({ admin, url, updates }: Paths, options: string): Promise<Run> {
  await reset(admin)
  const sink = await createSink({
    table: `CREATE TABLE orders (${orderColumns}) WITH ('connector' = 'mysql', 'url' = '${url}',
      'sink.buffer-flush.max-rows' = '${batchRows}'${options})`,
  })
  const changes = updates.map((row) => ({ kind: '+U' as const, row: row as never }))
  const run = await measure(updates.length, async () => {
    for (const change of changes) await sink.write(change)
    await sink.close()
  })
  await check(admin, updates)
  return run
}

async function loadEmpty({ admin, url, updates }: Paths): Promise<Run> {
  await admin.query('DROP TABLE IF EXISTS loaded')
  await admin.query(createOrders.replace('TABLE orders', 'TABLE loaded'))
  await admin.query('SET GLOBAL local_infile = 1')
  const rows = [...new Map(updates.map((one) => [one.id, one])).values()]
  const client = await connect(url)
  const run = await measure(rows.length, async () => {
    const lines = rows.map((row) => Buffer.from(`${columns.map((name) => String(row[name])).join('\t')}\n`))
    await client.query({
      sql: `LOAD DATA LOCAL INFILE 'rows' INTO TABLE loaded CHARACTER SET utf8mb4 (${columns.join(', ')})`,
      infileStreamFactory: () => Readable.from(lines),
    })
  })
  await client.end()
  return run
}

async function oneByOne({ admin, url, updates }: Paths): Promise<Run> {
  await reset(admin)
  const client = await connect(url)
  const some = updates.slice(0, singleCount)
  const run = await measure(some.length, async () => {
    for (const row of some) await preparedUpsert(client, [row])
  })
  await client.end()
  return run
}

/** The table must hold the last version of each key, whatever way it came there. */
async function check(admin: Connection, updates: readonly OrderUpdate[]): Promise<void> {
  const last = new Map(updates.map(({ id, version }) => [id, version]))
  const expected = [...last.values()].reduce((sum, version) => sum + version, 0n) - BigInt(keys - last.size)
  const [rows] = await admin.query('SELECT CAST(SUM(version) AS CHAR) AS sum FROM orders')
  const [row] = rows as { sum: string }[]
  if (BigInt(row?.sum ?? 0) !== expected) throw new Error('the table does not hold the last versions')
}
