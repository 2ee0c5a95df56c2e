import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore, memory } from '../../adapters/memory/index.ts'
import type { Change } from '../changelog/element.ts'
import type { WriteBatch } from '../connector/batch.ts'
import type { BatchShape } from '../connector/capabilities.ts'
import type { Connector } from '../connector/connector.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import type { SinkEvent } from '../delivery/sink-event.ts'
import { rowToObject } from '../row/row.ts'
import { cuts, retractStream } from '../testing/changelog-arbitrary.ts'
import { parseChangelog } from '../testing/changelog-text.ts'
import { declaredTable, tableDdl } from '../testing/conformance-table.ts'
import { faultyConnector } from '../testing/faulty-connector.ts'
import { model } from '../testing/model.ts'
import { readModelRules } from '../testing/model-rules.ts'
import { rowDifferences } from '../testing/row-difference.ts'
import { createSink } from './create-sink.ts'
import type { FlushReport } from './sink.ts'

const people = 'id INT, name STRING, city STRING, PRIMARY KEY (id) NOT ENFORCED'

function tableOf(columns = people, options: Readonly<Record<string, string>> = {}): TableDefinition {
  return declaredTable(
    tableDdl('people', columns, {
      connector: 'memory',
      'sink.buffer-flush.interval': '0',
      'source.changelog-mode': 'retract',
      ...options,
    }),
  )
}

/** Memory as a store that takes batches of that shape; `batches` are what it got. */
function shaped(batchShape: BatchShape): { readonly connector: Connector; readonly batches: readonly WriteBatch[] } {
  const capabilities = { ...memory.capabilities(), batchShape, moves: false }
  return faultyConnector({ ...memory, capabilities: () => capabilities }, () => undefined)
}

interface Written {
  readonly store: MemoryStore
  readonly report: FlushReport
  readonly batches: readonly WriteBatch[]
  readonly events: readonly SinkEvent[]
}

/** `flushAfter`: indexes of changes. */
async function write(
  batchShape: BatchShape,
  table: TableDefinition,
  changes: readonly Change[],
  flushAfter: readonly number[] = [],
): Promise<Written> {
  const store = createMemoryStore()
  const events: SinkEvent[] = []
  const { connector, batches } = shaped(batchShape)
  const sink = await createSink({
    ...{ table, client: store, connectors: [connector] },
    onEvent: (event) => events.push(event),
  })
  for (const [index, change] of changes.entries()) {
    await sink.write(change)
    if (flushAfter.includes(index)) await sink.flush()
  }
  return { store, report: await sink.close(), batches, events }
}

const changelog = (table: TableDefinition, text: string): Change[] => parseChangelog(table.schema, text) as Change[]

function storedRows(store: MemoryStore): unknown[] {
  return [...(store.tables.get('people')?.rows.values() ?? [])]
}

test('K2 pairs: a flush holds the first image that is taken back and the last that stands, -U before +U', async () => {
  const table = tableOf()
  const text =
    '+I 1 ann rome | -U 1 ann rome | +U 1 ann oslo | -U 1 ann oslo | +U 1 eve oslo | +I 2 bob bern | -D 2 bob bern'
  const { batches, store, report } = await write('retract-pairs', table, changelog(table, text), [0])
  expect(batches.map(({ tables }) => tables[0]?.waves.flat().length)).toEqual([1, 3])
  expect(batches[1]?.tables[0]?.waves[0]?.[0]).toMatchObject({
    op: 'upsert',
    before: [1, 'ann', 'rome'],
    row: [1, 'eve', 'oslo'],
  })
  expect(storedRows(store)).toEqual([[1, 'eve', 'oslo']])
  expect(report.account).toMatchObject({ accepted: 7, written: 4, folded: 3, held: 0 })
})

test('K2 pairs: an update-before waits for the image that takes its place', async () => {
  const table = tableOf(people, { 'sink.buffer-flush.max-rows': '1' })
  const { batches } = await write(
    'retract-pairs',
    table,
    changelog(table, '+I 1 ann rome | -U 1 ann rome | +U 1 ann oslo'),
  )
  const sent = batches.flatMap(({ tables }) => tables[0]?.waves.flat() ?? [])
  expect(sent.map(({ op, before }) => [op, before !== undefined])).toEqual([
    ['upsert', false],
    ['upsert', true],
  ])
})

test('K6 pairs: an update that changes the key takes the old image back and sets the new one, in one flush', async () => {
  const table = tableOf()
  const [insert, before, after] = changelog(table, '+I 1 ann rome | -U 1 ann rome | +U 2 ann ~')
  const moved = [insert, { ...before, pair: 1 }, { ...after, pair: 1 }] as Change[]
  const { batches, store } = await write('retract-pairs', table, moved, [0])
  // the column that the new image lacks is that of the old one
  expect(storedRows(store)).toEqual([[2, 'ann', 'rome']])
  expect(batches[1]?.tables[0]?.waves.flat().map(({ op, row }) => [op, row])).toEqual([
    ['retract', [1, 'ann', 'rome']],
    ['upsert', [2, 'ann', 'rome']],
  ])
})

test('K2 pairs: what lacks columns is rejected', async () => {
  const table = tableOf(people, { 'sink.failure-handler': 'skip' })
  const { events, store } = await write('retract-pairs', table, changelog(table, '+I 1 ann rome | -D 1 | +I 2 bob ~'))
  expect(events.filter(({ type }) => type === 'rejected')).toHaveLength(2)
  expect(storedRows(store)).toEqual([[1, 'ann', 'rome']])
})

test('K2 pairs: any retract stream, cut anywhere, ends as without folding', async () => {
  // with NOT NULL columns, no row looks like a delete by key
  const table = tableOf('id INT, name STRING NOT NULL, n INT, PRIMARY KEY (id) NOT ENFORCED')
  const streams = retractStream(table, { keyChanges: true }).chain((changes) =>
    fc.record({ changes: fc.constant(changes), cut: cuts(changes.length) }),
  )
  await fc.assert(
    fc.asyncProperty(streams, async ({ changes, cut }) => {
      const { store, report } = await write('retract-pairs', table, changes, cut)
      const rows = [...(store.tables.get('people')?.rows.values() ?? [])].map((row) => rowToObject(table.schema, row))
      expect(rowDifferences(table, model(table, changes).rows, rows)).toEqual([])
      const { accepted, written, folded, stale, ignored, rejected } = report.account
      expect([accepted, stale, ignored, rejected]).toEqual([written + folded, 0, 0, 0])
    }),
    { numRuns: 150 },
  )
  expect(readModelRules(table).key).toEqual(['id'])
})

test('K2 log: every change is a row of its own, in the order of arrival', async () => {
  const table = tableOf()
  const text = '+I 2 ann rome | +I 1 bob bern | -U 2 ann rome | +U 2 ann oslo | -D 1 | +I 1 null null'
  const { batches, store, report } = await write('log', table, changelog(table, text), [1])
  const sent = batches.flatMap(({ tables }) => tables[0]?.waves.flat() ?? [])
  expect(sent.map(({ op, kind, row, key }) => [op, kind, row[0], key])).toEqual([
    ['insert', '+I', 2, 1],
    ['insert', '+I', 1, 2],
    ['insert', '-U', 2, 3],
    ['insert', '+U', 2, 4],
    ['insert', '-D', 1, 5],
    ['insert', '+I', 1, 6],
  ])
  expect(store.tables.get('people')?.appended).toHaveLength(6)
  expect(report.account).toMatchObject({ accepted: 6, written: 6, folded: 0, ignored: 0 })
})

test('K2 log: the halves of an update that changes the key are two changes, and dropped update-befores are ignored', async () => {
  const table = tableOf(people, { 'sink.ignore.update-before': 'true' })
  const [before, after] = changelog(table, '-U 1 ann rome | +U 2 ann rome')
  const { batches, report } = await write('log', table, [
    { ...before, pair: 1 },
    { ...after, pair: 1 },
  ] as Change[])
  expect(batches.flatMap(({ tables }) => tables[0]?.waves.flat() ?? []).map(({ kind }) => kind)).toEqual(['+U'])
  expect(report.account).toMatchObject({ accepted: 2, written: 1, ignored: 1 })
})

test('K2 log: a change that lacks its key is rejected all the same', async () => {
  const table = tableOf(people, { 'sink.failure-handler': 'skip' })
  const { events } = await write('log', table, changelog(table, '+I null ann rome'))
  expect(events.filter(({ type }) => type === 'rejected')).toMatchObject([{ code: 'KEY_MISSING' }])
})
