import { join } from 'node:path'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMysqlDatabase } from './services/mysql-database.ts'
import { buildProgram, type NodeProgram } from './services/node-program.ts'
import { createDatabase } from './services/postgres-database.ts'
import { askSearch } from './services/search/search-server.ts'
import { describeEachMysql, describeEachSearch, describeStore } from './stores.ts'
import type { LinesWriterTask } from './values/lines-writer.ts'
import { mysqlSample, mysqlSamples, readSamples } from './values/mysql-samples.ts'
import { readSearchSamples, searchSample } from './values/search-samples.ts'
import { type TypeSample, typeSamples } from './values/type-samples.ts'

/** Among them zones with half hours, with three quarters, and one that left out a day. */
const zones = ['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia']

interface ValueStore {
  readonly connector: string
  makeDatabase(): Promise<AsyncDisposable & { readonly url: string }>
  readonly samples: readonly TypeSample[]
  /** What `readRows` gives for a sample. */
  expected(type: TypeSample, value: TypeSample['values'][number]): unknown
  /** All rows past the connector, in order of the id, which comes first. */
  readRows(url: string): Promise<readonly (readonly unknown[])[]>
}

describeStore('postgres-machine', 'values of every type', ({ postgres: server }) => {
  if (server === undefined) return
  testZones({
    connector: 'postgres',
    makeDatabase: () => createDatabase(server),
    samples: typeSamples,
    expected: (_type, [, text]) => text,
    readRows: postgresRows,
  })
})

describeEachMysql('values of every type', (server) => {
  testZones({
    connector: 'mysql',
    makeDatabase: () => createMysqlDatabase(server),
    samples: mysqlSamples,
    expected: mysqlSample,
    readRows: mysqlRows,
  })
})

describeEachSearch('values of every type', ({ connector, url }) => {
  const remove = async (): Promise<void> => {
    await askSearch(url, 'DELETE', '/samples?ignore_unavailable=true')
  }
  testZones({
    connector,
    makeDatabase: async () => ({ url, [Symbol.asyncDispose]: remove }),
    samples: typeSamples,
    expected: searchSample,
    readRows: readSearchSamples,
  })
})

function testZones({ connector, makeDatabase, samples, expected, readRows }: ValueStore): void {
  let program: NodeProgram
  beforeAll(async () => {
    program = await buildProgram(join(import.meta.dirname, 'values', 'lines-writer.ts'))
  })
  afterAll(() => program?.[Symbol.asyncDispose]())

  /** The last row is all null: it has an id beyond the samples of every type. */
  const lineOf = (id: number): string => {
    const members = samples.map(({ values }, at) => `"c${at}": ${values[id]?.[0] ?? 'null'}`)
    return `{"op": "+I", "data": {"id": ${id}, ${members.join(', ')}}}`
  }
  const storedSample = (sample: TypeSample, id: number): unknown => {
    const value = sample.values[id]
    return value === undefined ? null : expected(sample, value)
  }

  test.each(zones)('are stored exactly by a process in the time zone %s', async (zone) => {
    await using database = await makeDatabase()
    const columns = samples.map(({ type }, index) => `c${index} ${type}`)
    const options = `'connector' = '${connector}', 'url' = '${database.url}', 'sink.create-table' = 'if-not-exists'`
    const ddl = `CREATE TABLE samples (id INT, ${columns.join(', ')}, PRIMARY KEY (id) NOT ENFORCED) WITH (${options})`
    const rowCount = Math.max(...samples.map(({ values }) => values.length))
    const ids = Array.from({ length: rowCount + 1 }, (_, id) => id)
    const run = program.start({ ddl, lines: ids.map(lineOf) } satisfies LinesWriterTask, { TZ: zone })
    expect(await run.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await readRows(database.url)).toEqual(
      ids.map((id) => [id, ...samples.map((sample) => storedSample(sample, id))]),
    )
    expect(run.lines).toEqual([{ zone: offsetOf(zone) }])
  })
}

async function postgresRows(url: string): Promise<readonly (readonly unknown[])[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query("set timezone = 'UTC'")
    const texts = typeSamples.map((_, at) => `c${at}::text`)
    const { rows } = await client.query<unknown[]>({
      text: `select id, ${texts.join(', ')} from samples order by id`,
      rowMode: 'array',
    })
    return rows
  } finally {
    await client.end()
  }
}

async function mysqlRows(url: string): Promise<readonly (readonly unknown[])[]> {
  const client = await createConnection({ uri: url, charset: 'utf8mb4_bin' })
  try {
    return await readSamples(client)
  } finally {
    await client.end()
  }
}

/** Minutes west of Greenwich in 1970, as JavaScript counts them. */
function offsetOf(zone: string): number {
  const offsets: Record<string, number> = {
    UTC: 0,
    'America/St_Johns': 210,
    'Asia/Kathmandu': -330,
    'Pacific/Apia': 660,
  }
  return offsets[zone] ?? Number.NaN
}
