import { expect, test } from 'vitest'
import { createMemoryStore, memory } from '../../adapters/memory/index.ts'
import { type BatchShape, noRule } from '../connector/capabilities.ts'
import type { Connector } from '../connector/connector.ts'
import { TidegateError } from '../errors.ts'
import { planTables } from '../sink/create-sink.ts'
import type { TablePlan } from './plan.ts'

/** A store on disk whose rows cancel each other by sequence, or that only appends. */
function storeOf(batchShape: BatchShape): Connector {
  const capabilities = {
    ...{ ...memory.capabilities(), ...noRule, volatile: false, exactlyOnce: false, batchShape },
    ...{ changelog: 'upsert' as const, deleteModes: ['hard'] as const },
    sequence: { gate: true, compound: true, descending: true },
  }
  return { ...memory, name: 'lasting', capabilities: () => capabilities }
}

const columns = 'id BIGINT, a STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED'

async function planOf(batchShape: BatchShape, options: string, body = columns): Promise<TablePlan> {
  const tables = `CREATE TABLE t (${body}) WITH ('connector' = 'lasting'${options})`
  const [domain] = await planTables({ tables, connectors: [storeOf(batchShape)], client: createMemoryStore() })
  const [plan] = domain?.plan.tables ?? []
  if (plan === undefined) throw new Error('one table is planned as one')
  return plan
}

async function refusal(...given: Parameters<typeof planOf>): Promise<TidegateError> {
  const error = await planOf(...given).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof TidegateError) return error
  throw new Error(`the plan with ${given[1]} was not refused`)
}

const retracts = ", 'source.changelog-mode' = 'retract', 'sink.accept-duplicates' = 'true'"

test('K2 a store whose rows cancel each other gets pairs of images, and keeps -U', async () => {
  const plan = await planOf('retract-pairs', retracts)
  expect(plan.updateBefore).toBe('pair')
  expect(plan.merge).toMatchObject({
    batchShape: 'retract-pairs',
    key: [0],
    deleteMode: 'hard',
    deletedFlag: undefined,
  })
  expect(plan.steps.at(-1)?.out).toEqual(['+I', '-U', '+U', '-D'])
  expect(plan.warnings.join()).toMatch(/a row too many \(K2\)/)
  expect((await planOf('retract-pairs', `${retracts}, 'sink.ignore.update-before' = 'false'`)).updateBefore).toBe(
    'pair',
  )
})

test('K2 under pairs a sequence tells images apart and drops none, and hard deletes go with it', async () => {
  const { merge, promises } = await planOf('retract-pairs', `${retracts}, 'sequence.field' = 's'`)
  expect(merge).toMatchObject({ sequence: { columns: [2], gates: false }, deleteMode: 'hard' })
  expect(promises.join()).toMatch(/told apart by s \(K2\)/)
})

test.each([
  [
    'K7 an upsert stream',
    ", 'source.changelog-mode' = 'upsert', 'sink.accept-duplicates' = 'true'",
    'source.changelog-mode',
  ],
  ['K7 a stream of which nothing is known', ", 'sink.accept-duplicates' = 'true'", 'source.changelog-mode'],
  ['A3 duplicates', ", 'source.changelog-mode' = 'retract'", 'sink.accept-duplicates'],
  [
    'K2 update-befores that are dropped',
    `${retracts}, 'sink.ignore.update-before' = 'true'`,
    'sink.ignore.update-before',
  ],
  ['K2 deletes that are dropped', `${retracts}, 'sink.ignore.delete' = 'true'`, 'sink.ignore.delete'],
  [
    'K2 rows that are matched whole',
    `${retracts}, 'sink.upsert-key' = 'none', 'sink.on-conflict' = 'deduplicate'`,
    'sink.upsert-key',
  ],
  ['K2 a column of the kind', `${retracts}, 'rowkind.field' = 'a'`, 'rowkind.field'],
  ['K2 a rule for ties', `${retracts}, 'sequence.field' = 's', 'sequence.tie' = 'first-arrival'`, 'sequence.tie'],
  ['K2 a retention of tombstones', `${retracts}, 'sink.tombstone.retention' = '1h'`, 'sink.tombstone.retention'],
  ['K2 an aggregation', `${retracts}, 'merge-engine' = 'aggregation'`, 'merge-engine'],
  ['G2 tombstones', `${retracts}, 'sink.delete.mode' = 'tombstone'`, 'sink.delete.mode'],
])('%s is refused where rows cancel each other, with the way out', async (_title, options, subject) => {
  const error = await refusal('retract-pairs', options)
  expect(error.problems).toEqual(
    expect.arrayContaining([expect.objectContaining({ subject, fix: expect.stringMatching(/./) })]),
  )
})

test('K4 rows that cancel each other need a key', async () => {
  const error = await refusal('retract-pairs', retracts, 'id BIGINT')
  expect(error.problems).toMatchObject([{ subject: 'PRIMARY KEY', message: expect.stringContaining('(K4)') }])
  const inserts = await refusal('retract-pairs', retracts.replace('retract', 'insert-only'), 'id BIGINT')
  expect(inserts.problems).toMatchObject([{ subject: 'PRIMARY KEY', message: expect.stringContaining('cancelled') }])
})

test('K2 a log takes every kind, with a primary key or without', async () => {
  for (const body of [columns, 'id BIGINT, a STRING']) {
    const plan = await planOf('log', ", 'source.changelog-mode' = 'retract'", body)
    expect(plan.updateBefore).toBe('append')
    expect(plan.merge).toMatchObject({ batchShape: 'log', key: [] })
    expect(plan.steps.at(-1)?.out).toEqual(['+I', '-U', '+U', '-D'])
    expect(plan.promises.join()).toMatch(/every change is kept as a row of its own/)
  }
  expect((await planOf('log', ", 'sink.ignore.update-before' = 'true'")).updateBefore).toBe('drop')
})

test.each(['merge-engine', 'sequence.field', 'sink.delete.mode', 'sink.on-conflict'])(
  'K2 %s has no effect in a log, and is refused',
  async (name) => {
    const values: Readonly<Record<string, string>> = {
      'merge-engine': 'first-row',
      'sequence.field': 's',
      'sink.delete.mode': 'hard',
      'sink.on-conflict': 'deduplicate',
    }
    const error = await refusal('log', `, '${name}' = '${values[name]}'`)
    expect(error.message).toMatch(/every change is appended as it came \(K2\)/)
  },
)
