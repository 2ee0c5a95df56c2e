import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { must } from '../assert.ts'
import { type Change, type ChangelogElement, isChange } from '../changelog/element.ts'
import { parseScript } from '../ddl/parse-script.ts'
import { toJsonRow } from '../row/json-value.ts'
import type { RowKind } from '../row/row-kind.ts'
import { createRowReader, imageOf } from '../row/row-reader.ts'
import type { Schema } from '../row/schema.ts'
import type { InputRecord } from './format.ts'
import { readRecords } from './read-records.ts'
import { detectFormat, findFormat } from './registry.ts'

interface ExpectedChange {
  readonly n: number
  readonly kind: RowKind
  readonly key: Record<string, unknown>
  readonly row: Record<string, unknown>
  readonly image: 'full' | 'partial' | 'key'
  readonly missing?: readonly string[]
  readonly group?: string
  readonly keyChange?: boolean
  readonly extra?: readonly string[]
}

interface ExpectedCase {
  readonly format: string
  readonly ddl: string
  readonly options: Readonly<Record<string, string>>
  readonly changes: readonly ExpectedChange[]
  readonly control: readonly { readonly n: number; readonly control: string }[]
  readonly skipped: readonly { n: number; reason: string }[]
  readonly final: readonly Record<string, unknown>[]
}

const folder = new URL('./fixtures/', import.meta.url)
const names = readdirSync(folder)
  .filter((name) => name.endsWith('.expected.json'))
  .map((name) => name.replace('.expected.json', ''))

/** Halves that a case shows only by its text: lines 7 and 9 are one change of key, by the headers of the records. */
const pairsByHeader: Readonly<Record<string, readonly string[]>> = { 'debezium-json': ['-D@7 +I@9'] }

/** What the cases call an option that belongs to the stage as a whole, not to the format. */
const stageOptions = new Set(['timestamp-format', 'schema-drift'])

for (const name of names) {
  const expected: ExpectedCase = JSON.parse(readFileSync(new URL(`${name}.expected.json`, folder), 'utf8'))
  const schema = must(parseScript(expected.ddl).tables[0], 'the case has a table').schema

  test(`${name}: gives exactly the expected changes, and folds into the expected table`, async () => {
    const { format, elements } = await decodeCase(name, expected, schema)
    const seen = elements.flatMap((element) => (isChange(element) ? [describeChange(schema, element)] : []))
    expect(seen).toEqual(
      expected.changes.map(({ n, kind, key, row, image, missing, group, extra }) => ({
        ...{ n, kind, key, row, image, missing: missing ?? [], group },
        extra: extra ?? (format.name === 'debezium-unwrapped' ? expect.toSatisfy(isMetadata) : []),
      })),
    )
    expect(pairsOf(elements)).toEqual(new Set([...expectedPairs(expected), ...(pairsByHeader[name] ?? [])]))
    expect(fold(schema, elements)).toEqual(sorted(schema, expected.final))
  })

  test(`${name}: gives the expected control elements, and no record is lost in silence`, async () => {
    const { elements, recordCount } = await decodeCase(name, expected, schema)
    expect(elements.flatMap(controlOf)).toEqual(expected.control.filter(({ control }) => control !== 'begin'))
    const told = new Set(elements.flatMap(({ record }) => record ?? []))
    const silent = expected.skipped.map(({ n }) => n).concat(linesOf(expected, 'begin'))
    expect(recordCount - told.size).toBe(silent.length)
    expect(silent.filter((line) => told.has(line))).toEqual([])
  })

  test(`${name}: is recognised by its records`, async () => {
    const records: InputRecord[] = []
    for await (const record of readRecords(pathOf(name))) records.push(record)
    expect(detectFormat(records).name).toBe(expected.format)
  })
}

async function decodeCase(name: string, expected: ExpectedCase, schema: Schema) {
  const format = findFormat(expected.format)
  const options = Object.fromEntries(Object.entries(expected.options).filter(([option]) => !stageOptions.has(option)))
  const primaryKey = schema.primaryKey.map((position) => schema.columns[position]?.name ?? '')
  const decoder = format.createDecoder({ options, primaryKey }, [])
  const elements: ChangelogElement[] = []
  const emit = (element: ChangelogElement) => void elements.push(element)
  let recordCount = 0
  for await (const record of readRecords(pathOf(name))) {
    recordCount++
    decoder.decode(record, emit)
  }
  decoder.end(emit)
  return { format, elements, recordCount }
}

function pathOf(name: string): string {
  return fileURLToPath(new URL(`${name}.ndjson`, folder))
}

function isMetadata(names: readonly string[]): boolean {
  return names.every((name) => name.startsWith('__'))
}

function linesOf(expected: ExpectedCase, control: string): number[] {
  return expected.control.flatMap((entry) => (entry.control === control ? [entry.n] : []))
}

/** Kinds and records of the changes that are halves of one pair. */
function pairsOf(elements: readonly ChangelogElement[]): ReadonlySet<string> {
  const pairs = new Map<number, string[]>()
  for (const { kind, record, pair } of elements.filter(isChange)) {
    if (pair !== undefined) pairs.set(pair, [...(pairs.get(pair) ?? []), `${kind}@${record}`])
  }
  return new Set([...pairs.values()].map((halves) => halves.join(' ')))
}

/** A case does not name pairs: they are a `-U` and the `+U` behind it, and the halves of a key change. */
function expectedPairs({ changes }: ExpectedCase): string[] {
  return changes.flatMap((change, index) => {
    const next = changes.at(index + 1)
    const isFirst = change.kind === '-U' ? next?.kind === '+U' : change.keyChange === true && change.kind === '-D'
    return isFirst ? [`${change.kind}@${change.n} ${next?.kind}@${next?.n}`] : []
  })
}

function controlOf(element: ChangelogElement): Record<string, unknown>[] {
  switch (element.type) {
    case 'truncate':
      return [{ n: element.record, control: 'truncate' }]
    case 'schema-change':
      return [{ n: element.record, control: 'schema', sql: element.description }]
    case 'watermark':
      return [{ n: element.record, control: 'progress', watermark: element.timestamp }]
    case 'group-end':
      return element.record === undefined
        ? []
        : [{ n: element.record, control: 'commit', position: element.position?.offset }]
    default:
      return []
  }
}

/** The change as the table sees it, in the value encoding of the cases. */
function describeChange(schema: Schema, change: Change) {
  const extra: string[] = []
  const row = createRowReader(schema, change.encoding).read(change.row, (column) => extra.push(column))
  const image = imageOf(schema, row, change.kind)
  const described = toJsonRow(schema, row)
  return {
    n: change.record ?? 0,
    kind: change.kind,
    key: keyOf(schema, described),
    row: described,
    image,
    missing:
      image === 'partial' ? schema.columns.flatMap((column, at) => (row[at] === undefined ? [column.name] : [])) : [],
    group: change.group,
    extra,
  }
}

function keyOf(schema: Schema, row: Record<string, unknown>): Record<string, unknown> {
  const columns = schema.primaryKey.map((position) => schema.columns[position]?.name ?? '')
  return Object.fromEntries(columns.map((column) => [column, row[column]]))
}

/** Folds by key: what comes is laid over what is there, a retraction removes, a truncate empties. */
function fold(schema: Schema, elements: readonly ChangelogElement[]): Record<string, unknown>[] {
  const table = new Map<string, Record<string, unknown>>()
  for (const element of elements) {
    if (element.type === 'truncate') table.clear()
    if (!isChange(element)) continue
    const { kind, key, row } = describeChange(schema, element)
    const id = JSON.stringify(key)
    if (kind === '+I' || kind === '+U') table.set(id, { ...table.get(id), ...row })
    else table.delete(id)
  }
  return sorted(schema, [...table.values()])
}

function sorted(schema: Schema, rows: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return rows.toSorted((a, b) => (JSON.stringify(keyOf(schema, a)) < JSON.stringify(keyOf(schema, b)) ? -1 : 1))
}
