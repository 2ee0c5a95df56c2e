import { Readable } from 'node:stream'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { createSink } from '../../src/sink/create-sink.ts'
import { createClickhouseDatabase } from '../services/clickhouse-database.ts'
import { startClickhouse } from '../services/clickhouse-server.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { type OrderUpdate, orderColumns, orderUpdates } from './order-updates.ts'

const keys = 200_000
const count = 400_000
const batchRows = 50_000
const singleCount = 200

/** End to end into a ReplacingMergeTree, every path over the same rows. */
export async function benchClickhouse(rounds: number): Promise<void> {
  await using server = await startClickhouse()
  await using database = await createClickhouseDatabase(server)
  const client = createClient({ url: database.url })
  const updates = orderUpdates(count, keys)
  const paths = { client, url: database.url, updates }
  const base = 'by hand: JSONEachRow, one INSERT at a time'
  const gate = "'sequence.field' = 'version'"
  const standings = await contest(
    [
      { name: base, run: () => byHand(paths, insertJson) },
      { name: 'by hand: RowBinary, one INSERT at a time', run: () => byHand(paths, insertBinary) },
      { name: 'tidegate, versions by arrival', run: () => throughSink(paths, "'source.changelog-mode' = 'upsert'") },
      { name: 'tidegate, sequence gate', run: () => throughSink(paths, gate) },
      {
        name: 'tidegate, sequence gate, two lanes',
        run: () => throughSink(paths, `${gate}, 'sink.parallelism' = '2'`),
      },
      { name: 'one awaited INSERT per record', run: () => oneByOne(paths), once: true },
    ],
    rounds,
  )
  await client.close()
  process.stdout.write(
    `\nClickHouse ${server.version}, ${count / 1000}k updates over ${keys / 1000}k keys, batches of ${batchRows}\n` +
      `${formatStandings(standings, base)}\n`,
  )
}

interface Paths {
  readonly client: ClickHouseClient
  readonly url: string
  readonly updates: readonly OrderUpdate[]
}

/** The table by hand has the version that people give it: the column itself. */
const createOrders = `CREATE TABLE orders (id Int64, customer Nullable(String), amount Nullable(Decimal(12, 2)),
  updated_at Nullable(DateTime64(6, 'UTC')), note Nullable(String), version Int64)
  ENGINE = ReplacingMergeTree(version) ORDER BY id`

async function insertJson({ client }: Paths, rows: readonly OrderUpdate[]): Promise<void> {
  const values = rows.map(({ id, customer, amount, updated_at, note, version }) => ({
    ...{ id: String(id), customer, amount, updated_at, note, version: String(version) },
  }))
  const clickhouse_settings = { date_time_input_format: 'best_effort' } as const
  await client.insert({ table: 'orders', format: 'JSONEachRow', values, clickhouse_settings })
}

async function insertBinary({ client }: Paths, rows: readonly OrderUpdate[]): Promise<void> {
  const { stream } = await client.exec({
    query: 'INSERT INTO orders FORMAT RowBinary',
    values: Readable.from([rowBinary(rows)], { objectMode: false }),
  })
  for await (const _chunk of stream);
}

/** All texts are shorter than 128 bytes of ASCII here, so that one byte tells the length. */
function rowBinary(rows: readonly OrderUpdate[]): Buffer {
  const body = Buffer.allocUnsafe(rows.length * 400)
  let at = 0
  const text = (value: string): void => {
    body[at++] = 0
    body[at++] = value.length
    at += body.write(value, at, 'latin1')
  }
  const integer = (value: bigint): void => {
    at = body.writeBigInt64LE(value, at)
  }
  for (const { id, customer, amount, updated_at, note, version } of rows) {
    integer(id)
    text(customer)
    body[at++] = 0
    integer(BigInt(amount.replace('.', '')))
    body[at++] = 0
    integer(BigInt(Date.parse(`${updated_at.slice(0, 19)}Z`)) * 1000n + BigInt(updated_at.slice(20)))
    text(note)
    integer(version)
  }
  return body.subarray(0, at)
}

async function byHand(
  paths: Paths,
  insert: (paths: Paths, rows: readonly OrderUpdate[]) => Promise<void>,
): Promise<Run> {
  const { client, updates } = paths
  await reset(client)
  await client.command({ query: createOrders })
  const run = await measure(updates.length, async () => {
    for (let start = 0; start < updates.length; start += batchRows) {
      const folded = new Map<bigint, OrderUpdate>()
      for (const one of updates.slice(start, start + batchRows)) folded.set(one.id, one)
      await insert(paths, [...folded.values()])
    }
  })
  await check(paths)
  return run
}

async function throughSink(paths: Paths, options: string): Promise<Run> {
  const { client, url, updates } = paths
  await reset(client)
  const sink = await createSink({
    table: `CREATE TABLE orders (${orderColumns}) WITH ('connector' = 'clickhouse', 'url' = '${url}',
      'sink.create-table' = 'if-not-exists', 'sink.buffer-flush.max-rows' = '${batchRows}',
      'sink.buffer-flush.max-bytes' = '64mb', 'sink.buffer.max-bytes' = '256mb', ${options})`,
  })
  const run = await measure(updates.length, async () => {
    for (const row of updates) await sink.write({ kind: '+U', row: { ...row } })
    await sink.close()
  })
  await check(paths)
  return run
}

async function oneByOne(paths: Paths): Promise<Run> {
  await reset(paths.client)
  await paths.client.command({ query: createOrders })
  return await measure(singleCount, async () => {
    for (const row of paths.updates.slice(0, singleCount)) await insertJson(paths, [row])
  })
}

async function reset(client: ClickHouseClient): Promise<void> {
  await client.command({ query: 'DROP VIEW IF EXISTS orders_live' })
  await client.command({ query: 'DROP TABLE IF EXISTS orders SYNC' })
}

/** A reader sees the newest version of every key. */
async function check({ client, updates }: Paths): Promise<void> {
  const newest = new Map(updates.map(({ id, version }) => [id, version]))
  const answer = await client.query({
    query: 'SELECT toString(count()), toString(sum(version)) FROM orders FINAL',
    format: 'JSONCompactEachRow',
  })
  const [[rows, sum] = []] = (await answer.json()) as string[][]
  const expected = [...newest.values()].reduce((total, version) => total + version, 0n)
  if (rows !== String(newest.size) || sum !== String(expected))
    throw new Error('readers do not see the newest versions')
}
