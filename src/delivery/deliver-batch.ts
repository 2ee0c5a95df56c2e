import { setTimeout as delay } from 'node:timers/promises'
import pRetry, { AbortError } from 'p-retry'
import type { WriteBatch, WriteResult } from '../connector/batch.ts'
import type { Connector, FailureClass, SinkWriter, WriteContext } from '../connector/connector.ts'
import { countChanges } from '../connector/count-changes.ts'
import { type ErrorCode, TidegateError } from '../errors.ts'
import type { DeliveryPlan } from '../plan/plan.ts'

export interface DeliverOptions {
  readonly connector: Connector
  readonly writer: SinkWriter
  readonly delivery: DeliveryPlan
  readonly context: WriteContext
  readonly onRetry: (attempt: number, retriesLeft: number, delayMs: number, reason: string) => void
}

export interface Delivered {
  readonly result: WriteResult
  readonly attempts: number
}

/**
 * Sends a batch until the store has it (rule R2): transient and throttled failures are retried with full jitter within the
 * budget; after an unknown outcome a batch that is idempotent, or that the store knows by its id, is sent again; any other asks
 * the writer first.
 * Throws a `TidegateError` once the budget is spent or the failure is of a class that time does not mend.
 */
export async function deliverBatch(batch: WriteBatch, options: DeliverOptions): Promise<Delivered> {
  const { connector, writer, delivery, context, onRetry } = options
  let attempts = 0
  let inDoubt = false
  const result = await pRetry(
    async () => {
      attempts++
      if (inDoubt && !delivery.idempotent && writer.dropsRepeatedBatches !== true) {
        const committed = await writer.committed?.(batch.id)
        if (committed === true) return everythingWritten(batch)
        if (committed === undefined) throw new AbortError(unknownOutcome(connector))
      }
      return await writer.write(batch, context)
    },
    {
      retries: delivery.maxRetries,
      minTimeout: 0,
      factor: 1,
      signal: context.signal,
      shouldRetry: ({ error }) => {
        const failure = classify(connector, error)
        if (failure === 'unknown-outcome') inDoubt = true
        return isRetriable(failure)
      },
      onFailedAttempt: async ({ error, attemptNumber, retriesLeft }) => {
        if (retriesLeft === 0 || !isRetriable(classify(connector, error))) return
        const delayMs = jitter(attemptNumber, delivery)
        onRetry(attemptNumber, retriesLeft, delayMs, error.message)
        await delay(delayMs, undefined, { signal: context.signal })
      },
    },
  ).catch((error: unknown) => {
    throw deliveryError(connector, error, attempts, context.signal)
  })
  return { result, attempts }
}

export function classify(connector: Connector, error: unknown): FailureClass {
  return error instanceof TidegateError ? 'fatal' : connector.classify(error)
}

function isRetriable(failure: FailureClass): boolean {
  return failure === 'transient' || failure === 'throttled' || failure === 'unknown-outcome'
}

/** Full jitter: anything between nothing and an exponentially growing limit. */
function jitter(attempt: number, delivery: DeliveryPlan): number {
  const limit = Math.min(delivery.retryMaxIntervalMs, delivery.retryIntervalMs * 2 ** (attempt - 1))
  return Math.round(Math.random() * limit)
}

function everythingWritten(batch: WriteBatch): WriteResult {
  return {
    tables: batch.tables.map((table) => ({ written: countChanges(table), stale: 0 })),
  }
}

function unknownOutcome(connector: Connector): TidegateError {
  return new TidegateError(
    `${connector.name}: the answer to a flush was lost, and the store cannot say whether it took effect`,
    { code: 'COMMIT_UNKNOWN', connector: connector.name },
  )
}

const codeOfClass: Record<FailureClass, ErrorCode> = {
  transient: 'STORE_UNAVAILABLE',
  throttled: 'STORE_THROTTLED',
  row: 'ROW_REJECTED',
  schema: 'STORE_SCHEMA',
  auth: 'STORE_AUTH',
  fenced: 'WRITER_FENCED',
  'unknown-outcome': 'COMMIT_UNKNOWN',
  fatal: 'FLUSH_FAILED',
}

function deliveryError(connector: Connector, error: unknown, attempts: number, signal: AbortSignal): TidegateError {
  if (error instanceof TidegateError) return error
  if (signal.aborted) {
    return new TidegateError('the sink was aborted while a flush was under way; its outcome is not known', {
      code: 'SINK_ABORTED',
      connector: connector.name,
      cause: error,
    })
  }
  const failure = connector.classify(error)
  const reason = error instanceof Error ? error.message : String(error)
  const tries = attempts === 1 ? '' : ` after ${attempts} attempts`
  return new TidegateError(`${connector.name}: a flush failed${tries}: ${reason}`, {
    code: codeOfClass[failure],
    connector: connector.name,
    cause: error,
  })
}
