import { createClient } from 'redis'
import { createSink } from '../../src/sink/create-sink.ts'
import type { RedisSource } from '../services/redis-programs.ts'
import { startRedis } from '../services/redis-server.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { type OrderUpdate, orderColumns, orderUpdates } from './order-updates.ts'

const keys = 100_000
const count = 200_000
const batchRows = 5000
const singleCount = 5000

/** End to end into a server that writes nothing to disk, every path over the same rows and a full key space. */
export async function benchRedis(source: RedisSource, rounds: number): Promise<void> {
  await using server = await startRedis(source)
  const client = await connect(server.url)
  const updates = orderUpdates(count, keys)
  const paths = { client, url: server.url, updates }
  const base = 'by hand: HSET pipelined, one batch at a time'
  const gate = "'sequence.field' = 'version'"
  const standings = await contest(
    [
      { name: base, run: () => byHand(paths, (row) => client.hSet(keyOf(row), fieldsOf(row))) },
      { name: 'by hand: a gate in Lua pipelined', run: () => byHand(paths, gated(paths)) },
      { name: 'tidegate, whole rows', run: () => throughSink(paths, "'source.changelog-mode' = 'upsert'") },
      { name: 'tidegate, sequence gate', run: () => throughSink(paths, gate) },
      {
        name: 'tidegate, sequence gate, two lanes',
        run: () => throughSink(paths, `${gate}, 'sink.parallelism' = '2'`),
      },
      { name: 'one awaited HSET per record', run: () => oneByOne(paths), once: true },
    ],
    rounds,
  )
  await client.close()
  process.stdout.write(
    `\n${server.version}, ${count / 1000}k updates over ${keys / 1000}k keys, batches of ${batchRows}\n` +
      `${formatStandings(standings, base)}\n`,
  )
}

interface Paths {
  readonly client: Awaited<ReturnType<typeof connect>>
  readonly url: string
  readonly updates: readonly OrderUpdate[]
}

const connect = (url: string) => createClient({ url }).connect()

const keyOf = ({ id }: OrderUpdate): string => `orders:${id}`

function fieldsOf({ id, customer, amount, updated_at, note, version }: OrderUpdate): Record<string, string> {
  return { id: String(id), customer, amount, updated_at, note, version: String(version) }
}

/** As people write it: the version as a double, which is exact up to 2^53. */
const gateScript = `local stored = redis.call('HGET', KEYS[1], 'version')
if stored and tonumber(stored) > tonumber(ARGV[#ARGV]) then return 0 end
redis.call('HSET', KEYS[1], unpack(ARGV))
return 1`

function gated({ client }: Paths): (row: OrderUpdate) => Promise<unknown> {
  let digest: Promise<string> | undefined
  return async (row) => {
    digest ??= client.scriptLoad(gateScript)
    return await client.evalSha(await digest, { keys: [keyOf(row)], arguments: Object.entries(fieldsOf(row)).flat() })
  }
}

async function byHand({ client, updates }: Paths, write: (row: OrderUpdate) => Promise<unknown>): Promise<Run> {
  await fill({ client, updates })
  const run = await measure(updates.length, async () => {
    for (let start = 0; start < updates.length; start += batchRows) {
      const folded = new Map<bigint, OrderUpdate>()
      for (const one of updates.slice(start, start + batchRows)) folded.set(one.id, one)
      await Promise.all([...folded.values()].map(write))
    }
  })
  await check({ client, updates })
  return run
}

async function throughSink({ client, url, updates }: Paths, options: string): Promise<Run> {
  await fill({ client, updates })
  const sink = await createSink({
    table: `CREATE TABLE orders (${orderColumns}) WITH ('connector' = 'redis', 'url' = '${url}',
      'sink.buffer-flush.max-rows' = '${batchRows}', ${options})`,
  })
  const run = await measure(updates.length, async () => {
    for (const row of updates) await sink.write({ kind: '+U', row: { ...row } })
    await sink.close()
  })
  await check({ client, updates })
  return run
}

async function oneByOne({ client, updates }: Paths): Promise<Run> {
  await fill({ client, updates })
  return await measure(singleCount, async () => {
    for (const row of updates.slice(0, singleCount)) await client.hSet(keyOf(row), fieldsOf(row))
  })
}

/** Each key holds its oldest version. */
async function fill({ client, updates }: Pick<Paths, 'client' | 'updates'>): Promise<void> {
  await client.flushDb()
  const first = new Map<bigint, OrderUpdate>()
  for (const one of updates) if (!first.has(one.id)) first.set(one.id, one)
  const rows = [...first.values()]
  for (let start = 0; start < rows.length; start += batchRows) {
    await Promise.all(rows.slice(start, start + batchRows).map((row) => client.hSet(keyOf(row), fieldsOf(row))))
  }
}

/** The newest version of every key is there. */
async function check({ client, updates }: Pick<Paths, 'client' | 'updates'>): Promise<void> {
  const newest = new Map(updates.map((row) => [keyOf(row), String(row.version)]))
  const versions = await Promise.all([...newest.keys()].map((key) => client.hGet(key, 'version')))
  const isRight = [...newest.values()].every((version, at) => versions[at] === version)
  if (!isRight || (await client.dbSize()) !== newest.size) throw new Error('the keys do not hold the newest versions')
}
