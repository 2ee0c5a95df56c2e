import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { Change, ChangelogElement } from '../changelog/element.ts'
import { DeleteCreatePairing, keyOfColumns } from '../changelog/pair-delete-create.ts'
import { parseDataType } from '../ddl/parse-data-type.ts'
import { stringifyRow } from '../row/json-value.ts'
import { isAdd } from '../row/row-kind.ts'
import { createRowReader } from '../row/row-reader.ts'
import { createSchema } from '../row/schema.ts'
import { readRecords } from './read-records.ts'
import { StreamDecoder } from './stream-decoder.ts'

/** The Top-3 changelog of one Flink job, in each of Flink's encodings. */
const columns = { category: 'STRING', rn: 'BIGINT', order_id: 'BIGINT', amount: 'DECIMAL(10, 2)' }
const schema = createSchema(
  Object.entries(columns).map(([name, type]) => ({ name, type: parseDataType(type), nullable: true })),
  ['category', 'rn'],
)

async function decodeRecording(name: string): Promise<{ format: string; changes: Change[] }> {
  const path = fileURLToPath(new URL(`./fixtures/flink/${name}.ndjson.gz`, import.meta.url))
  const decoder = new StreamDecoder({ primaryKey: ['category', 'rn'] })
  const elements: ChangelogElement[] = []
  const emit = (element: ChangelogElement) => void elements.push(element)
  for await (const record of readRecords(path)) decoder.decode(record, emit)
  decoder.end(emit)
  return {
    format: decoder.format?.name ?? '',
    changes: elements.filter((element): element is Change => 'kind' in element),
  }
}

const textOf = ({ row, encoding }: Change) => stringifyRow(schema, createRowReader(schema, encoding).read(row))

/** Rows matched whole: what is added and not taken back. */
function wholeRows(changes: readonly Change[]): string[] {
  const counts = new Map<string, number>()
  for (const change of changes) {
    const text = textOf(change)
    counts.set(text, (counts.get(text) ?? 0) + (isAdd(change.kind) ? 1 : -1))
  }
  return [...counts].flatMap(([text, count]) => Array<string>(Math.abs(count)).fill(count > 0 ? text : `-${text}`))
}

async function expectedRows(): Promise<Set<string>> {
  const { changes } = await decodeRecording('topn-rank.expected')
  expect(changes).toHaveLength(36)
  return new Set(changes.map(textOf))
}

test.each([
  ['topn-rank-retract', 'changelog-json', 1982],
  ['debezium', 'debezium-json', 1982],
  ['canal', 'canal-json', 1982],
])('%s is recognised as %s, and its rows end as those of the batch query', async (name, format, count) => {
  const recording = await decodeRecording(name)
  expect(recording.format).toBe(format)
  expect(recording.changes).toHaveLength(count)
  expect(new Set(wholeRows(recording.changes))).toEqual(await expectedRows())
})

test('upsert is recognised as upsert-kafka, and ends by key as the batch query', async () => {
  const { format, changes } = await decodeRecording('upsert')
  expect(format).toBe('upsert-kafka')
  const table = new Map<string, string>()
  const keyOf = keyOfColumns(['category', 'rn'])
  for (const change of changes) {
    const key = keyOf(change) ?? ''
    if (isAdd(change.kind)) table.set(key, textOf(change))
    else table.delete(key)
  }
  expect(new Set(table.values())).toEqual(await expectedRows())
})

test.each(['debezium', 'canal'])(
  '%s: deletes and creates become updates again, and the rows stay the same',
  async (name) => {
    const { changes } = await decodeRecording(name)
    const pairing = new DeleteCreatePairing(keyOfColumns(['category', 'rn']))
    const paired: Change[] = []
    const emit = (element: ChangelogElement) => void paired.push(element as Change)
    for (const change of changes) pairing.push(change, emit)
    pairing.end(emit)
    expect(paired).toHaveLength(changes.length)
    expect(new Set(wholeRows(paired))).toEqual(await expectedRows())
    const updates = paired.filter(({ kind }) => kind === '-U').length
    const deletes = changes.filter(({ kind }) => kind === '-D').length
    expect(paired.filter(({ kind }) => kind === '+U')).toHaveLength(updates)
    expect(updates).toBeGreaterThan(deletes / 2)
  },
)
