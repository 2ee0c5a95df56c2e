import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChangelogElement } from '../src/changelog/element.ts'
import { readRecords } from '../src/format/read-records.ts'
import { StreamDecoder, type StreamDecoderOptions } from '../src/format/stream-decoder.ts'
import { ChangelogInspector } from '../src/inspect/changelog-inspector.ts'
import type { InspectReport } from '../src/inspect/inspect-report.ts'
import { createSink } from '../src/sink/create-sink.ts'
import {
  expectedRows,
  type FlinkQuery,
  flinkDdl,
  flinkQueries,
  recordingPath,
  rowText,
  writeRecording,
} from './flink-recordings.ts'
import { createDatabase, type PostgresDatabase } from './services/postgres-database.ts'
import { describeStore } from './stores.ts'

const recordings: readonly [recording: string, query: FlinkQuery, expected: string][] = [
  ['group-retract-minibatch-off', 'group', 'group'],
  ['group-upsert-minibatch-off', 'group', 'group'],
  ['group-upsert-minibatch-on', 'group', 'group'],
  ['topn-rank-retract', 'topn-rank', 'topn-rank'],
  ['topn-rank-upsert', 'topn-rank', 'topn-rank'],
  ['topn-rank-append-retract', 'topn-rank', 'topn-rank-append'],
  ['topn-plain-retract', 'topn-plain', 'topn-plain'],
  ['topn-plain-upsert', 'topn-plain', 'topn-plain'],
  ['upsert', 'topn-rank', 'topn-rank'],
]

const flushSizes = [1, 7, 100, 5000]

const wholeRows = { 'sink.upsert-key': 'none', 'sink.on-conflict': 'deduplicate' }

/** A database that tests write into and look at. */
interface Target {
  /** What a sink is given to find it. */
  readonly client?: unknown
  readonly options: Readonly<Record<string, string>>
  query(text: string): Promise<readonly (readonly unknown[])[]>
}

describeStore('pglite', 'changelogs recorded from Flink', () => {
  let pglite: PGlite
  beforeAll(async () => {
    pglite = await PGlite.create()
  })
  afterAll(() => pglite.close())
  testRecordings(() => ({
    client: pglite,
    options: { connector: 'postgres' },
    query: async (text) => (await pglite.query<unknown[]>(text, [], { rowMode: 'array' })).rows,
  }))
})

describeStore('postgres-machine', 'changelogs recorded from Flink', ({ postgres: server }) => {
  if (server === undefined) return
  let database: PostgresDatabase
  let client: pg.Client
  beforeAll(async () => {
    database = await createDatabase(server)
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
  })
  afterAll(async () => {
    await client?.end()
    await database?.drop()
  })
  testRecordings(() => ({
    options: { connector: 'postgres', url: database.url },
    query: async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
  }))
})

function testRecordings(target: () => Target): void {
  describe.each(flushSizes)('in flushes of %i rows', (maxRows) => {
    const size = { 'sink.buffer-flush.max-rows': String(maxRows) }

    test.each(recordings)('%s ends in the table that the batch query gave', async (recording, query, expected) => {
      const rows = await replay(target(), recording, query, size)
      expect(rows).toEqual(await expectedRows(expected, query))
    })

    test.each(['debezium', 'canal'])(
      'O2 the encoding %s, whose records without a key lie over two partitions, ends right with rows matched whole',
      async (recording) => {
        const rows = await replay(target(), recording, 'topn-rank', { ...size, ...wholeRows })
        expect(rows).toEqual(await expectedRows('topn-rank', 'topn-rank'))
      },
    )
  })

  test('O2 applied by key, the encoding canal ends wrong, since one partition overtakes the other', async () => {
    const rows = await replay(target(), 'canal', 'topn-rank', {})
    expect(differences(rows, await expectedRows('topn-rank', 'topn-rank'))).toBeGreaterThan(0)
  })

  test('O2 a join that is not unique by the key of the sink ends wrong when applied by key', async () => {
    const rows = await replay(target(), 'join-p4-raw', 'join', {})
    expect(differences(rows, await expectedRows('join', 'join'))).toBeGreaterThan(100)
  })

  test('O2 the same join ends right with rows matched whole', async () => {
    const rows = await replay(target(), 'join-p4-raw', 'join', wholeRows)
    expect(rows).toEqual(await expectedRows('join', 'join'))
  })

  test('K2 an update that Flink wrote as delete and create deletes nothing, even in flushes of one row', async () => {
    const table = nextTable()
    const { client, options, query } = target()
    const ddl = flinkDdl('topn-rank', table, { ...options, 'sink.buffer-flush.max-rows': '1' })
    await (await createSink({ table: ddl, client })).close()
    await query(`create table ${table}_deletes (at text)`)
    await query(`create function ${table}_note() returns trigger language plpgsql as $$
      begin insert into ${table}_deletes values (tg_table_name); return old; end $$`)
    await query(`create trigger note before delete on ${table} for each row execute function ${table}_note()`)
    const primaryKey = flinkQueries['topn-rank'].key
    await writeRecording('debezium', await createSink({ table: ddl, client }), { primaryKey })

    const elements = await decodeRecording('debezium', { primaryKey })
    const updates = elements.filter((element) => 'kind' in element && element.kind === '-U').length
    const deletes = elements.filter((element) => 'kind' in element && element.kind === '-D').length
    expect(updates).toBeGreaterThan(900)
    const [[carriedOut] = []] = await query(`select count(*)::int from ${table}_deletes`)
    expect(carriedOut).toBeLessThanOrEqual(deletes)
  })
}

test('O2 with the upsert key of the join declared, the plan is refused until a policy is named', async () => {
  const ddl = flinkDdl('join', 'joined', {
    connector: 'postgres',
    url: 'pglite:memory',
    'sink.upsert-key': 'id, level',
  })
  await expect(createSink({ table: ddl })).rejects.toMatchObject({
    code: 'PLAN_REFUSED',
    message: expect.stringMatching(/sink\.upsert-key.*sink\.on-conflict/s) as unknown,
  })
})

test('O2 the data alone tells that the join is not unique by the key of the sink', async () => {
  const join = await inspect('join-p4-raw', 'join')
  expect(join.tables[0]?.keyed?.unmatched.count).toBeGreaterThan(100)
  expect(join.advice.join('\n')).toMatch(/sink\.upsert-key/)
  const topn = await inspect('topn-rank-retract', 'topn-rank')
  expect(topn.tables[0]?.keyed?.unmatched.count).toBe(0)
})

async function inspect(recording: string, query: FlinkQuery): Promise<InspectReport> {
  const { key } = flinkQueries[query]
  const inspector = new ChangelogInspector({ name: recording, tableOf: () => ({ name: null, key }) })
  const elements = await decodeRecording(recording)
  for (const element of elements) inspector.add(element)
  return inspector.report({
    format: { name: 'changelog-json', seen: null },
    lines: elements.length,
    records: elements.length,
  })
}

async function decodeRecording(recording: string, options: StreamDecoderOptions = {}): Promise<ChangelogElement[]> {
  const decoder = new StreamDecoder(options)
  const elements: ChangelogElement[] = []
  const emit = (element: ChangelogElement) => void elements.push(element)
  for await (const record of readRecords(recordingPath(recording))) decoder.decode(record, emit)
  decoder.end(emit)
  return elements
}

let tableCount = 0

function nextTable(): string {
  return `recorded_${++tableCount}`
}

/** The rows that a recording leaves in a new table. */
async function replay(
  { client, options, query }: Target,
  recording: string,
  flinkQuery: FlinkQuery,
  more: Readonly<Record<string, string>>,
): Promise<ReadonlySet<string>> {
  const table = nextTable()
  const { columns, key } = flinkQueries[flinkQuery]
  const sink = await createSink({ table: flinkDdl(flinkQuery, table, { ...options, ...more }), client })
  await writeRecording(recording, sink, { primaryKey: key })
  const rows = await query(`select ${Object.keys(columns).join(', ')} from ${table}`)
  await query(`drop table ${table}`)
  return new Set(rows.map(rowText))
}

/** Keys that a table lacks, has too many or shows with another row. */
function differences(rows: ReadonlySet<string>, expected: ReadonlySet<string>): number {
  const missing = [...expected].filter((row) => !rows.has(row)).length
  const others = [...rows].filter((row) => !expected.has(row)).length
  return Math.max(missing, others)
}
