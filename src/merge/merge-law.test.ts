import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { compareCodePoints } from '../row/value.ts'
import { createMergeFunction } from './create-merge-function.ts'
import type { MergeChange } from './merge-change.ts'
import type { MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'
import { type RandomPlan, randomPlans, recordsOf } from './random-plan.test-support.ts'

describe('apply and compose: apply(apply(s, a), b) = apply(s, compose(a, b))', () => {
  for (const [name, plans] of Object.entries(randomPlans)) {
    test(`holds for ${name}, in any cut into folds`, () => {
      const scenarios = plans.chain((random) =>
        fc.record({
          plan: fc.constant(random.plan),
          before: recordsOf(random, 4),
          records: recordsOf(random, 6),
        }),
      )
      fc.assert(
        fc.property(scenarios, ({ plan, before, records }) => {
          const merge = createMergeFunction(plan)
          const start = stepwise(merge, undefined, lifted(merge, before)).row
          const changes = lifted(merge, records)
          const inSteps = stepwise(merge, start, changes)
          // what leaves the range of its type is an error whose moment may differ
          fc.pre(!inSteps.outOfRange)
          const folded = stepwise(merge, start, fold(merge, changes))
          expect(unordered(plan, folded.row)).toEqual(unordered(plan, inSteps.row))
        }),
        { numRuns: 1500 },
      )
    })
  }

  test('K6 holds for rows that moved here from another key', () => {
    const source: Row = [1, 7, 8, 9, 9, false]
    const scenarios = moves.chain((random) =>
      fc.record({
        plan: fc.constant(random.plan),
        before: recordsOf(random, 3),
        records: fc.tuple(recordsOf(random, 4), fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })),
      }),
    )
    const arrive = (plan: MergePlan, change: MergeChange): MergeChange =>
      change.moveFrom === undefined
        ? change
        : { ...change, moveFrom: undefined, row: filled(plan, change.row, source) as Row }
    fc.assert(
      fc.property(scenarios, ({ plan, before, records: [records, moved] }) => {
        const merge = createMergeFunction(plan)
        const start = stepwise(merge, undefined, lifted(merge, before)).row
        const changes = lifted(merge, records).map((change, index): MergeChange => {
          const moveFrom = { key: 'old', row: source }
          return change.op === 'upsert' && !change.replace && moved[index] ? { ...change, moveFrom } : change
        })
        const arrived = (list: readonly MergeChange[]) => list.map((change) => arrive(plan, change))
        const inSteps = stepwise(merge, start, arrived(changes))
        const folded = stepwise(merge, start, arrived(fold(merge, changes)))
        expect(folded.row).toEqual(inSteps.row)
      }),
      { numRuns: 1500 },
    )
  })
})

const moves = randomPlans['deduplicate'] as fc.Arbitrary<RandomPlan>

function filled(plan: MergePlan, row: MergeChange['row'], source: Row): MergeChange['row'] {
  return plan.columns.slice(0, plan.declaredCount).map((_, at) => (row[at] === undefined ? source[at] : row[at]))
}

function lifted(merge: MergeFunction, records: readonly Parameters<MergeFunction['lift']>[0][]): MergeChange[] {
  return records.flatMap((record) => {
    const result = merge.lift(record)
    return result.outcome === 'change' ? [result.change] : []
  })
}

function stepwise(merge: MergeFunction, start: Row | undefined, changes: readonly MergeChange[]) {
  let row = start
  let outOfRange = false
  for (const change of changes) {
    const applied = merge.apply(row, change)
    if (applied.code === 'ROW_INVALID') outOfRange = true
    row = applied.row
  }
  return { row, outOfRange }
}

/** The waves of one flush: each change is folded into the last one where that is exact. */
function fold(merge: MergeFunction, changes: readonly MergeChange[]): MergeChange[] {
  const waves: MergeChange[] = []
  for (const change of changes) {
    const last = waves.at(-1)
    const composed = last === undefined ? 'cannot' : merge.compose(last, change)
    if (composed === 'cannot') waves.push(change)
    else if (composed !== 'stale') waves[waves.length - 1] = composed
  }
  return waves
}

/** The order of collected elements is not defined. */
function unordered(plan: MergePlan, row: Row | undefined): unknown[] | undefined {
  return row?.map((value, position) =>
    plan.columns[position]?.type.name === 'ARRAY' && Array.isArray(value)
      ? [...value].map(String).sort(compareCodePoints)
      : value,
  )
}
