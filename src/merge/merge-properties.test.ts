import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { compareNullable } from '../row/value.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase, type MergeCase } from './merge-case.test-support.ts'
import type { LiftInput, MergeFunction } from './merge-function.ts'
import { type MergePlan, notIdempotent, type StoredColumn } from './merge-plan.ts'
import { type RandomPlan, randomPlans, recordsOf } from './random-plan.test-support.ts'
import { createSequenceOrder } from './sequence.ts'

describe('G1 G3 G5 any order of arrival that keeps distinct sequences gives the same row', () => {
  const sequenced: Readonly<Record<string, RandomPlan>> = {
    deduplicate: plain('deduplicate', 'k a s', { sequenceField: ['s'] }),
    'a sequence group': plain('partial-update', 'k a x n t f l s', {
      sequenceGroups: [{ sequence: ['s'], columns: ['a', 'x', 'n', 't', 'f', 'l'] }],
      aggregateFunctions: { x: 'max', n: 'min', t: 'sum', f: 'first_value', l: 'first_non_null_value' },
      ignoreRetract: ['x', 'n', 'f', 'l'],
    }),
    'partial-update with a sequence and deletes': plain('partial-update', 'k a b s', {
      sequenceField: ['s'],
      options: { 'partial-update.remove-record-on-delete': 'true' },
    }),
    aggregation: plain('aggregation', 'k x t f g l v s', {
      sequenceField: ['s'],
      aggregateFunctions: {
        x: 'max',
        t: 'sum',
        f: 'first_value',
        g: 'first_non_null_value',
        l: 'last_non_null_value',
        v: 'last_value',
      },
      ignoreRetract: ['x', 'f', 'g'],
    }),
  }
  for (const [name, random] of Object.entries(sequenced)) {
    test(name, () => {
      const { plan } = random
      const merge = createMergeFunction(plan)
      const at = plan.columns.findIndex((column) => column.name === 's')
      const numbered = recordsOf(random, 6).map((records) =>
        records.map((record, index): LiftInput => {
          const row = record.row.map((value) => (value === undefined ? null : value))
          row[at] = index
          return { ...record, row, image: 'full' }
        }),
      )
      const shuffled = numbered.chain((records) =>
        fc.tuple(fc.constant(records), fc.shuffledSubarray(records, { minLength: records.length })),
      )
      fc.assert(
        fc.property(shuffled, ([inOrder, anyOrder]) => {
          expect(run(merge, anyOrder)).toEqual(run(merge, inOrder))
        }),
        { numRuns: 500 },
      )
    })
  }
})

describe('no monotone column ever drops', () => {
  for (const [name, plans] of Object.entries(randomPlans)) {
    test(`G1 G3 A1 sequences, max and min under ${name}`, () => {
      fc.assert(
        fc.property(plans.chain(withRecords(8)), ({ plan, records }) => {
          const merge = createMergeFunction(plan)
          const orders = [...(plan.sequence ? [plan.sequence] : []), ...plan.groups].map((sequence) =>
            createSequenceOrder(sequence, plan.columns),
          )
          let stored: Row | undefined
          for (const record of records) {
            const next = take(merge, stored, record)
            if (stored !== undefined && next !== undefined) {
              for (const order of orders) expect(order.compare(next, stored)).toBeGreaterThanOrEqual(0)
              if (next[plan.deletedFlag ?? -1] !== true) expectMonotone(plan, stored, next)
            }
            stored = next
          }
        }),
        { numRuns: 500 },
      )
    })
  }
})

describe('A3 redelivery of any suffix changes nothing', () => {
  const idempotent: Readonly<Record<string, fc.Arbitrary<RandomPlan>>> = {
    'deduplicate, where a sequence gates and tombstones stay': randomPlan('deduplicate').filter(
      ({ plan }) => plan.sequence !== undefined && plan.deleteMode === 'tombstone',
    ),
    'deduplicate by arrival': randomPlan('deduplicate').filter(({ plan }) => plan.sequence === undefined),
    'first-row': randomPlan('first-row'),
    'idempotent functions of a group': randomPlan('partial-update with groups').filter(
      ({ plan }) => isIdempotent(plan) && plan.groups.every(({ removesRecord }) => !removesRecord),
    ),
  }
  for (const [name, plans] of Object.entries(idempotent)) {
    test(name, () => {
      const scenarios = plans
        .chain(withRecords(6))
        .chain((scenario) =>
          fc.record({ scenario: fc.constant(scenario), from: fc.nat({ max: scenario.records.length }) }),
        )
      fc.assert(
        fc.property(scenarios, ({ scenario: { plan, records }, from }) => {
          const merge = createMergeFunction(plan)
          const taken = records.filter((record) => isWholeAdd(record) || (isWhole(record) && plan.groups.length === 0))
          const once = run(merge, taken)
          expect(run(merge, taken.slice(from), once)).toEqual(once)
        }),
        { numRuns: 500 },
      )
    })
  }
})

function plain(engine: MergeCase['mergeEngine'], columns: string, more: Partial<MergeCase>): RandomPlan {
  const mergeCase: MergeCase = {
    id: engine,
    mergeEngine: engine,
    columns: columns.split(' ').map((name) => ({ name, type: 'INT' })),
    primaryKey: ['k'],
    steps: [],
    ...more,
  }
  return { mergeCase, plan: compileCase(mergeCase) }
}

function randomPlan(name: string): fc.Arbitrary<RandomPlan> {
  const plans = randomPlans[name]
  if (plans === undefined) throw new Error(`no random plans called ${name}`)
  return plans
}

function withRecords(maxLength: number) {
  return (random: RandomPlan) => fc.record({ plan: fc.constant(random.plan), records: recordsOf(random, maxLength) })
}

function take(merge: MergeFunction, stored: Row | undefined, record: LiftInput): Row | undefined {
  const lifted = merge.lift(record)
  return lifted.outcome === 'change' ? merge.apply(stored, lifted.change).row : stored
}

function run(merge: MergeFunction, records: readonly LiftInput[], start?: Row): Row | undefined {
  return records.reduce<Row | undefined>((stored, record) => take(merge, stored, record), start)
}

function isWhole({ image }: LiftInput): boolean {
  return image === 'full'
}

function isWholeAdd(record: LiftInput): boolean {
  return isWhole(record) && (record.kind === '+I' || record.kind === '+U')
}

function isIdempotent(plan: MergePlan): boolean {
  return plan.rules.every((rule) => rule.kind !== 'aggregate' || !notIdempotent.has(rule.function))
}

/** As long as the row stays, max never falls, min never rises, and a value stays a value. */
function expectMonotone(plan: MergePlan, before: Row, after: Row): void {
  for (const [position, rule] of plan.rules.entries()) {
    if (rule.kind !== 'aggregate' || before[position] === null) continue
    const { type } = plan.columns[position] as StoredColumn
    const moved = compareNullable(type, after[position], before[position])
    if (rule.function === 'max') expect(moved).toBeGreaterThanOrEqual(0)
    if (rule.function === 'min') expect(after[position] === null ? 1 : moved).toBeLessThanOrEqual(0)
  }
}
