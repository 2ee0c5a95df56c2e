import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type DecodeOptions, decode } from '../src/format/decode.ts'
import { readRecords } from '../src/format/read-records.ts'
import type { Sink } from '../src/sink/sink.ts'

/** Queries whose changelogs were recorded from real Flink jobs, with the columns and the key of their sink. */
export const flinkQueries = {
  group: { columns: { customer_id: 'INT', n: 'BIGINT', total: 'DECIMAL(12, 2)' }, key: ['customer_id'] },
  'topn-rank': {
    columns: { category: 'STRING', rn: 'BIGINT', order_id: 'BIGINT', amount: 'DECIMAL(10, 2)' },
    key: ['category', 'rn'],
  },
  'topn-plain': {
    columns: { category: 'STRING', order_id: 'BIGINT', amount: 'DECIMAL(10, 2)' },
    key: ['category', 'order_id'],
  },
  join: { columns: { id: 'BIGINT', name: 'STRING', level: 'INT', title: 'STRING' }, key: ['id'] },
} as const satisfies Record<string, { columns: Readonly<Record<string, string>>; key: readonly string[] }>

export type FlinkQuery = keyof typeof flinkQueries

export function flinkDdl(query: FlinkQuery, table: string, options: Readonly<Record<string, string>>): string {
  const { columns, key } = flinkQueries[query]
  const lines = Object.entries(columns).map(([name, type]) => `${name} ${type}`)
  const given = Object.entries({ 'sink.create-table': 'if-not-exists', ...options })
  const settings = given.map(([name, value]) => `'${name}' = '${value}'`)
  return `CREATE TABLE ${table} (${lines.join(', ')}, PRIMARY KEY (${key.join(', ')}) NOT ENFORCED) WITH (${settings.join(', ')})`
}

/** Path of a recording, gzipped NDJSON. Those in Flink's own encodings are kept with the formats. */
export function recordingPath(name: string): string {
  const folders = [join(import.meta.dirname, 'fixtures'), join(import.meta.dirname, '../src/format/fixtures')]
  const paths = folders.map((folder) => join(folder, 'flink', `${name}.ndjson.gz`))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`there is no recording ${name}`)
  return found
}

/** Writes a whole recording and closes the sink. */
export async function writeRecording(name: string, sink: Sink, options: DecodeOptions = {}): Promise<void> {
  await pipeline(createReadStream(recordingPath(name)), decode(undefined, options), sink.writable())
}

/** The table that the batch query gave over the final input, its rows as text. */
export async function expectedRows(name: string, query: FlinkQuery): Promise<ReadonlySet<string>> {
  const rows = new Set<string>()
  for await (const { value } of readRecords(recordingPath(`${name}.expected`))) {
    const { row } = JSON.parse(String(value)) as { row: Record<string, unknown> }
    rows.add(rowText(Object.keys(flinkQueries[query].columns).map((column) => row[column])))
  }
  return rows
}

/** Numbers as their digits, so that it is the same whichever way a client hands them out. */
export function rowText(values: readonly unknown[]): string {
  return values.map(String).join(' | ')
}
