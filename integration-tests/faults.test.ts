import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { applyScript } from '../adapters/redis/script.ts'
import { createSinks } from '../src/sink/create-sink.ts'
import type { Sink } from '../src/sink/sink.ts'
import { type CrashState, type CrashTable, crashInput, stateAfter } from './crash/crash-input.ts'
import { crashDdl } from './crash/crash-run.ts'
import type { CrashStoreName } from './crash/crash-store.ts'
import { crashStores } from './crash/crash-stores.ts'
import { createClickhouseDatabase } from './services/clickhouse-database.ts'
import { startClickhouse } from './services/clickhouse-server.ts'
import { createMysqlDatabase } from './services/mysql-database.ts'
import type { MysqlSource } from './services/mysql-programs.ts'
import { startMysql } from './services/mysql-server.ts'
import { createDatabase } from './services/postgres-database.ts'
import { type PostgresServer, startPostgres } from './services/postgres-server.ts'
import { createRedisDatabase, onRedis } from './services/redis-database.ts'
import { startRedis } from './services/redis-server.ts'
import { startTcpProxy, type TcpProxy } from './services/tcp-proxy.ts'
import { describeStore, type StoreName } from './stores.ts'

const records = crashInput(7, 200)

const exactlyOnce = { 'sink.delivery-guarantee': 'exactly-once', 'sink.id': 'faults' }

interface FaultyStore {
  readonly store: CrashStoreName
  readonly serverPort: number
  makeDatabase(): Promise<AsyncDisposable & { readonly url: string }>
  /** Bytes that only the request to commit holds, and bytes that its answer holds. */
  readonly commit: { readonly request: string; readonly answer: string }
  /** What the event of a retry says when that answer was lost. */
  readonly lost: RegExp
  /** The option that ends what gets no answer. */
  readonly timeout: string
  /** Places of a flush at which connections fall silent, by bytes of the request that comes there. */
  readonly places: readonly (readonly [place: string, request: string])[]
}

describeStore('postgres-machine', 'a sink', ({ postgres: server }) => {
  if (server === undefined) return
  // with the zero that ends it both in the request and in the answer; BEGIN asks for READ COMMITTED
  const commit = 'COMMIT\0'
  testFaults({
    store: 'postgres',
    serverPort: Number(new URL(server.adminUrl).port),
    makeDatabase: () => createDatabase(server),
    commit: { request: commit, answer: commit },
    lost: /answer to COMMIT was lost/,
    timeout: 'statement-timeout',
    places: [
      ['the transaction', 'BEGIN'],
      ['its position', 'tidegate_ledger'],
      ['its end', commit],
    ],
  })
})

for (const name of ['mariadb', 'mysql-8', 'mysql-9'] as const) {
  describeStore(name, 'a sink', ({ mysql: server }) => {
    if (server === undefined) return
    // a query packet, and the head of a short OK packet that answers the first one
    const request = '\x03COMMIT'
    testFaults({
      store: 'mysql',
      serverPort: Number(new URL(server.adminUrl).port),
      makeDatabase: () => createMysqlDatabase(server),
      commit: { request, answer: '\0\0\x01\0' },
      lost: /answer to COMMIT was lost/,
      timeout: 'statement-timeout',
      places: [
        ['the transaction', '\x03START TRANSACTION'],
        ['its position', '{"source":'],
        ['its end', request],
      ],
    })
  })
}

for (const name of ['redis', 'valkey'] as const) {
  describeStore(name, 'a sink', ({ redis: server }) => {
    if (server === undefined) return
    // the call that writes is named by the digest of its script, and its answer says so
    const request = applyScript.sha
    testFaults({
      store: 'redis',
      serverPort: Number(new URL(server.url).port),
      makeDatabase: async () => {
        const database = await createRedisDatabase(server)
        // a server that does not know the script would answer that first
        await onRedis(database.url, async (client) => await client.scriptLoad(applyScript.text))
        return database
      },
      commit: { request, answer: 'written' },
      lost: /ECONNRESET|closed/i,
      timeout: 'command-timeout',
      places: [['the call', request]],
    })
  })
}

for (const name of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(name, 'a sink', ({ clickhouse: server }) => {
    if (server === undefined) return
    // the statement is in the head of the request, and the answer is told by its own
    testFaultsOfInserts({
      store: 'clickhouse',
      serverPort: Number(new URL(server.url).port),
      makeDatabase: () => createClickhouseDatabase(server),
      insert: { request: 'INSERT', answer: 'HTTP/1.1 200' },
      timeout: 'request-timeout',
    })
  })
}

interface FaultyInserts extends Pick<FaultyStore, 'store' | 'serverPort' | 'makeDatabase'> {
  readonly insert: FaultyStore['commit']
  /** The option that ends a silent request. */
  readonly timeout: string
}

/** A store without transactions: each insert may be sent again. */
function testFaultsOfInserts({ store, serverPort, makeDatabase, insert, timeout }: FaultyInserts): void {
  const faults = [
    ['whose answer is lost', (proxy: TcpProxy) => proxy.loseAnswer(insert.request, insert.answer)],
    ['that never arrived', (proxy: TcpProxy) => proxy.resetBefore(insert.request)],
    [
      'on a connection that fell silent, and comes too late there',
      (proxy: TcpProxy) => proxy.freezeBefore(insert.request),
    ],
  ] as const

  test.each(faults)('R2 sends an insert again %s', async (_fault, arm) => {
    await using database = await makeDatabase()
    await using proxy = await startTcpProxy(serverPort)
    const writing = await startWriting(store, proxy.via(database.url), { [timeout]: '1 s' }, ['versions'])
    for (const upTo of [40, 80, 120]) {
      await writing.write(upTo)
      const failed = arm(proxy)
      await writing.sink.flush()
      await failed
      expect(await readState(store, database.url)).toEqual({ ...stateAfter(records, upTo), sums: {} })
      proxy.thaw()
    }
    await writing.write(200)
    await writing.sink.close()
    expect(await readState(store, database.url)).toEqual({ ...stateAfter(records, 200), sums: {} })
    expect(writing.retries).toHaveLength(3)
  })
}

function testFaults({ store, serverPort, makeDatabase, commit, lost, timeout, places }: FaultyStore): void {
  const stateOf = async (url: string): Promise<CrashState> => await readState(store, url)
  const openWriting = async (
    url: string,
    options: Readonly<Record<string, string>>,
    tables?: readonly CrashTable[],
  ): Promise<Writing> => await startWriting(store, url, options, tables)

  describe('whose network fails it', () => {
    const startProxy = async (): Promise<TcpProxy> => await startTcpProxy(serverPort)

    test('R2 R5 asks after each COMMIT whose answer is lost, and nothing counts twice', async () => {
      await using database = await makeDatabase()
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), exactlyOnce)
      for (const upTo of [20, 40, 60]) {
        await writing.write(upTo)
        const lost = proxy.loseAnswer(commit.request, commit.answer)
        await writing.sink.flush()
        await lost
        expect(await stateOf(database.url)).toEqual(stateAfter(records, upTo))
      }
      expect(writing.retries).toHaveLength(3)
      expect(writing.retries.join()).toMatch(lost)
      await writing.sink.close()
    })

    test('R2 R5 sends a flush again whose COMMIT never arrived', async () => {
      await using database = await makeDatabase()
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), exactlyOnce)
      for (const upTo of [20, 40, 60]) {
        await writing.write(upTo)
        const reset = proxy.resetBefore(commit.request)
        await writing.sink.flush()
        await reset
        expect(await stateOf(database.url)).toEqual(stateAfter(records, upTo))
      }
      await writing.sink.close()
    })

    test('R2 sends a flush again that may be sent twice, without asking', async () => {
      await using database = await makeDatabase()
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), {}, ['versions'])
      await writing.write(100)
      const lost = proxy.loseAnswer(commit.request, commit.answer)
      await writing.sink.flush()
      await lost
      await writing.write(200)
      await writing.sink.close()
      expect(await stateOf(database.url)).toEqual({ ...stateAfter(records, 200), sums: {} })
    })

    test('R2 A3 gives up where a second sending would count twice and nobody can say whether the first arrived', async () => {
      await using database = await makeDatabase()
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), { 'sink.accept-duplicates': 'true' })
      await writing.write(20)
      const lost = proxy.loseAnswer(commit.request, commit.answer)
      await expect(writing.sink.flush()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
      await lost
      await expect(writing.sink.close()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
      expect(await stateOf(database.url)).toEqual(stateAfter(records, 20))
    })

    test.each(places)(
      'R2 R5 leaves a connection that fell silent before %s, and what was sent there comes too late',
      async (_place, request) => {
        await using database = await makeDatabase()
        await using proxy = await startProxy()
        const options = { ...exactlyOnce, [timeout]: '1 s' }
        const writing = await openWriting(proxy.via(database.url), options)
        await writing.write(20)
        await writing.sink.flush()
        await writing.write(40)
        const frozen = proxy.freezeBefore(request)
        await writing.sink.flush()
        await frozen
        expect(await stateOf(database.url)).toEqual(stateAfter(records, 40))
        proxy.thaw()
        await writing.write(60)
        await writing.sink.close()
        expect(await stateOf(database.url)).toEqual(stateAfter(records, 60))
        expect(writing.retries.length).toBeGreaterThan(0)
      },
    )
  })
}

describeStore('clickhouse', 'a sink whose server crashes', () => {
  test('R2 goes on when it is back, and nothing is lost', async () => {
    await using server = await startClickhouse()
    const writing = await startWriting('clickhouse', server.url, {}, ['versions'])
    const rounds = 4
    for (let round = 1; round <= rounds; round++) {
      await writing.write(round * 40)
      const flushing = writing.sink.flush()
      await delay(round === rounds ? 50 : round * 2)
      await server.kill()
      await server.restart()
      await flushing
      expect((await readState('clickhouse', server.url)).versions).toEqual(stateAfter(records, round * 40).versions)
    }
    await writing.write(200)
    await writing.sink.close()
    expect((await readState('clickhouse', server.url)).versions).toEqual(stateAfter(records, 200).versions)
    expect(writing.retries.length).toBeGreaterThan(0)
  })
})

/** Servers that have on the disk what they have acknowledged, each with the url of a database to write to. */
const crashingServers: readonly (readonly [StoreName, CrashStoreName, () => Promise<CrashingServer>])[] = [
  ['postgres-machine', 'postgres', async () => crashing(await startPostgres({ source: 'machine' }))],
  ['mariadb', 'mysql', () => crashingMysql('mariadb')],
  ['mysql-8', 'mysql', () => crashingMysql('mysql-8')],
  [
    'redis',
    'redis',
    async () => {
      const server = await startRedis('redis', ['--appendonly', 'yes', '--appendfsync', 'always'])
      return { server, url: server.url }
    },
  ],
]

interface CrashingServer {
  readonly server: AsyncDisposable & { kill(): Promise<void>; restart(): Promise<void> }
  readonly url: string
}

function crashing(server: PostgresServer): CrashingServer {
  return { server, url: server.adminUrl }
}

async function crashingMysql(source: MysqlSource): Promise<CrashingServer> {
  const server = await startMysql(source)
  return { server, url: (await createMysqlDatabase(server)).url }
}

for (const [name, store, startServer] of crashingServers) {
  describeStore(name, 'a sink whose server crashes', () => {
    test('R2 R5 goes on when it is back, and nothing is lost or counts twice', async () => {
      const { server: started, url } = await startServer()
      await using server = started
      const writing = await startWriting(store, url, exactlyOnce)
      const rounds = 6
      for (let round = 1; round <= rounds; round++) {
        await writing.write(round * 30)
        const flushing = writing.sink.flush()
        // at another moment of the flush in each round, and behind it in the last one
        if (round > 1) await delay(round === rounds ? 50 : round)
        await server.kill()
        await server.restart()
        await flushing
        expect(await readState(store, url)).toEqual(stateAfter(records, round * 30))
      }
      await writing.write(200)
      await writing.sink.close()
      expect(await readState(store, url)).toEqual(stateAfter(records, 200))
      expect(writing.retries.length).toBeGreaterThan(0)
    })
  })
}

interface Writing {
  readonly sink: Sink
  /** Reasons of all retries so far. */
  readonly retries: readonly string[]
  /** The records up to that one which were not written yet. */
  write(upTo: number): Promise<void>
}

async function startWriting(
  store: CrashStoreName,
  url: string,
  options: Readonly<Record<string, string>>,
  tables: readonly CrashTable[] = ['sums', 'versions'],
): Promise<Writing> {
  const retries: string[] = []
  const ddl = crashDdl(tables, (table) => ({
    ...{ connector: store, url, 'sink.create-table': 'if-not-exists', 'sink.buffer-flush.interval': '0' },
    ...{ 'sink.max-retries': '100', 'sink.retry.max-interval': '300 ms', ...options },
    ...(store === 'clickhouse' ? { 'sequence.field': 'version' } : {}),
    ...(table === 'sums' ? { 'merge-engine': 'aggregation', 'fields.default-aggregate-function': 'sum' } : {}),
  }))
  const sink = await createSinks({
    tables: ddl,
    onEvent: (event) => {
      if (event.type === 'retry') retries.push(event.reason)
    },
  })
  let written = 0
  const write = async (upTo: number): Promise<void> => {
    for (const { changes } of records.slice(written, upTo)) for (const change of changes) await sink.write(change)
    written = upTo
  }
  return { sink, retries, write }
}

async function readState(store: CrashStoreName, url: string): Promise<CrashState> {
  const reader = await crashStores[store].openReader(url)
  try {
    return await reader.state()
  } finally {
    await reader.end()
  }
}
