import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test, vi } from 'vitest'
import { createMemoryStore, type MemoryStore, memory } from '../../adapters/memory/index.ts'
import type { Change } from '../changelog/element.ts'
import type { Connector, SinkWriter } from '../connector/connector.ts'
import type { SinkEvent } from '../delivery/sink-event.ts'
import type { UnwrittenError } from '../delivery/unwritten-error.ts'
import { TidegateError } from '../errors.ts'
import { createSink, createSinks } from './create-sink.ts'
import type { CreateSinkOptions } from './create-sink-options.ts'
import type { Sink } from './sink.ts'

const columns = 'id BIGINT, status STRING, amount DECIMAL(10, 2), ts BIGINT, PRIMARY KEY (id) NOT ENFORCED'

const ddl = (options: string, name = 'orders', body = columns) =>
  `CREATE TABLE ${name} (${body}) WITH ('connector' = 'memory', 'sink.buffer-flush.interval' = '0'${options});`

interface Opened {
  readonly sink: Sink
  readonly store: MemoryStore
  readonly events: SinkEvent[]
}

async function open(options = '', more: Partial<CreateSinkOptions> = {}, body = columns): Promise<Opened> {
  const store = createMemoryStore()
  const events: SinkEvent[] = []
  const onEvent = (event: SinkEvent) => events.push(event)
  const sink = await createSink({ table: ddl(options, 'orders', body), client: store, onEvent, ...more })
  return { sink, store, events }
}

function rows(store: MemoryStore, name = 'orders'): unknown[] {
  return [...(store.tables.get(name)?.rows.values() ?? [])]
}

const change = (kind: Change['kind'], id: number, status: string, more: Partial<Change> = {}): Change => ({
  kind,
  row: { id, status, amount: '1.5', ts: 0 },
  ...more,
})

const at = (offset: number, partition = '') => ({ position: { partition, offset } })

/** The memory connector with a writer that the test can hold, fail or watch. */
function steered(steer: (write: SinkWriter['write']) => SinkWriter['write']): Connector {
  return {
    ...memory,
    open: async (context) => {
      const writer = await memory.open(context)
      const write = steer((batch, writeContext) => writer.write(batch, writeContext))
      return {
        server: writer.server,
        positions: writer.positions,
        write,
        committed: async (id) => await writer.committed?.(id),
        close: () => writer.close(),
      }
    },
    classify: () => 'transient',
  }
}

/** Turns of the event loop enough for every flush that can end to have ended: no clock is involved. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise<void>((resolve) => setImmediate(resolve))
}

test('K1 a row goes from the DDL through plan, fold and flush into the store', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'new'))
  await sink.write(change('+U', 1, 'paid'))
  expect(rows(store)).toEqual([])
  const { account } = await sink.close()
  expect(rows(store)).toEqual([[1n, 'paid', '1.50', 0n]])
  expect(account).toEqual({ accepted: 2, written: 1, folded: 1, stale: 0, ignored: 0, rejected: 0, held: 0 })
})

test('B1 rows, bytes and interval each start a flush, and 0 turns them off', async () => {
  const byRows = await open(", 'sink.buffer-flush.max-rows' = '2', 'sink.buffer-flush.max-bytes' = '0'")
  await byRows.sink.write(change('+I', 1, 'a'))
  await settle()
  expect(rows(byRows.store)).toHaveLength(0)
  await byRows.sink.write(change('+I', 2, 'b'))
  await settle()
  expect(rows(byRows.store)).toHaveLength(2)
  await byRows.sink.close()

  const byBytes = await open(", 'sink.buffer-flush.max-rows' = '0', 'sink.buffer-flush.max-bytes' = '1kb'")
  await byBytes.sink.write(change('+I', 1, 'x'.repeat(2000)))
  await settle()
  expect(rows(byBytes.store)).toHaveLength(1)
  await byBytes.sink.close()

  const store = createMemoryStore()
  const table = ddl('').replace("'sink.buffer-flush.interval' = '0'", "'sink.buffer-flush.interval' = '20ms'")
  const byTime = await createSink({ table, client: store })
  await byTime.write(change('+I', 1, 'a'))
  expect(rows(store)).toHaveLength(0)
  await vi.waitFor(() => expect(rows(store)).toHaveLength(1))
  await byTime.close()
})

test('K2 a cut pair is held: a reader never sees its row vanish, and its position is not durable', async () => {
  const { sink, store } = await open(", 'sink.buffer-flush.max-rows' = '2'")
  await sink.write(change('+I', 1, 'new', at(1)))
  await sink.flush()
  await sink.write(change('-U', 1, 'new', at(2)))
  await sink.write(change('+I', 2, 'other', at(3)))
  await settle()
  expect(rows(store)).toContainEqual([1n, 'new', '1.50', 0n])
  expect(rows(store)).toContainEqual([2n, 'other', '1.50', 0n])
  expect([...sink.positions()]).toEqual([['', 1]])
  await sink.write(change('+U', 1, 'paid', at(4)))
  await sink.flush()
  expect(rows(store)).toContainEqual([1n, 'paid', '1.50', 0n])
  expect([...sink.positions()]).toEqual([['', 4]])
  const { account } = await sink.close()
  expect(account).toMatchObject({ accepted: 4, written: 3, ignored: 1, held: 0 })
})

test('K2 a lone update-before is a delete of that version once its hold ends', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'new'))
  await sink.flush()
  await sink.write(change('-U', 1, 'new'))
  await sink.flush()
  expect(rows(store)).toEqual([])
  await sink.write(change('+I', 1, 'again'))
  await sink.write(change('-U', 1, 'some older version'))
  await sink.close()
  expect(rows(store)).toEqual([[1n, 'again', '1.50', 0n]])
})

test('K2 the second flush after it ends a hold', async () => {
  const { sink, store } = await open(", 'sink.buffer-flush.max-rows' = '2'")
  await sink.write(change('+I', 1, 'new'))
  await sink.flush()
  await sink.write(change('-U', 1, 'new'))
  await sink.write(change('+I', 2, 'a'))
  await settle()
  expect(rows(store)).toHaveLength(2)
  await sink.write(change('+I', 3, 'b'))
  await settle()
  expect(rows(store)).toHaveLength(2)
  expect(rows(store)).not.toContainEqual([1n, 'new', '1.50', 0n])
  await sink.close()
})

test('K3 K4 updates without a primary key are rejected when they come, naming the remedy', async () => {
  const body = 'id BIGINT, status STRING'
  const { sink, store } = await open('', {}, body)
  await sink.write({ kind: '+I', row: { id: 1, status: 'a' } })
  await sink.write({ kind: '+I', row: { id: 1, status: 'a' } })
  await expect(sink.write({ kind: '-D', row: { id: 1, status: 'a' }, record: 3 })).rejects.toThrow(
    /record 3.*PRIMARY KEY/s,
  )
  await expect(sink.close()).rejects.toThrow(/PRIMARY KEY/)
  expect(store.tables.get('orders')?.appended).toEqual([
    [1n, 'a'],
    [1n, 'a'],
  ])
})

test('K5 a truncate is a barrier between what came before and after it', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'before'))
  const truncating = sink.write({ type: 'truncate', table: 'orders' })
  const after = sink.write(change('+I', 2, 'after'))
  await Promise.all([truncating, after])
  await sink.close()
  expect(rows(store)).toEqual([[2n, 'after', '1.50', 0n]])
})

test('K5 a truncate is refused or ignored where the option says so', async () => {
  const refusing = await open(", 'sink.truncate' = 'error'")
  await expect(refusing.sink.write({ type: 'truncate' })).rejects.toMatchObject({ code: 'TRUNCATE_REFUSED' })
  await refusing.sink.close().catch(() => {})
  const ignoring = await open(", 'sink.truncate' = 'ignore'")
  await ignoring.sink.write(change('+I', 1, 'a'))
  await ignoring.sink.write({ type: 'truncate' })
  await ignoring.sink.close()
  expect(rows(ignoring.store)).toHaveLength(1)
})

test('K6 the halves of a change of key are one flush, and the account closes', async () => {
  const flushes: string[][] = []
  const connector = steered((write) => async (batch, context) => {
    flushes.push(batch.tables.flatMap(({ waves }) => waves.flat().map(({ op, key }) => `${op} ${String(key)}`)))
    return await write(batch, context)
  })
  const { sink, store } = await open(", 'sink.buffer-flush.max-rows' = '1'", { connectors: [connector] })
  await sink.write(change('+I', 1, 'a'))
  await sink.flush()
  await sink.write(change('-U', 1, 'a', { pair: 7 }))
  await settle()
  await sink.write(change('+U', 2, 'a', { pair: 7 }))
  const { account } = await sink.close()
  expect(rows(store)).toEqual([[2n, 'a', '1.50', 0n]])
  expect(flushes).toEqual([['upsert 1'], ['delete 1', 'upsert 2']])
  expect(account).toMatchObject({ accepted: 3, written: 3, held: 0 })
})

test('R4 the deletion of a changed key is no change more where its update-before went out in an earlier flush', async () => {
  const { sink, store } = await open(", 'sequence.field' = 'ts'")
  await sink.write(change('+I', 1, 'a', { row: { id: 1, status: 'a', amount: '1.5', ts: 1 } }))
  await sink.flush()
  await sink.write(change('-U', 1, 'a', { row: { id: 1, status: 'a', amount: '1.5', ts: 1 }, pair: 7 }))
  await sink.flush()
  await sink.write(change('+U', 2, 'a', { row: { id: 2, status: 'a', amount: '1.5', ts: 2 }, pair: 7 }))
  const { account } = await sink.close()
  expect(rows(store)).toContainEqual([2n, 'a', '1.50', 2n, false])
  expect(account).toMatchObject({ accepted: 3, held: 0 })
  expect(account.written + account.folded + account.stale + account.ignored).toBe(3)
})

test('K6 a dropped update-before still deletes the old key when the key changes', async () => {
  const { sink, store } = await open(", 'sink.ignore.update-before' = 'true'")
  await sink.write(change('+I', 1, 'a'))
  await sink.write(change('-U', 1, 'a', { pair: 1 }))
  await sink.write(change('+U', 1, 'b', { pair: 1 }))
  await sink.write(change('-U', 1, 'b', { pair: 2 }))
  await sink.write(change('+U', 2, 'b', { pair: 2 }))
  const { account } = await sink.close()
  expect(rows(store)).toEqual([[2n, 'b', '1.50', 0n]])
  expect(account.held).toBe(0)
})

test('K6 a moved row takes the columns that its new image lacks from the old row', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'kept'))
  await sink.flush()
  await sink.write({ kind: '-U', row: { id: 1 }, image: 'key', pair: 1 })
  await sink.write({ kind: '+U', row: { id: 2, amount: '2', ts: 1 }, pair: 1 })
  await sink.close()
  expect(rows(store)).toEqual([[2n, 'kept', '2.00', 1n]])
})

test('K6 a move whose old row is not there is rejected by code', async () => {
  const { sink } = await open()
  await sink.write({ kind: '-U', row: { id: 1 }, image: 'key', pair: 1 })
  await sink.write({ kind: '+U', row: { id: 2, amount: '2', ts: 1 }, pair: 1 })
  await expect(sink.close()).rejects.toThrow(/moved/)
})

test('G6 a key-only delete under a sequence follows its option', async () => {
  const apply = await open(", 'sequence.field' = 'ts'")
  await apply.sink.write(change('+I', 1, 'a'))
  await apply.sink.write({ kind: '-D', row: { id: 1 } })
  await apply.sink.close()
  const flag = rows(apply.store)[0] as unknown[]
  expect(flag[4]).toBe(true)
  const ignore = await open(", 'sequence.field' = 'ts', 'sink.delete.without-sequence' = 'ignore'")
  await ignore.sink.write(change('+I', 1, 'a'))
  await ignore.sink.write({ kind: '-D', row: { id: 1 } })
  const { account } = await ignore.sink.close()
  expect((rows(ignore.store)[0] as unknown[])[1]).toBe('a')
  expect(account).toMatchObject({ accepted: 2, ignored: 1 })
})

test('B3 a full buffer makes write wait, and memory stays under the limit however slow the store', async () => {
  let release: (() => void) | undefined
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const connector = steered((write) => async (batch, context) => {
    await gate
    return await write(batch, context)
  })
  const { sink, store } = await open(", 'sink.buffer.max-bytes' = '20kb', 'sink.buffer-flush.max-rows' = '10'", {
    connectors: [connector],
  })
  let accepted = 0
  const writing = (async () => {
    for (let id = 0; id < 500; id++) {
      await sink.write(change('+I', id, 'x'.repeat(100)))
      accepted++
    }
  })()
  await settle()
  const stuck = accepted
  expect(stuck).toBeLessThan(100)
  expect(sink.load().byteCount).toBeLessThan(22_000)
  await settle()
  expect(accepted).toBe(stuck)
  release?.()
  await writing
  await sink.close()
  expect(rows(store)).toHaveLength(500)
})

test('B4 tables of one server are flushed in one transaction', async () => {
  const store = createMemoryStore()
  const batches: number[] = []
  const connector = steered((write) => async (batch, context) => {
    batches.push(batch.tables.length)
    return await write(batch, context)
  })
  const tables = ddl('', 'orders') + ddl('', 'items')
  const sink = await createSinks({ tables, client: store, connectors: [connector] })
  await sink.write(change('+I', 1, 'o', { table: 'public.orders' }))
  await sink.write(change('+I', 1, 'i', { table: 'items', ...at(2) }))
  await sink.write(change('+I', 1, 'x', { table: 'others', ...at(3) }))
  await sink.close()
  expect(batches).toEqual([2])
  expect(sink.otherTables).toBe(1)
  expect([...sink.positions()]).toEqual([['', 3]])
})

test('B4 tables of one flush domain must agree on their guarantees', async () => {
  const tables = ddl('', 'orders') + ddl(", 'sink.flush.align' = 'group'", 'items')
  await expect(createSinks({ tables })).rejects.toMatchObject({ code: 'PLAN_REFUSED' })
})

test('B2 an aligned flush never cuts a group, and holds only what has ended', async () => {
  const seen: number[] = []
  const connector = steered((write) => async (batch, context) => {
    seen.push(batch.rowCount)
    return await write(batch, context)
  })
  const { sink, store } = await open(", 'sink.flush.align' = 'group', 'sink.buffer-flush.max-rows' = '3'", {
    connectors: [connector],
  })
  for (let id = 0; id < 5; id++) await sink.write(change('+I', id, 'g1', { group: '1', ...at(id) }))
  await settle()
  expect(rows(store)).toHaveLength(0)
  await sink.write(change('+I', 9, 'g2', { group: '2', ...at(5) }))
  await sink.write({ type: 'group-end', group: '1', ...at(6) })
  await settle()
  expect(seen).toEqual([5])
  expect([...sink.positions()]).toEqual([['', 4]])
  const report = await sink.close()
  expect(report.pendingGroups).toBe(1)
  expect(rows(store)).toHaveLength(5)
  expect([...report.positions]).toEqual([['', 4]])
})

test('B2 a group larger than the buffer goes into one open transaction and becomes visible at its end', async () => {
  const commits: boolean[] = []
  const connector = steered((write) => async (batch, context) => {
    commits.push(batch.commit)
    return await write(batch, context)
  })
  const options =
    ", 'sink.flush.align' = 'group', 'sink.buffer.max-bytes' = '20kb', 'sink.buffer-flush.max-rows' = '20'"
  const { sink, store } = await open(options, { connectors: [connector] })
  await sink.write(change('+I', 1000, 'small', { group: 'small' }))
  await sink.write({ type: 'group-end', group: 'small' })
  for (let id = 0; id < 300; id++) {
    await sink.write(change('+I', id, 'x'.repeat(100), { group: 'large' }))
    expect(sink.load().byteCount).toBeLessThan(25_000)
  }
  expect(rows(store)).toHaveLength(1)
  await sink.write({ type: 'group-end', group: 'large', ...at(300) })
  expect(rows(store)).toHaveLength(301)
  expect(commits.filter((commit) => !commit).length).toBeGreaterThan(2)
  const { account, positions } = await sink.close()
  expect([...positions]).toEqual([['', 300]])
  expect(account).toMatchObject({ accepted: 301, written: 301, held: 0 })
})

test('R1 nothing of a large group is durable before its end, and closing the sink does not commit half of it', async () => {
  const options =
    ", 'sink.flush.align' = 'group', 'sink.buffer.max-bytes' = '20kb', 'sink.buffer-flush.max-rows' = '20'"
  const { sink, store } = await open(options)
  await sink.write(change('+I', 1000, 'small', { group: 'small', ...at(1) }))
  await sink.write({ type: 'group-end', group: 'small' })
  for (let id = 0; id < 310; id++)
    await sink.write(change('+I', id, 'x'.repeat(100), { group: 'large', ...at(id + 2) }))
  await settle()
  expect([...sink.positions()]).toEqual([['', 1]])
  const { account, positions, pendingGroups } = await sink.close()
  expect(rows(store)).toHaveLength(1)
  expect([...positions]).toEqual([['', 1]])
  expect(pendingGroups).toBe(1)
  expect(account).toMatchObject({ accepted: 311, written: 1, held: 310 })
})

test('R1 durable follows the store, per partition and never early', async () => {
  const holds: (() => void)[] = []
  const connector = steered((write) => async (batch, context) => {
    await new Promise<void>((resolve) => holds.push(resolve))
    return await write(batch, context)
  })
  const { sink } = await open(", 'sink.buffer-flush.max-rows' = '1'", { connectors: [connector] })
  const seen: string[] = []
  const reading = (async () => {
    for await (const { partition, offset } of sink.durable()) seen.push(`${partition}:${String(offset)}`)
  })()
  await sink.write(change('+I', 1, 'a', at(1, 'p0')))
  await sink.write(change('+I', 2, 'b', at(7, 'p1')))
  await settle()
  expect(seen).toEqual([])
  holds.shift()?.()
  await settle()
  expect(seen).toEqual(['p0:1'])
  holds.shift()?.()
  await settle()
  expect(seen).toEqual(['p0:1', 'p1:7'])
  await sink.write({ type: 'position', position: { partition: 'p0', offset: 9 } })
  await settle()
  expect(seen).toEqual(['p0:1', 'p1:7', 'p0:9'])
  await sink.close()
  await reading
})

test('R1 a record that makes two changes is durable only with its last', async () => {
  const { sink } = await open(", 'sink.buffer-flush.max-rows' = '1'")
  await sink.write(change('+I', 1, 'a', { ...at(1), more: true }))
  await settle()
  expect([...sink.positions()]).toEqual([])
  await sink.write(change('+I', 2, 'b', at(1)))
  await sink.flush()
  expect([...sink.positions()]).toEqual([['', 1]])
  await sink.close()
})

test('R1 flush and close reject when something was not written, and hand the rows back', async () => {
  const connector = steered(() => async () => {
    throw new Error('the disk is gone')
  })
  const options = ", 'sink.max-retries' = '1', 'sink.retry.interval' = '1ms'"
  const { sink } = await open(options, { connectors: [connector] })
  await sink.write(change('+I', 1, 'a', at(1)))
  await expect(sink.flush()).rejects.toThrow(/after 2 attempts: the disk is gone/)
  await expect(sink.write(change('+I', 2, 'b'))).rejects.toThrow(TidegateError)
  const error = (await sink.close().catch((failure: unknown) => failure)) as UnwrittenError
  expect(error.unwritten).toMatchObject([{ kind: '+U', key: { id: 1n }, row: { id: 1n, status: 'a' } }])
  expect([...sink.positions()]).toEqual([])
})

test('R2 a passing fault is retried with the same batch under the same id', async () => {
  const ids: string[] = []
  const connector = steered((write) => async (batch, context) => {
    ids.push(batch.id)
    if (ids.length < 3) throw new Error('not now')
    return await write(batch, context)
  })
  const { sink, store, events } = await open(", 'sink.retry.interval' = '1ms'", { connectors: [connector] })
  await sink.write(change('+I', 1, 'a'))
  await sink.close()
  expect(rows(store)).toHaveLength(1)
  expect(ids).toHaveLength(3)
  expect(new Set(ids).size).toBe(1)
  expect(events.filter(({ type }) => type === 'retry')).toHaveLength(2)
})

test('R3 a bad record is rejected with record, column and remedy, and what came before it is written', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'a', at(1)))
  const bad = sink.write({ kind: '+I', row: { id: 2, amount: 'secret-value' }, record: 2, ...at(2) })
  await expect(bad).rejects.toThrow(/record 2.*amount/s)
  await expect(bad).rejects.not.toThrow(/secret-value/)
  await expect(sink.write(change('+I', 3, 'c', at(3)))).rejects.toMatchObject({ code: 'ROW_INVALID' })
  await expect(sink.close()).rejects.toMatchObject({ code: 'ROW_INVALID' })
  expect(rows(store)).toHaveLength(1)
  expect([...sink.positions()]).toEqual([['', 1]])
})

test('R3 skip and dead-letter go on; the letter can be written again as it stands', async () => {
  const skipping = await open(", 'sink.failure-handler' = 'skip'")
  await skipping.sink.write({ kind: '+I', row: { id: 'no number' }, ...at(1) })
  await skipping.sink.write(change('+I', 2, 'b', at(2)))
  expect((await skipping.sink.close()).account).toMatchObject({ accepted: 2, rejected: 1, written: 1 })
  expect([...skipping.sink.positions()]).toEqual([['', 2]])

  const path = join(await mkdtemp(join(tmpdir(), 'tidegate-')), 'letters', 'rejected.ndjson')
  const filing = await open(`, 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '${path}'`)
  await filing.sink.write({ kind: '+I', row: { id: 1, amount: 'lots' }, record: 1, ...at(1) })
  await filing.sink.write(change('+I', 2, 'b', at(2)))
  await filing.sink.close()
  const [line] = (await readFile(path, 'utf8')).trim().split('\n')
  expect(JSON.parse(line ?? '')).toMatchObject({
    op: '+I',
    data: { id: 1, amount: 'lots' },
    table: 'orders',
    key: { id: 1 },
    code: 'ROW_INVALID',
    record: 1,
    position: { partition: '', offset: 1 },
  })
})

test('R3 later changes of a dead-lettered key follow it into the file', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'tidegate-')), 'rejected.ndjson')
  const connector = steered((write) => async (batch, context) => {
    const bad = batch.tables.flatMap(({ table, waves }) =>
      waves.flat().flatMap((one) => (one.row[1] === 'bad' ? [{ table, change: one, reason: 'it is bad' }] : [])),
    )
    if (bad.length > 0) await context.reject(bad)
    const tables = batch.tables.map((one) => ({
      ...one,
      waves: one.waves.map((wave) => wave.filter(({ row }) => row[1] !== 'bad')),
    }))
    return await write({ ...batch, tables }, context)
  })
  const options = `, 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '${path}'`
  const { sink, store } = await open(options, { connectors: [connector] })
  await sink.write(change('+I', 1, 'bad', { record: 1 }))
  await sink.flush()
  await sink.write(change('+U', 1, 'good', { record: 2 }))
  await sink.write(change('+I', 2, 'good', { record: 3 }))
  const { account } = await sink.close()
  expect(rows(store)).toEqual([[2n, 'good', '1.50', 0n]])
  expect(account).toMatchObject({ accepted: 3, written: 1, rejected: 2, held: 0 })
  const letters = (await readFile(path, 'utf8')).trim().split('\n')
  expect(letters.map((letter) => JSON.parse(letter).reason)).toEqual([
    'it is bad',
    'blocked by record 1 of the same key',
  ])
})

test('R4 the account closes for a mixed stream', async () => {
  const { sink } = await open(", 'sequence.field' = 'ts', 'sink.buffer-flush.max-rows' = '3'")
  for (let turn = 0; turn < 200; turn++) {
    const id = (turn * 7) % 5
    const kind = (['+I', '+U', '-D', '-U'] as const)[(turn * 3) % 4] as Change['kind']
    await sink.write({ kind, row: { id, status: `s${turn % 4}`, amount: '1', ts: (turn * 31) % 50 } })
    const { accepted, written, folded, stale, ignored, rejected, held } = sink.account()
    expect(accepted).toBe(written + folded + stale + ignored + rejected + held)
    expect(held).toBeGreaterThanOrEqual(0)
  }
  const { account } = await sink.close()
  expect(account.held).toBe(0)
  expect(account.accepted).toBe(200)
})

test('R5 exactly-once: positions commit with the rows, replays are skipped, an older writer is fenced', async () => {
  const store = createMemoryStore()
  const body = 'id BIGINT, total BIGINT, PRIMARY KEY (id) NOT ENFORCED'
  const table = ddl(
    ", 'merge-engine' = 'aggregation', 'fields.total.aggregate-function' = 'sum', 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 's1'",
    'orders',
    body,
  )
  const add = (offset: number): Change => ({ kind: '+I', row: { id: 1, total: 10 }, ...at(offset) })
  const first = await createSink({ table, client: store })
  await first.write(add(1))
  await first.write(add(2))
  await first.flush()
  await first.write(add(3))
  const second = await createSink({ table, client: store })
  expect([...second.positions()]).toEqual([['', 2]])
  await expect(first.close()).rejects.toMatchObject({ code: 'WRITER_FENCED' })
  for (const offset of [1, 2, 3, 4]) await second.write(add(offset))
  const { account } = await second.close()
  expect((rows(store)[0] as unknown[])[1]).toBe(40n)
  expect(account).toMatchObject({ accepted: 4, ignored: 2 })
})

test('R5 under exactly-once a held key puts the flush off, so that its position covers all of it', async () => {
  const store = createMemoryStore()
  const table = ddl(
    ", 'merge-engine' = 'aggregation', 'fields.total.aggregate-function' = 'sum', 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 's1', 'sink.buffer-flush.max-rows' = '1'",
    'orders',
    'id BIGINT, total BIGINT, PRIMARY KEY (id) NOT ENFORCED',
  )
  const sink = await createSink({ table, client: store })
  await sink.write({ kind: '+I', row: { id: 1, total: 10 }, ...at(1) })
  await settle()
  await sink.write({ kind: '-U', row: { id: 1, total: 10 }, ...at(2) })
  await settle()
  expect([...(store.ledger.get('s1')?.positions ?? [])]).toEqual([['', 1]])
  expect((rows(store)[0] as unknown[])[1]).toBe(10n)
  await sink.write({ kind: '+U', row: { id: 1, total: 15 }, ...at(3) })
  await settle()
  expect((rows(store)[0] as unknown[])[1]).toBe(15n)
  expect([...(store.ledger.get('s1')?.positions ?? [])]).toEqual([['', 3]])
  await sink.close()
})

const sums =
  ", 'merge-engine' = 'aggregation', 'fields.total.aggregate-function' = 'sum', 'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 's1', 'sink.buffer-flush.max-rows' = '1'"
const sumBody = 'id BIGINT, total BIGINT, PRIMARY KEY (id) NOT ENFORCED'

test('R5 exactly-once never commits a part of a group whose position is that of its end, and skips it as a whole', async () => {
  const store = createMemoryStore()
  const table = ddl(sums, 'orders', sumBody)
  const add = (id: number, group: string): Change => ({ kind: '+I', row: { id, total: 10 }, group })
  const end = (group: string, offset: number) => ({ type: 'group-end' as const, group, ...at(offset) })
  const first = await createSink({ table, client: store })
  for (const element of [add(1, 'a'), add(2, 'a'), end('a', 1), add(1, 'b')]) await first.write(element)
  await first.flush()
  expect(rows(store)).toEqual([
    [1n, 10n, false],
    [2n, 10n, false],
  ])
  await first.abort()

  const second = await createSink({ table, client: store })
  const again = [add(1, 'a'), add(2, 'a'), end('a', 1), add(1, 'b'), add(2, 'b'), end('b', 2)]
  for (const element of again) await second.write(element)
  const { account, positions, pendingGroups } = await second.close()
  expect(rows(store)).toEqual([
    [1n, 20n, false],
    [2n, 20n, false],
  ])
  expect(account).toMatchObject({ accepted: 4, ignored: 2, written: 2 })
  expect([...positions]).toEqual([['', 2]])
  expect(pendingGroups).toBe(0)
})

test('R5 exactly-once never commits a part of a record', async () => {
  const store = createMemoryStore()
  const sink = await createSink({ table: ddl(sums, 'orders', sumBody), client: store })
  const half = (id: number, more: boolean): Change => ({ kind: '+I', row: { id, total: 10 }, more, ...at(1) })
  await sink.write(half(1, true))
  await sink.flush()
  expect(rows(store)).toEqual([])
  await sink.write(half(2, false))
  await sink.flush()
  expect(rows(store)).toHaveLength(2)
  expect([...(store.ledger.get('s1')?.positions ?? [])]).toEqual([['', 1]])
  await sink.close()
})

test('R5 a group that is too large to hold and was written before is not committed again', async () => {
  const store = createMemoryStore()
  const table = ddl(`${sums}, 'sink.buffer.max-bytes' = '2kb'`, 'orders', sumBody)
  const group = [
    ...Array.from({ length: 50 }, (_, id): Change => ({ kind: '+I', row: { id, total: 10 }, group: 'a' })),
    { type: 'group-end' as const, group: 'a', ...at(1) },
  ]
  const first = await createSink({ table, client: store })
  for (const element of group) await first.write(element)
  await first.close()
  const written = rows(store)
  expect(written).toHaveLength(50)
  const second = await createSink({ table, client: store })
  const replay = async () => {
    for (const element of group) await second.write(element)
  }
  await expect(replay()).rejects.toMatchObject({ code: 'GROUP_TOO_LARGE' })
  await expect(second.close()).rejects.toMatchObject({ code: 'GROUP_TOO_LARGE' })
  expect(rows(store)).toEqual(written)
})

test('a Node pipeline ends with everything written, and a web stream too', async () => {
  const node = await open()
  await pipeline(Readable.from([change('+I', 1, 'a'), change('+I', 2, 'b')]), node.sink.writable())
  expect(rows(node.store)).toHaveLength(2)
  const web = await open()
  await Readable.toWeb(Readable.from([change('+I', 1, 'a')])).pipeTo(web.sink.webWritable() as never)
  expect(rows(web.store)).toHaveLength(1)
})

test('a pipeline whose store fails rejects', async () => {
  const connector = steered(() => async () => {
    throw new Error('no')
  })
  const { sink } = await open(", 'sink.max-retries' = '0'", { connectors: [connector] })
  await expect(pipeline(Readable.from([change('+I', 1, 'a')]), sink.writable())).rejects.toThrow(/no/)
})

test('await using flushes the sink and its writable', async () => {
  const first = await open()
  {
    await using sink = first.sink
    await sink.write(change('+I', 1, 'a'))
  }
  expect(rows(first.store)).toHaveLength(1)
  const second = await open()
  const writable = second.sink.writable()
  writable.write(change('+I', 1, 'a'))
  await (writable as unknown as AsyncDisposable)[Symbol.asyncDispose]()
  expect(rows(second.store)).toHaveLength(1)
})

test('abort sends nothing more and says so; a signal aborts too', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'a'))
  await sink.abort('enough')
  expect(rows(store)).toEqual([])
  await expect(sink.write(change('+I', 2, 'b'))).rejects.toMatchObject({ code: 'SINK_ABORTED' })
  await expect(sink.close()).rejects.toMatchObject({ code: 'SINK_ABORTED' })
  const controller = new AbortController()
  const other = await open('', { signal: controller.signal })
  controller.abort()
  await expect(other.sink.write(change('+I', 2, 'b'))).rejects.toMatchObject({ code: 'SINK_ABORTED' })
})

test('a closed sink takes nothing, and closing twice is one closing', async () => {
  const { sink } = await open()
  const [first, second] = await Promise.all([sink.close(), sink.close()])
  expect(first).toBe(second)
  await expect(sink.write(change('+I', 1, 'a'))).rejects.toMatchObject({ code: 'SINK_CLOSED' })
})

test('R3 under failure scope group the whole group goes to the dead-letter file, and the next group is written', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'tidegate-')), 'rejected.ndjson')
  const connector = steered((write) => async (batch, context) => {
    const bad = batch.tables.flatMap(({ table, waves }) =>
      waves.flat().flatMap((one) => (one.row[1] === 'bad' ? [{ table, change: one, reason: 'it is bad' }] : [])),
    )
    if (bad.length > 0) await context.reject(bad)
    return await write(batch, context)
  })
  const options = `, 'sink.flush.align' = 'group', 'sink.failure-scope' = 'group', 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '${path}'`
  const { sink, store } = await open(options, { connectors: [connector] })
  await sink.write(change('+I', 1, 'good', { group: 'a' }))
  await sink.write(change('+I', 2, 'bad', { group: 'a' }))
  await sink.write({ type: 'group-end', group: 'a', ...at(2) })
  await sink.write(change('+I', 3, 'good', { group: 'b' }))
  await sink.write({ type: 'group-end', group: 'b', ...at(3) })
  const { account, positions } = await sink.close()
  expect(rows(store)).toEqual([[3n, 'good', '1.50', 0n]])
  expect(account).toMatchObject({ accepted: 3, rejected: 2, written: 1, held: 0 })
  expect([...positions]).toEqual([['', 3]])
  expect((await readFile(path, 'utf8')).trim().split('\n')).toHaveLength(2)
})

test('A2 an update-before that nothing can take is rejected when its hold ends, and fails the sink, not the process', async () => {
  const { sink } = await open(", 'merge-engine' = 'first-row'")
  await sink.write(change('+I', 1, 'a'))
  await sink.write(change('-U', 1, 'a', { record: 2 }))
  await expect(sink.flush()).rejects.toMatchObject({ code: 'RETRACT_UNSUPPORTED' })
  await expect(sink.close()).rejects.toMatchObject({ code: 'RETRACT_UNSUPPORTED' })
  const paired = await open(", 'merge-engine' = 'first-row'")
  await paired.sink.write(change('+I', 1, 'a'))
  await paired.sink.write(change('-U', 1, 'a'))
  await paired.sink.write(change('+U', 1, 'b'))
  expect((await paired.sink.close()).account).toMatchObject({ accepted: 3, ignored: 1, rejected: 0 })
})

test('B1 a producer that never waits for anything else lets flushes run all the same', async () => {
  const { sink, store } = await open(", 'sink.buffer-flush.max-rows' = '10'")
  for (let turn = 0; turn < 5000; turn++) await sink.write(change('+U', turn % 20, 'a'))
  expect(rows(store).length).toBeGreaterThan(0)
  await sink.close()
})

test('B4 tables of several stores that are for one table of the source each get every change', async () => {
  const [first, second] = [createMemoryStore(), createMemoryStore()]
  const named = (name: string): Connector => ({ ...memory, name, identity: () => name })
  const tables = ['one', 'two'].map((name) =>
    ddl(`, 'source.table' = 'orders', 'sink.failure-handler' = 'skip'`, name).replace("'memory'", `'${name}'`),
  )
  const connectors = [named('one'), named('two')]
  const sink = await createSinks({ tables: tables.join(';'), connectors, clients: { one: first, two: second } })
  const orders = (one: Change): Change => ({ ...one, table: 'orders' })
  await sink.write(orders(change('+I', 1, 'a', { ...at(1), pair: undefined })))
  await sink.write(orders(change('-U', 1, 'a', { ...at(2), pair: 1 })))
  await sink.write(orders(change('+U', 2, 'b', { ...at(3), pair: 1 })))
  await sink.write({ ...change('+I', 3, 'c', at(4)), table: 'customers' })
  const { account, positions } = await sink.close()
  for (const [name, store] of [
    ['one', first],
    ['two', second],
  ] as const) {
    expect(rows(store, name)).toEqual([[2n, 'b', '1.50', 0n]])
  }
  expect(account).toMatchObject({ accepted: 6, held: 0, rejected: 0 })
  expect(positions.get('')).toBe(4)
})

test('K2 an update-after that is older than its update-before updates nothing, however the stream is cut', async () => {
  const write = async (flushes: boolean): Promise<unknown[]> => {
    const { sink, store } = await open(", 'sequence.field' = 'ts'")
    const version = (kind: Change['kind'], status: string, ts: number): Change => ({
      ...change(kind, 1, status),
      row: { id: 1, status, amount: '1.5', ts },
    })
    for (const one of [version('+I', 'a', 3), version('-U', 'a', 3), version('+U', 'b', 2)]) {
      await sink.write(one)
      if (flushes) await sink.flush()
    }
    await sink.close()
    return rows(store)
  }
  expect(await write(false)).toEqual(await write(true))
})

test('R1 every reader of the durable positions gets them, and ends with the sink', async () => {
  const { sink } = await open()
  const read = async (): Promise<unknown[]> => {
    const seen: unknown[] = []
    for await (const { offset } of sink.durable()) seen.push(offset)
    return seen
  }
  const readers = [read(), read()]
  await sink.write(change('+I', 1, 'a', at(1)))
  await sink.flush()
  await sink.close()
  for (const seen of await Promise.all(readers)) expect(seen.at(-1)).toBe(1)
})

test('R4 what is no change is refused by code, and counts as nothing', async () => {
  const { sink } = await open()
  const unrouted = { type: 'truncate', table: 5 }
  for (const element of [undefined, 5, { kind: '+I' }, { kind: '+I', row: null }, unrouted]) {
    await expect(sink.write(element as unknown as Change)).rejects.toMatchObject({ code: 'INPUT_MALFORMED' })
  }
  await expect(sink.write({ ...change('+I', 1, 'a'), kind: '+X' } as unknown as Change)).rejects.toMatchObject({
    message: expect.stringContaining('kind is no row kind: +I, -U, +U, -D'),
  })
  await sink.close().catch(() => {})
  expect(sink.account()).toMatchObject({ accepted: 1, rejected: 1, held: 0 })
})
