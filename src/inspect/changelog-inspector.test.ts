import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { StreamDecoder, type StreamDecoderOptions } from '../format/stream-decoder.ts'
import { createSchema } from '../row/schema.ts'
import { ChangelogInspector } from './changelog-inspector.ts'
import type { InspectReport, TableReport } from './inspect-report.ts'
import type { TableProfileOptions } from './table-profile.ts'

type Knowledge = Omit<TableProfileOptions, 'name'>

function inspect(lines: readonly unknown[], known: Knowledge = {}, options: StreamDecoderOptions = {}): InspectReport {
  const inspector = new ChangelogInspector({ name: 'input', tableOf: (name) => ({ name: name ?? null, ...known }) })
  const decoder = new StreamDecoder({
    updateEncoding: 'update',
    onMalformed: (error, { record }) => inspector.malformed(error, record),
    ...options,
  })
  for (const [index, line] of lines.entries()) {
    const value = typeof line === 'string' ? line : JSON.stringify(line)
    decoder.decode({ value, record: index + 1, offset: index + 1 }, (element) => inspector.add(element))
  }
  decoder.end((element) => inspector.add(element))
  const format = { name: decoder.format?.name ?? null, seen: null }
  return inspector.report({ format, lines: lines.length, records: decoder.recordCount })
}

function recording(name: string): readonly string[] {
  const path = join(import.meta.dirname, 'fixtures', `${name}.ndjson.gz`)
  return gunzipSync(readFileSync(path)).toString().trimEnd().split('\n')
}

function onlyTable({ tables }: InspectReport): TableReport {
  const [only] = tables
  if (only === undefined) throw new Error('there is no table')
  return only
}

const op = (kind: string, data: unknown) => ({ op: kind, data })

test.each([
  ['join-p4-raw', ['id'], 296],
  ['join-p4-retract', ['id'], 240],
])('O2 the raw join %s is seen not to be unique by the key of the sink', (name, key) => {
  const report = inspect(recording(name), { key })
  expect(onlyTable(report).keyed?.unmatched.count).toBeGreaterThan(500)
  expect(report.advice[0]).toMatch(
    /^\d+ retractions with another row than the current one of the key .*'sink.upsert-key'/,
  )
})

test.each([
  ['group-retract-minibatch-off', ['customer_id'], 119],
  ['group-upsert-minibatch-on', ['customer_id'], 119],
  ['topn-rank-retract', ['category', 'rn'], 36],
  ['topn-rank-upsert', ['category', 'rn'], 36],
  ['topn-plain-upsert', ['category', 'order_id'], 36],
])('O2 the recording %s is unique by its key', (name, key, rows) => {
  const report = inspect(recording(name), { key })
  expect(onlyTable(report).keyed).toMatchObject({
    unmatched: { count: 0 },
    rowsLeft: rows,
    loneUpdateBefores: { count: 0 },
  })
  expect(report.advice.join()).not.toContain('upsert-key')
})

test('kinds, pairs, key changes and lone retractions are counted with their lines', () => {
  const report = inspect(
    [
      op('+I', { id: 1, v: 'a' }),
      op('-U', { id: 1, v: 'a' }),
      op('+U', { id: 2, v: 'a' }),
      op('+I', { id: 3, v: 'c' }),
      op('-U', { id: 3, v: 'c' }),
      op('-D', { id: 2 }),
      { watermark: 4 },
    ],
    { key: ['id'] },
  )
  expect(report.changes).toEqual({ total: 6, '+I': 2, '-U': 2, '+U': 1, '-D': 1 })
  expect(report.updates).toMatchObject({
    pairs: 1,
    withoutBefore: 0,
    keyChanges: { count: 1, lines: [3] },
    encoding: 'update',
  })
  expect(report.control.watermarks).toBe(1)
  expect(report.deletes).toEqual({ full: 0, keyOnly: 1, ofNothing: 0 })
  expect(onlyTable(report).keyed).toMatchObject({
    keys: 3,
    rowsLeft: 0,
    matched: 2,
    loneUpdateBefores: { count: 2, lines: [2, 5] },
  })
})

test('an update that is written as delete and create is recognised, also between records of other partitions', () => {
  const at = (partition: number, offset: number, value: unknown) => ({ partition, offset, key: null, value })
  const created = (id: number, v: string) => ({ before: null, after: { id, v }, op: 'c' })
  const deleted = (id: number, v: string) => ({ before: { id, v }, after: null, op: 'd' })
  const report = inspect(
    [at(0, 0, created(1, 'a')), at(0, 1, deleted(1, 'a')), at(1, 0, created(5, 'z')), at(0, 2, created(1, 'b'))],
    { key: ['id'] },
  )
  expect(report.updates).toMatchObject({ encoding: 'delete-create', deleteCreatePairs: 1 })
  expect(report.partitions).toBe(2)
  expect(report.advice.join()).toContain('for this input they become updates again')
})

test('partial images, numbers beyond a double, the largest row and repeated records', () => {
  const report = inspect(
    [
      '{"op":"+I","data":{"id":9007199254740993,"v":"a","n":1}}',
      op('+U', { id: 1, v: 'b'.repeat(50) }),
      op('+U', { id: 1, v: 'b'.repeat(50) }),
      'no json',
    ],
    { key: ['id'] },
  )
  expect(report.images).toEqual({ full: 1, partial: 2, key: 0 })
  expect(report.numbersAbove2to53).toEqual({ count: 1, lines: [1], columns: ['id'] })
  expect(report.largestRow).toEqual({ bytes: 65, line: 2 })
  expect(onlyTable(report).keyed?.redelivered).toEqual({ count: 1, lines: [3] })
  expect(report.malformed).toMatchObject({ count: 1, lines: [4], firstReason: 'line 4 is not JSON (column 1)' })
})

test('a record whose offset was passed before is repeated, and is no evidence against the key', () => {
  const at = (offset: number, value: unknown) => ({ topic: 't', partition: 0, offset, key: null, value })
  const update = { before: { id: 1, v: 'a' }, after: { id: 1, v: 'b' }, op: 'u' }
  const report = inspect(
    [
      at(0, { before: null, after: { id: 1, v: 'a' }, op: 'c' }),
      at(1, update),
      at(0, { before: null, after: { id: 1, v: 'a' }, op: 'c' }),
      at(1, update),
    ],
    { key: ['id'] },
  )
  expect(onlyTable(report).keyed).toMatchObject({ unmatched: { count: 0 }, redelivered: { lines: [3, 4] } })
})

test('G1 disorder by a sequence: numbers by value, also as text', () => {
  const report = inspect(
    [
      op('+I', { id: 1, s: '9' }),
      op('+U', { id: 1, s: 10 }),
      op('+U', { id: 1, s: '9' }),
      op('+U', { id: 1, s: '10' }),
      op('+U', { id: 2, s: null }),
    ],
    { key: ['id'], sequence: ['s'] },
  )
  expect(onlyTable(report).sequence).toEqual({
    columns: ['s'],
    older: { count: 1, lines: [3] },
    ties: 1,
    missing: 1,
  })
  expect(report.advice.join()).toContain("'sequence.field' = 's'")
})

test('with a schema values are compared by type, and undeclared and missing columns are named', () => {
  const schema = createSchema(
    [
      { name: 'id', type: { name: 'BIGINT' }, nullable: false },
      { name: 'amount', type: { name: 'DECIMAL', precision: 10, scale: 2 }, nullable: true },
      { name: 'note', type: { name: 'VARCHAR', length: undefined }, nullable: true },
    ],
    ['id'],
  )
  const report = inspect(
    [op('+I', { id: 1, amount: '1.50', extra: 1 }), op('-U', { id: '1', amount: 1.5 }), op('+U', { id: 1, amount: 2 })],
    { schema, key: ['id'] },
  )
  expect(onlyTable(report)).toMatchObject({
    undeclared: { extra: 1 },
    neverSent: ['note'],
    keyed: { keys: 1, matched: 1, unmatched: { count: 0 } },
  })
})

test('B2 groups without an end are told', () => {
  const report = inspect([
    { ...op('+I', { id: 1 }), group: 'a' },
    { groupEnd: 'a' },
    { ...op('+I', { id: 2 }), group: 'b' },
  ])
  expect(report.groups).toEqual({ changes: 2, open: 1 })
  expect(report.advice.join()).toContain('1 group without an end')
})

test('a sequence column that no record has is named as such, and no order is claimed', () => {
  const lines = [op('+I', { id: 1, ts: 5 }), op('+U', { id: 1, ts: 4 })]
  const { advice } = inspect(lines, { key: ['id'], sequence: ['nope'] })
  expect(advice.join()).toContain('no record has nope: nothing can be said of the order; the columns are id, ts')
  expect(advice.join()).not.toContain('out of order')
})
