import { blackhole } from '../../adapters/blackhole/index.ts'
import { AccountCounters } from '../../src/buffer/account.ts'
import { FoldBuffer } from '../../src/buffer/fold-buffer.ts'
import type { ChangelogElement } from '../../src/changelog/element.ts'
import { parseScript } from '../../src/ddl/parse-script.ts'
import { findFormat } from '../../src/format/registry.ts'
import { createMergeFunction } from '../../src/merge/create-merge-function.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import type { Row } from '../../src/row/row.ts'
import { createRowKeyCodec } from '../../src/row/row-key.ts'
import { createRowReader } from '../../src/row/row-reader.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { planDomains, readTables } from '../../src/sink/plan-tables.ts'
import { contest, formatStandings, measure, type Run } from './contest.ts'
import { orderColumns, orderUpdates } from './order-updates.ts'

const keys = 100_000
const count = 400_000

const ddl = (options = ''): string => `CREATE TABLE orders (${orderColumns}) WITH (
  'connector' = 'blackhole', 'sink.buffer-flush.interval' = '0', 'sink.buffer-flush.max-rows' = '1000000',
  'sink.buffer-flush.max-bytes' = '0', 'sink.buffer.max-bytes' = '2gb'${options})`

/** The core alone, one thread, nothing stored: what a record costs before a store sees it. */
export async function benchCore(rounds: number): Promise<void> {
  const updates = orderUpdates(count, keys)
  const standings = await contest(
    [
      { name: 'decode changelog-json', run: () => decodeRate('changelog-json', updates.map(changelogLine)) },
      { name: 'decode debezium-json', run: () => decodeRate('debezium-json', updates.map(debeziumLine)) },
      { name: 'read rows (objects to canonical values)', run: () => readRate(updates) },
      { name: 'fold, single BIGINT key', run: () => foldRate(updates, '') },
      { name: 'fold, with a sequence gate', run: () => foldRate(updates, ", 'sequence.field' = 'version'") },
      { name: 'write() into a blackhole: read and fold', run: () => writeRate(updates) },
    ],
    rounds,
  )
  process.stdout.write(
    `core alone, ${count / 1000}k records over ${keys / 1000}k keys\n${formatStandings(standings)}\n`,
  )
  process.stdout.write(`  heap held for each buffered key: ${await heapPerKey()} bytes\n`)
}

type Update = ReturnType<typeof orderUpdates>[number]

function changelogLine(update: Update): string {
  return toJsonText({ op: '+U', data: update })
}

function debeziumLine(update: Update): string {
  return toJsonText({ before: null, after: update, op: 'c', source: { lsn: 1, table: 'orders' }, ts_ms: 1 })
}

async function decodeRate(format: string, lines: readonly string[]): Promise<Run> {
  const decoder = findFormat(format).createDecoder({ options: {}, primaryKey: ['id'] }, [])
  let decoded = 0
  const emit = (_: ChangelogElement): void => {
    decoded++
  }
  return measure(lines.length, () => {
    for (const line of lines) decoder.decode({ value: line }, emit)
    decoder.end(emit)
    if (decoded < lines.length) throw new Error('records were lost')
  })
}

async function readRate(updates: readonly Update[]): Promise<Run> {
  const { schema } = await planned('')
  const reader = createRowReader(schema)
  return measure(updates.length, () => {
    for (const update of updates) reader.read(update as never)
  })
}

async function foldRate(updates: readonly Update[], options: string): Promise<Run> {
  const { schema, merge } = await planned(options)
  const reader = createRowReader(schema)
  const rows: Row[] = updates.map((update) => reader.read(update as never))
  const codec = createRowKeyCodec(schema)
  const rules = createMergeFunction(merge)
  const buffer = new FoldBuffer(0, rules, new AccountCounters(), { rowCount: 0, byteCount: 0 })
  const origin = { arrival: 1, record: undefined, position: undefined }
  return measure(rows.length, () => {
    for (const row of rows) {
      const lifted = rules.lift({ kind: '+U', row, key: codec.keyOf(row) ?? 0, image: 'full' })
      if (lifted.outcome === 'change') buffer.add(lifted.change, 200, true, origin)
    }
  })
}

async function writeRate(updates: readonly Update[]): Promise<Run> {
  const sink = await createSink({ table: ddl() })
  const changes = updates.map((row) => ({ kind: '+U' as const, row: row as never }))
  const rate = await measure(changes.length, () => {
    for (const change of changes) void sink.write(change)
  })
  await sink.close()
  return rate
}

async function heapPerKey(): Promise<number> {
  const sink = await createSink({ table: ddl() })
  global.gc?.()
  const before = process.memoryUsage().heapUsed
  for (const row of orderUpdates(keys * 2, keys)) await sink.write({ kind: '+U', row: row as never })
  global.gc?.()
  const held = process.memoryUsage().heapUsed - before
  const { rowCount } = sink.load()
  await sink.close()
  return Math.round(held / rowCount)
}

async function planned(options: string) {
  const sets = await readTables(parseScript(ddl(options)).tables, [blackhole])
  const [domain] = planDomains(sets)
  const [table] = domain?.plan.tables ?? []
  if (table === undefined) throw new Error('the DDL holds a table')
  return table
}
