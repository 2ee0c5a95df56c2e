import { expect, test } from 'vitest'
import type { WriteBatch, WriteResult } from '../connector/batch.ts'
import type { Connector, FailureClass, SinkWriter } from '../connector/connector.ts'
import { type ErrorCode, TidegateError } from '../errors.ts'
import type { DeliveryPlan } from '../plan/plan.ts'
import { deliverBatch } from './deliver-batch.ts'

const batch: WriteBatch = {
  id: 'batch-1',
  lane: 0,
  positions: new Map(),
  tables: [{ table: 0, truncate: false, waves: [[{ key: 1, op: 'upsert', row: [1], replace: true }]] }],
  commit: true,
  rowCount: 1,
  byteCount: 1,
}

const written: WriteResult = { tables: [{ written: 1, stale: 0 }] }

const delivery = (more: Partial<DeliveryPlan> = {}): DeliveryPlan => ({
  guarantee: 'at-least-once',
  sinkId: undefined,
  idempotent: true,
  maxRetries: 3,
  retryIntervalMs: 1,
  retryMaxIntervalMs: 2,
  failureHandler: 'fail',
  failureScope: 'row',
  deadLetterPath: undefined,
  ...more,
})

/** A store whose answers are scripted: a class of failure, or a result. */
function scripted(answers: readonly (FailureClass | 'ok')[], committed?: boolean, more: Partial<SinkWriter> = {}) {
  const sent: string[] = []
  let asked = 0
  const writer: SinkWriter = {
    server: 'scripted',
    write: async ({ id }) => {
      const answer = answers[sent.length] ?? 'ok'
      sent.push(id)
      if (answer === 'ok') return written
      throw Object.assign(new Error('the store said no'), { class: answer })
    },
    committed: async () => {
      asked++
      return committed
    },
    close: async () => {},
    ...more,
  }
  const connector = {
    name: 'scripted',
    classify: (error: { class: FailureClass }) => error.class,
  } as unknown as Connector
  const deliver = (plan: DeliveryPlan, signal = new AbortController().signal) =>
    deliverBatch(batch, {
      connector,
      writer,
      delivery: plan,
      context: { signal, reject: async () => {} },
      onRetry: () => {},
    })
  return { sent, deliver, asked: () => asked }
}

test('R2 transient and throttled failures are retried with the same batch', async () => {
  const { sent, deliver } = scripted(['transient', 'throttled', 'ok'])
  await expect(deliver(delivery())).resolves.toEqual({ result: written, attempts: 3 })
  expect(sent).toEqual(['batch-1', 'batch-1', 'batch-1'])
})

test.each<[FailureClass, ErrorCode]>([
  ['row', 'ROW_REJECTED'],
  ['schema', 'STORE_SCHEMA'],
  ['auth', 'STORE_AUTH'],
  ['fenced', 'WRITER_FENCED'],
  ['fatal', 'FLUSH_FAILED'],
])('R2 a failure of class %s is not retried and has the code %s', async (failure, code) => {
  const { sent, deliver } = scripted([failure])
  await expect(deliver(delivery())).rejects.toMatchObject({ code, connector: 'scripted' })
  expect(sent).toHaveLength(1)
})

test('R2 the budget ends the retries, and the last failure is the cause', async () => {
  const { sent, deliver } = scripted(['transient', 'transient', 'transient', 'transient', 'transient'])
  const error = await deliver(delivery()).catch((failure: unknown) => failure)
  expect(error).toBeInstanceOf(TidegateError)
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE', cause: { message: 'the store said no' } })
  expect(sent).toHaveLength(4)
})

test('R2 after an unknown outcome an idempotent batch is sent again, any other asks the writer first', async () => {
  const idempotent = scripted(['unknown-outcome', 'ok'])
  await idempotent.deliver(delivery())
  expect(idempotent.asked()).toBe(0)
  expect(idempotent.sent).toHaveLength(2)

  const committed = scripted(['unknown-outcome'], true)
  await expect(committed.deliver(delivery({ idempotent: false }))).resolves.toMatchObject({ result: written })
  expect(committed.sent).toHaveLength(1)

  const lost = scripted(['unknown-outcome', 'ok'], false)
  await lost.deliver(delivery({ idempotent: false }))
  expect(lost.sent).toHaveLength(2)

  const silent = scripted(['unknown-outcome'], undefined)
  await expect(silent.deliver(delivery({ idempotent: false }))).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
  expect(silent.sent).toHaveLength(1)
})

test('R2 a batch that the store knows by its id is sent again without asking, idempotent or not', async () => {
  const known = scripted(['unknown-outcome', 'ok'], undefined, { dropsRepeatedBatches: true })
  await known.deliver(delivery({ idempotent: false }))
  expect(known.sent).toEqual(['batch-1', 'batch-1'])
  expect(known.asked()).toBe(0)
})

test('an abort ends the retries', async () => {
  const controller = new AbortController()
  const { deliver } = scripted(['transient', 'transient', 'transient', 'transient'])
  const delivering = deliver(delivery({ retryIntervalMs: 10_000, retryMaxIntervalMs: 10_000 }), controller.signal)
  controller.abort()
  await expect(delivering).rejects.toMatchObject({ code: 'SINK_ABORTED' })
})
