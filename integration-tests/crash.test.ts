import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { crashInput, stateAfter } from './crash/crash-input.ts'
import { CrashRun, crashDdl } from './crash/crash-run.ts'
import type { CrashStoreName } from './crash/crash-store.ts'
import type { EndPoint } from './crash/crash-writer.ts'
import { createClickhouseDatabase } from './services/clickhouse-database.ts'
import { createMysqlDatabase } from './services/mysql-database.ts'
import { buildProgram, type NodeProgram } from './services/node-program.ts'
import { createDatabase } from './services/postgres-database.ts'
import { createRedisDatabase } from './services/redis-database.ts'
import { askSearch } from './services/search/search-server.ts'
import { describeEachSearch, describeStore } from './stores.ts'

const sinkId = 'crash'
const recordCount = 480
const flushEvery = 8
const killed = { signal: 'SIGKILL' }
const finished = { code: 0, stderr: '' }

/** Each step of a test is a process of its own, and a busy machine takes a second or two to start one. */
vi.setConfig({ testTimeout: 400_000 })

type Resumption = readonly [seed: number, from: 'ledger' | 'file']

/** The second one goes on from the file of durable positions, which lags behind the ledger. */
const everyResumption: readonly Resumption[] = [
  [1, 'ledger'],
  [2, 'file'],
]

const title = 'a process that writes and is killed'

describeStore('postgres-machine', title, ({ postgres }) => {
  if (postgres === undefined) return
  testKilledWriter({
    store: 'postgres',
    makeDatabase: () => createDatabase(postgres),
    statements: ['BEGIN ISOLATION', 'UPDATE "tidegate_ledger"', 'INSERT INTO', 'COMMIT'],
    points: endPoints,
    opening: 10,
    resumptions: everyResumption,
  })
})

for (const name of ['mariadb', 'mysql-8', 'mysql-9'] as const) {
  describeStore(name, title, ({ mysql }) => {
    if (mysql === undefined) return
    testKilledWriter({
      store: 'mysql',
      makeDatabase: () => createMysqlDatabase(mysql),
      // the servers of one family differ in nothing that a step within a flush, or a resumption, could tell
      ...(name === 'mariadb'
        ? {
            statements: ['START TRANSACTION', 'UPDATE `tidegate_ledger`', 'INSERT INTO', 'COMMIT'],
            points: endPoints,
          }
        : { statements: [], points: aroundFlushes }),
      opening: 10,
      resumptions: name === 'mariadb' ? everyResumption : everyResumption.slice(0, 1),
    })
  })
}

for (const name of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(name, title, ({ clickhouse }) => {
    if (clickhouse === undefined) return
    describeKilledWriter((program) =>
      testAtLeastOnce(program, {
        store: 'clickhouse',
        makeDatabase: () => createClickhouseDatabase(clickhouse),
        points: endPoints.slice(0, 8).concat(aroundFlushes),
      }),
    )
  })
}

for (const name of ['redis', 'valkey'] as const) {
  describeStore(name, title, ({ redis }) => {
    if (redis === undefined) return
    testKilledWriter({
      store: 'redis',
      makeDatabase: () => createRedisDatabase(redis),
      statements: ['EVALSHA rows'],
      points: endPoints.slice(0, 8).concat(aroundFlushes),
      opening: 2,
      resumptions: everyResumption.slice(0, 1),
    })
  })
}

describeEachSearch(title, ({ connector, url }) => {
  const remove = async (): Promise<void> => {
    await askSearch(url, 'DELETE', '/versions?ignore_unavailable=true')
  }
  describeKilledWriter((program) =>
    testAtLeastOnce(program, {
      store: connector,
      makeDatabase: async () => {
        await remove()
        return { url, [Symbol.asyncDispose]: remove }
      },
      points: aroundFlushes,
    }),
  )
})

/** What ends the process is built once for the tests of a store. */
function describeKilledWriter(define: (program: () => NodeProgram) => void): void {
  let program: NodeProgram
  beforeAll(async () => {
    program = await buildProgram(join(import.meta.dirname, 'crash', 'crash-writer.ts'))
  })
  afterAll(() => program?.[Symbol.asyncDispose]())
  define(() => program)
}

interface KilledWriter {
  readonly store: CrashStoreName
  makeDatabase(): Promise<AsyncDisposable & { readonly url: string }>
  /** How the statements of a flush begin. */
  readonly statements: readonly string[]
  /** What the process is killed at, so that each of the statements is among it. */
  readonly points: readonly EndPoint[]
  /** At least so many statements are sent before the first flush. */
  readonly opening: number
  readonly resumptions: readonly Resumption[]
}

interface AtLeastOnce extends Pick<KilledWriter, 'store' | 'makeDatabase'> {
  readonly points: readonly EndPoint[]
}

function testAtLeastOnce(program: () => NodeProgram, { store, makeDatabase, points }: AtLeastOnce): void {
  test('G1 at least once under a sequence gate, what is sent again after a kill changes nothing', async () => {
    await using database = await makeDatabase()
    const ddl = crashDdl(['versions'], () => ({
      ...connectorOptions(store, database.url),
      'sequence.field': 'version',
    }))
    const task = { store, ddl, seed: 3, recordCount, flushEvery, resumeFrom: 'file' as const }
    await using run = await CrashRun.create(program(), database.url, task)
    for (const point of points) {
      const { end, lines } = await run.run(point)
      expect(end).toMatchObject(killed)
      expect(lines).toContainEqual({ reached: point })
    }
    expect((await run.run()).end).toMatchObject(finished)
    const { versions } = await run.state()
    expect(versions).toEqual(stateAfter(crashInput(3, recordCount), recordCount).versions)
  })
}

function connectorOptions(store: CrashStoreName, url: string): Record<string, string> {
  return { connector: store, url, 'sink.create-table': 'if-not-exists', 'sink.buffer-flush.interval': '0' }
}

function testKilledWriter(writer: KilledWriter): void {
  const { store, makeDatabase } = writer
  describeKilledWriter((program) => {
    testAtLeastOnce(program, { store, makeDatabase, points: aroundFlushes })
    testExactlyOnce(program, writer)
  })
}

function testExactlyOnce(
  program: () => NodeProgram,
  { store, makeDatabase, statements: expected, points, opening, resumptions }: KilledWriter,
): void {
  const exactlyOnce = (url: string): string =>
    crashDdl(['sums', 'versions'], (table) => ({
      ...connectorOptions(store, url),
      'sink.delivery-guarantee': 'exactly-once',
      'sink.id': sinkId,
      ...(table === 'sums' ? { 'merge-engine': 'aggregation', 'fields.default-aggregate-function': 'sum' } : {}),
    }))
  describe.each(resumptions)('exactly once, seed %i, from the %s', (seed, resumeFrom) => {
    test('R5 at every step of a flush, rows and position are those of one and the same flush', async () => {
      await using database = await makeDatabase()
      const records = crashInput(seed, recordCount)
      const task = { store, ddl: exactlyOnce(database.url), seed, recordCount, flushEvery, resumeFrom }
      await using run = await CrashRun.create(program(), database.url, task)
      const statements = new Set<unknown>()
      // where it goes on from matters around the flushes; within them the ledger tells the same either way
      const isFull = resumeFrom === 'ledger'
      for (const point of isFull ? points : aroundFlushes) {
        const { end, lines } = await run.run(point)
        expect(end).toMatchObject(killed)
        expect(lines).toContainEqual({ reached: point })
        for (const line of lines) if ('statement' in line) statements.add(`${line['statement']} ${point.when}`)
        const offset = await run.ledgerOffset(sinkId)
        expect(await run.state()).toEqual(stateAfter(records, offset))
      }
      expect((await run.run()).end).toMatchObject(finished)
      expect(await run.ledgerOffset(sinkId)).toBe(recordCount)
      expect(await run.state()).toEqual(stateAfter(records, recordCount))
      for (const step of isFull ? expected : []) {
        expect(statements).toContain(`${step} before`)
        expect(statements).toContain(`${step} sent`)
      }
    })
  })

  test('R5 at every statement of opening, the next process opens all the same', async () => {
    await using database = await makeDatabase()
    const task = { store, ddl: exactlyOnce(database.url), seed: 1, recordCount: flushEvery, flushEvery }
    await using run = await CrashRun.create(program(), database.url, { ...task, resumeFrom: 'ledger' })
    let number = 1
    for (; ; number++) {
      const { end } = await run.run({ at: 'statement', during: 'open', number, when: 'before' })
      if (end.signal === null) {
        expect(end).toMatchObject(finished)
        break
      }
    }
    expect(number).toBeGreaterThan(opening)
    expect(await run.state()).toEqual(stateAfter(crashInput(1, flushEvery), flushEvery))
  })

  test('R5 a writer that slept through its replacement is fenced when it wakes', async () => {
    await using database = await makeDatabase()
    const task = {
      store,
      ddl: exactlyOnce(database.url),
      seed: 4,
      recordCount,
      flushEvery,
      resumeFrom: 'ledger' as const,
    }
    await using run = await CrashRun.create(program(), database.url, task)
    const sleeper = run.start({ at: 'flush', number: 3, when: 'before', signal: 'SIGSTOP' })
    await sleeper.waitFor('reached')
    expect((await run.run()).end).toMatchObject(finished)
    sleeper.signal('SIGCONT')
    expect(await sleeper.ended).toMatchObject({ code: 1 })
    expect(sleeper.lines).toContainEqual({ failed: 'WRITER_FENCED' })
    expect(await run.state()).toEqual(stateAfter(crashInput(4, recordCount), recordCount))
  })
}

/** About two flushes, statement by statement, and what comes around a flush and its acknowledgement. */
const endPoints: readonly EndPoint[] = [
  ...Array.from({ length: 10 }, (_, index) => index + 1).flatMap((number): EndPoint[] => [
    { at: 'statement', during: 'write', number, when: 'before' },
    { at: 'statement', during: 'write', number, when: 'sent' },
  ]),
  ...[1, 2].flatMap((number): EndPoint[] => [
    { at: 'flush', number, when: 'before' },
    { at: 'flush', number, when: 'sent' },
    { at: 'flush', number, when: 'after' },
    { at: 'position', number, when: 'before-saved' },
    { at: 'position', number, when: 'saved' },
  ]),
]

const aroundFlushes = endPoints.filter(({ at }) => at !== 'statement')
