import { expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../../adapters/memory/index.ts'
import type { Change } from '../changelog/element.ts'
import type { DeadLetter, FailureHandler } from '../delivery/failure-handler.ts'
import { createSink, createSinks } from './create-sink.ts'
import type { CreateSinkOptions } from './create-sink-options.ts'

/** How callers use a sink: the order of their calls, handlers of their own, and members that do not fit. */

const ddl = (options = '') =>
  `CREATE TABLE t (id INT, name STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory'${options})`

const row = (id: unknown, more: Partial<Change> = {}): Change => ({
  kind: '+I',
  row: { id, name: 'a name that is long enough to fill a small buffer soon'.repeat(4) },
  ...more,
})

function ids(store: MemoryStore): unknown[] {
  return [...(store.tables.get('t')?.rows.values() ?? [])].map((stored) => (stored as readonly unknown[])[0])
}

function collecting(): FailureHandler & { readonly letters: DeadLetter[]; closed: boolean } {
  const letters: DeadLetter[] = []
  return {
    letters,
    closed: false,
    async handle(more) {
      letters.push(...more)
    },
    async close() {
      this.closed = true
    },
  }
}

test('R1 a flush that nobody awaited before close ends with what close reports', async () => {
  const store = createMemoryStore()
  const sink = await createSink({ table: ddl(), client: store })
  void sink.write(row(1))
  const flushing = sink.flush()
  const closing = sink.close()
  expect((await flushing).account.written).toBe(1)
  expect((await closing).account.written).toBe(1)
  await expect(sink.flush()).rejects.toMatchObject({ code: 'SINK_CLOSED' })
})

test('R1 B3 writes that wait for room when close is called are written, later ones are refused', async () => {
  const store = createMemoryStore()
  const sink = await createSink({ table: ddl(", 'sink.buffer.max-bytes' = '64kb'"), client: store })
  const writes = Array.from({ length: 2000 }, (_, id) => sink.write(row(id)))
  const closing = sink.close()
  await expect(sink.write(row(9999))).rejects.toMatchObject({ code: 'SINK_CLOSED' })
  await Promise.all(writes)
  expect((await closing).account).toMatchObject({ accepted: 2000, written: 2000 })
  expect(ids(store)).toHaveLength(2000)
})

test('R5 exactly-once refuses what has no position, and takes nothing of it', async () => {
  const exactly = ", 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 's', 'sink.flush.align' = 'group'"
  const store = createMemoryStore()
  const source = { groupEnd: 'marker' } as const
  const sink = await createSink({ table: ddl(exactly), client: store, source })
  await expect(sink.write(row(1))).rejects.toMatchObject({
    code: 'INPUT_MALFORMED',
    message: expect.stringContaining('has no position'),
  })
  await sink.write(row(2, { position: { partition: '', offset: 1 } }))
  await sink.write(row(3, { group: 'g' }))
  await expect(sink.write({ type: 'group-end', group: 'g' })).rejects.toMatchObject({ code: 'INPUT_MALFORMED' })
  await sink.write({ type: 'group-end', group: 'g', position: { partition: '', offset: 2 } })
  const { account, positions } = await sink.close()
  expect(account).toMatchObject({ accepted: 2, written: 2 })
  expect([...positions]).toEqual([['', 2]])
  expect(ids(store)).toEqual([2, 3])
})

test('R3 a failure handler of the caller is called, whatever the table says', async () => {
  for (const options of ['', ", 'sink.failure-handler' = 'skip'"]) {
    const handler = collecting()
    const sink = await createSink({ table: ddl(options), client: createMemoryStore(), failureHandler: handler })
    await sink.write(row('no number'))
    await sink.write(row(2))
    expect((await sink.close()).account).toMatchObject({ accepted: 2, rejected: 1, written: 1 })
    expect(handler.letters).toMatchObject([{ code: 'ROW_INVALID', row: { id: 'no number' } }])
    expect(handler.closed).toBe(true)
  }
})

test('members that do not fit are refused together, each with what would fit', async () => {
  const open = (given: unknown) => createSink(given as CreateSinkOptions)
  await expect(open(undefined)).rejects.toMatchObject({ code: 'OPTION_INVALID', problems: [{ subject: 'table' }] })
  await expect(open({ tabel: ddl(), failureHandler: () => {}, onEvent: {} })).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    problems: [
      { subject: 'tabel', fix: 'did you mean table?' },
      { subject: 'failureHandler', message: 'has no method handle(letters)' },
      { subject: 'onEvent' },
      { subject: 'table', message: 'is missing' },
    ],
  })
  await expect(createSinks({ tables: 5 as never })).rejects.toMatchObject({ problems: [{ subject: 'tables' }] })
})
