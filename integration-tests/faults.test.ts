import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createSinks } from '../src/sink/create-sink.ts'
import type { Sink } from '../src/sink/sink.ts'
import { type CrashState, type CrashTable, crashInput, stateAfter } from './crash/crash-input.ts'
import { crashDdl } from './crash/crash-run.ts'
import { readCrashState } from './crash/crash-state.ts'
import { createDatabase } from './services/postgres-database.ts'
import { startPostgres } from './services/postgres-server.ts'
import { startTcpProxy, type TcpProxy } from './services/tcp-proxy.ts'
import { describeStore } from './stores.ts'

const records = crashInput(7, 200)

/** With the zero that ends it both in the request and in the answer; BEGIN asks for READ COMMITTED. */
const commit = 'COMMIT\0'

const exactlyOnce = { 'sink.delivery-guarantee': 'exactly-once', 'sink.id': 'faults' }

describeStore('postgres-machine', 'a sink', ({ postgres: server }) => {
  if (server === undefined) return

  describe('whose network fails it', () => {
    const startProxy = async (): Promise<TcpProxy> => await startTcpProxy(Number(new URL(server.adminUrl).port))

    test('R2 R5 asks after each COMMIT whose answer is lost, and nothing counts twice', async () => {
      await using database = await createDatabase(server)
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), exactlyOnce)
      for (const upTo of [20, 40, 60]) {
        await writing.write(upTo)
        const lost = proxy.loseAnswer(commit, commit)
        await writing.sink.flush()
        await lost
        expect(await stateOf(database.url)).toEqual(stateAfter(records, upTo))
      }
      expect(writing.retries).toHaveLength(3)
      expect(writing.retries.join()).toMatch(/answer to COMMIT was lost/)
      await writing.sink.close()
    })

    test('R2 R5 sends a flush again whose COMMIT never arrived', async () => {
      await using database = await createDatabase(server)
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), exactlyOnce)
      for (const upTo of [20, 40, 60]) {
        await writing.write(upTo)
        const reset = proxy.resetBefore(commit)
        await writing.sink.flush()
        await reset
        expect(await stateOf(database.url)).toEqual(stateAfter(records, upTo))
      }
      await writing.sink.close()
    })

    test('R2 sends a flush again that may be sent twice, without asking', async () => {
      await using database = await createDatabase(server)
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), {}, ['versions'])
      await writing.write(100)
      const lost = proxy.loseAnswer(commit, commit)
      await writing.sink.flush()
      await lost
      await writing.write(200)
      await writing.sink.close()
      expect(await stateOf(database.url)).toEqual({ ...stateAfter(records, 200), sums: {} })
    })

    test('R2 A3 gives up where a second sending would count twice and nobody can say whether the first arrived', async () => {
      await using database = await createDatabase(server)
      await using proxy = await startProxy()
      const writing = await openWriting(proxy.via(database.url), { 'sink.accept-duplicates': 'true' })
      await writing.write(20)
      const lost = proxy.loseAnswer(commit, commit)
      await expect(writing.sink.flush()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
      await lost
      await expect(writing.sink.close()).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
      expect(await stateOf(database.url)).toEqual(stateAfter(records, 20))
    })

    test.each([
      ['the transaction', 'BEGIN'],
      ['its position', 'tidegate_ledger'],
      ['its end', commit],
    ])(
      'R2 R5 leaves a connection that fell silent before %s, and what was sent there comes too late',
      async (_place, request) => {
        await using database = await createDatabase(server)
        await using proxy = await startProxy()
        const options = { ...exactlyOnce, 'statement-timeout': '1 s' }
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
})

describe('a sink whose server crashes', () => {
  test('R2 R5 goes on when it is back, and nothing is lost or counts twice', async () => {
    await using server = await startPostgres({ source: 'machine' })
    const writing = await openWriting(server.adminUrl, exactlyOnce)
    const rounds = 6
    for (let round = 1; round <= rounds; round++) {
      await writing.write(round * 30)
      const flushing = writing.sink.flush()
      // at another moment of the flush in each round, and behind it in the last one
      if (round > 1) await delay(round === rounds ? 50 : round)
      await server.kill()
      await server.restart()
      await flushing
      expect(await stateOf(server.adminUrl)).toEqual(stateAfter(records, round * 30))
    }
    await writing.write(200)
    await writing.sink.close()
    expect(await stateOf(server.adminUrl)).toEqual(stateAfter(records, 200))
    expect(writing.retries.length).toBeGreaterThan(0)
  })
})

interface Writing {
  readonly sink: Sink
  /** Reasons of all retries so far. */
  readonly retries: readonly string[]
  /** The records up to that one which were not written yet. */
  write(upTo: number): Promise<void>
}

async function openWriting(
  url: string,
  options: Readonly<Record<string, string>>,
  tables: readonly CrashTable[] = ['sums', 'versions'],
): Promise<Writing> {
  const retries: string[] = []
  const ddl = crashDdl(tables, (table) => ({
    ...{ connector: 'postgres', url, 'sink.create-table': 'if-not-exists', 'sink.buffer-flush.interval': '0' },
    ...{ 'sink.max-retries': '100', 'sink.retry.max-interval': '300 ms', ...options },
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

async function stateOf(url: string): Promise<CrashState> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await readCrashState(client)
  } finally {
    await client.end()
  }
}
