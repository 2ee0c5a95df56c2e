import type { Problem } from '../errors.ts'
import { notIdempotent } from '../merge/merge-plan.ts'
import type { DeliveryPlan, FlushPlan, TablePlan } from './plan.ts'
import type { TableInput } from './plan-input.ts'
import type { SharedValues } from './shared-values.ts'

/** Tables that are flushed together must agree on these (rule B4). */
const sharedByDomain = [
  'sink.flush.align',
  'sink.delivery-guarantee',
  'sink.id',
  'sink.failure-handler',
  'sink.failure-scope',
] as const

/** The tightest trigger of any table flushes all of them. */
export function flushOf(inputs: readonly TableInput[], problems: Problem[]): FlushPlan {
  checkAgreement(inputs, problems)
  const all = inputs.map(({ options }) => options)
  return {
    maxRows: tightest(all.map((options) => options['sink.buffer-flush.max-rows'])),
    maxBytes: tightest(all.map((options) => options['sink.buffer-flush.max-bytes'])),
    intervalMs: tightest(all.map((options) => options['sink.buffer-flush.interval'])),
    bufferMaxBytes: Math.min(...all.map((options) => options['sink.buffer.max-bytes'])),
    align: first(all)['sink.flush.align'],
    lanes: Math.max(...all.map((options) => options['sink.parallelism'])),
  }
}

export function deliveryOf(
  inputs: readonly TableInput[],
  tables: readonly TablePlan[],
  problems: Problem[],
): DeliveryPlan {
  const options = first(inputs.map((input) => input.options))
  const deadLetterPath = options['sink.dead-letter.path']
  if (options['sink.failure-handler'] === 'dead-letter' && deadLetterPath === undefined) {
    problems.push({
      subject: 'sink.dead-letter.path',
      message: "is missing, and 'sink.failure-handler' = 'dead-letter' writes there",
      fix: "name a file, e.g. 'sink.dead-letter.path' = './rejected.ndjson'",
    })
  }
  return {
    guarantee: options['sink.delivery-guarantee'],
    sinkId: options['sink.id'],
    idempotent: tables.every(isIdempotent),
    maxRetries: options['sink.max-retries'],
    retryIntervalMs: options['sink.retry.interval'],
    retryMaxIntervalMs: options['sink.retry.max-interval'],
    failureHandler: options['sink.failure-handler'],
    failureScope: options['sink.failure-scope'],
    deadLetterPath,
  }
}

/** Does a change that is applied twice leave the row as if it were applied once (rule A3)? */
export function isIdempotent({ merge }: Pick<TablePlan, 'merge'>): boolean {
  if (merge.key.length === 0 || merge.batchShape !== undefined) return false
  return merge.rules.every((rule) => rule.kind !== 'aggregate' || !notIdempotent.has(rule.function))
}

function checkAgreement(inputs: readonly TableInput[], problems: Problem[]): void {
  for (const name of sharedByDomain) {
    const values = new Set(inputs.map(({ options }) => options[name]))
    if (values.size > 1) {
      const tables = inputs.map(({ definition }) => definition.name).join(', ')
      problems.push({
        subject: name,
        message: `differs between ${tables}, which are flushed in one transaction (B4)`,
        fix: 'give it the same value in each table',
      })
    }
  }
}

/** 0 turns a trigger off, so it never is the tightest. */
function tightest(values: readonly number[]): number {
  const on = values.filter((value) => value > 0)
  return on.length === 0 ? 0 : Math.min(...on)
}

function first(all: readonly SharedValues[]): SharedValues {
  return all[0] as SharedValues
}
