import { expect, test } from 'vitest'
import { createMemoryStore, memory } from '../../adapters/memory/index.ts'
import { createSink } from '../sink/create-sink.ts'
import type { Sink } from '../sink/sink.ts'
import { declaredTable, tableDdl } from './conformance-table.ts'
import { type Fault, faultyConnector, InjectedFault } from './faulty-connector.ts'
import { memoryRows } from './memory-harness.ts'

const table = declaredTable(
  tableDdl('t', 'id INT, PRIMARY KEY (id) NOT ENFORCED', {
    connector: 'memory',
    'sink.buffer-flush.interval': '0',
    'sink.max-retries': '0',
  }),
)

async function writeFour(fault: Fault): Promise<{ ids: unknown[]; error: unknown; calls: number }> {
  const store = createMemoryStore()
  const { connector, batches } = faultyConnector(memory, (call) => (call === 1 ? fault : undefined))
  const sink: Sink = await createSink({ table, client: store, connectors: [connector] })
  for (const id of [1, 2, 3, 4]) await sink.write({ kind: '+I', row: { id } })
  const error = await sink.close().then(
    () => undefined,
    (reason: unknown) => reason,
  )
  const ids = (await memoryRows(store, table)).map((row) => row['id'])
  return { ids, error, calls: batches.length }
}

test('fail: the store has seen nothing, and the error has the class that was asked for', async () => {
  expect(await writeFour({ does: 'fail', as: 'throttled' })).toMatchObject({
    ids: [],
    error: { code: 'STORE_THROTTLED', cause: expect.any(InjectedFault) },
    calls: 1,
  })
})

test('lose-answer: the store has everything, and the outcome is unknown', async () => {
  expect(await writeFour({ does: 'lose-answer' })).toMatchObject({
    ids: [1, 2, 3, 4],
    error: { code: 'COMMIT_UNKNOWN' },
  })
})

test('half-apply: the store has the first half', async () => {
  expect(await writeFour({ does: 'half-apply', as: 'transient' })).toMatchObject({
    ids: [1, 2],
    error: { code: 'STORE_UNAVAILABLE' },
  })
})

test('delay and hold: the call comes late and succeeds', async () => {
  expect(await writeFour({ does: 'delay', milliseconds: 5 })).toEqual({ ids: [1, 2, 3, 4], error: undefined, calls: 1 })
  const until = new Promise((resolve) => setTimeout(resolve, 5))
  expect(await writeFour({ does: 'hold', until })).toEqual({ ids: [1, 2, 3, 4], error: undefined, calls: 1 })
})

test('other errors keep the class that the connector gives them', () => {
  const { connector } = faultyConnector({ ...memory, classify: () => 'auth' }, () => undefined)
  expect(connector.classify(new Error('x'))).toBe('auth')
  expect(connector.classify(new InjectedFault('row'))).toBe('row')
  expect(connector.name).toBe('memory')
})
