import { elasticsearch, opensearch } from '../../adapters/elasticsearch/index.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import type { SearchRelease } from '../services/search/search-programs.ts'
import { askSearch, startSearchServer } from '../services/search/search-server.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { type OrderUpdate, orderColumns, orderUpdates } from './order-updates.ts'

const keys = 20_000
const count = 60_000
const batchRows = 5000
const singleCount = 1000

/** End to end into a node with its default durability, every path over the same rows and a full index. */
export async function benchElasticsearch(release: SearchRelease, rounds: number): Promise<void> {
  await using server = await startSearchServer(release)
  const connector = release.startsWith('opensearch') ? opensearch.name : elasticsearch.name
  const paths = { url: server.url, connector, updates: orderUpdates(count, keys) }
  const base = 'by hand: index actions, one request at a time'
  const gate = "'sequence.field' = 'version'"
  const external = `${gate}, 'versioning' = 'external', 'source.changelog-mode' = 'upsert', 'sink.delete.without-sequence' = 'error'`
  const standings = await contest(
    [
      { name: base, run: () => byHand(paths, plainAddress) },
      { name: 'by hand: index actions with external_gte', run: () => byHand(paths, versionedAddress) },
      { name: 'tidegate, whole rows', run: () => throughSink(paths, "'source.changelog-mode' = 'upsert'") },
      { name: 'tidegate, external versions', run: () => throughSink(paths, external) },
      { name: 'tidegate, sequence gate by script', run: () => throughSink(paths, gate) },
      { name: 'tidegate, whole rows, two lanes', run: () => throughSink(paths, "'sink.parallelism' = '2'") },
      { name: 'one awaited request per record', run: () => oneByOne(paths), once: true },
    ],
    rounds,
  )
  process.stdout.write(
    `\n${server.version}, ${count / 1000}k updates over ${keys / 1000}k keys, batches of ${batchRows}\n` +
      `${formatStandings(standings, base)}\n`,
  )
}

interface Paths {
  readonly url: string
  readonly connector: string
  readonly updates: readonly OrderUpdate[]
}

type Address = (row: OrderUpdate) => string

const plainAddress: Address = ({ id }) => `{"index":{"_index":"orders","_id":"${id}"}}`
const versionedAddress: Address = ({ id, version }) =>
  `{"index":{"_index":"orders","_id":"${id}","version":${version},"version_type":"external_gte"}}`

async function byHand({ url, connector, updates }: Paths, address: Address): Promise<Run> {
  await reset(url)
  // the mapping that tidegate makes
  await (await open({ url, connector, updates: [] }, "'source.changelog-mode' = 'upsert'")).close()
  const run = await measure(updates.length, async () => {
    for (let start = 0; start < updates.length; start += batchRows) {
      const folded = new Map<bigint, OrderUpdate>()
      for (const one of updates.slice(start, start + batchRows)) folded.set(one.id, one)
      await sendText(url, [...folded.values()].map((row) => `${address(row)}\n${documentOf(row)}\n`).join(''))
    }
  })
  await check(url, updates)
  return run
}

function documentOf({ id, customer, amount, updated_at, note, version }: OrderUpdate): string {
  return `{"id":${id},"customer":${JSON.stringify(customer)},"amount":"${amount}","updated_at":"${updated_at}","note":${JSON.stringify(note)},"version":${version}}`
}

async function sendText(url: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' }
  const answer = await fetch(`${url}/_bulk?filter_path=errors`, { method: 'POST', headers, body })
  const { errors } = (await answer.json()) as { errors: boolean }
  if (errors) throw new Error('a document was refused')
}

async function open({ url, connector }: Paths, options: string): ReturnType<typeof createSink> {
  return await createSink({
    table: `CREATE TABLE orders (${orderColumns.replace('version BIGINT', 'version BIGINT NOT NULL')})
      WITH ('connector' = '${connector}', 'hosts' = '${url}', 'sink.create-table' = 'if-not-exists',
      'sink.buffer-flush.max-rows' = '${batchRows}', ${options})`,
  })
}

async function throughSink(paths: Paths, options: string): Promise<Run> {
  await reset(paths.url)
  const sink = await open(paths, options)
  const run = await measure(paths.updates.length, async () => {
    for (const row of paths.updates) await sink.write({ kind: '+U', row: { ...row } })
    await sink.close()
  })
  await check(paths.url, paths.updates)
  return run
}

async function oneByOne({ url, updates }: Paths): Promise<Run> {
  await reset(url)
  return await measure(singleCount, async () => {
    for (const row of updates.slice(0, singleCount)) await sendText(url, `${plainAddress(row)}\n${documentOf(row)}\n`)
  })
}

async function reset(url: string): Promise<void> {
  await askSearch(url, 'DELETE', '/orders?ignore_unavailable=true')
}

/** The newest version of every key is there. */
async function check(url: string, updates: readonly OrderUpdate[]): Promise<void> {
  const newest = new Map(updates.map(({ id, version }) => [id, version]))
  await askSearch(url, 'POST', '/orders/_refresh')
  const aggs = { versions: { sum: { field: 'version' } } }
  const answer = JSON.parse(
    await askSearch(url, 'POST', '/orders/_search', { size: 0, track_total_hits: true, aggs }),
  ) as {
    hits: { total: { value: number } }
    aggregations: { versions: { value: number } }
  }
  const sum = [...newest.values()].reduce((total, version) => total + Number(version), 0)
  if (answer.hits.total.value !== newest.size || answer.aggregations.versions.value !== sum) {
    throw new Error('the index does not hold the newest versions')
  }
}
