import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildProgram, type NodeProgram } from './services/node-program.ts'
import { createDatabase } from './services/postgres-database.ts'
import { describeStore } from './stores.ts'
import type { LinesWriterTask } from './values/lines-writer.ts'
import { typeSamples } from './values/type-samples.ts'

/** Among them zones with half hours, with three quarters, and one that left out a day. */
const zones = ['UTC', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia']

describeStore('postgres-machine', 'values of every type', ({ postgres: server }) => {
  if (server === undefined) return
  let program: NodeProgram
  beforeAll(async () => {
    program = await buildProgram(join(import.meta.dirname, 'values', 'lines-writer.ts'))
  })
  afterAll(() => program?.[Symbol.asyncDispose]())

  test.each(zones)('are stored exactly by a process in the time zone %s', async (zone) => {
    await using database = await createDatabase(server)
    const columns = typeSamples.map(({ type }, index) => `c${index} ${type}`)
    const options = `'connector' = 'postgres', 'url' = '${database.url}', 'sink.create-table' = 'if-not-exists'`
    const ddl = `CREATE TABLE samples (id INT, ${columns.join(', ')}, PRIMARY KEY (id) NOT ENFORCED) WITH (${options})`
    const rowCount = Math.max(...typeSamples.map(({ values }) => values.length))
    const ids = Array.from({ length: rowCount + 1 }, (_, id) => id)
    const run = program.start({ ddl, lines: ids.map(lineOf) } satisfies LinesWriterTask, { TZ: zone })
    expect(await run.ended).toMatchObject({ code: 0, stderr: '' })
    expect(await storedRows(database.url)).toEqual(
      ids.map((id) => [id, ...typeSamples.map((_, at) => sampleOf(at, id)?.[1] ?? null)]),
    )
    expect(run.lines).toEqual([{ zone: offsetOf(zone) }])
  })
})

/** The last row is all null: it has an id beyond the samples of every type. */
function lineOf(id: number): string {
  const members = typeSamples.map((_, at) => `"c${at}": ${sampleOf(at, id)?.[0] ?? 'null'}`)
  return `{"op": "+I", "data": {"id": ${id}, ${members.join(', ')}}}`
}

function sampleOf(at: number, id: number): readonly [json: string, text: string] | undefined {
  return typeSamples[at]?.values[id]
}

async function storedRows(url: string): Promise<readonly (readonly unknown[])[]> {
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
