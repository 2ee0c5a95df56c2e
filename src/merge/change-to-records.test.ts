import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { compareCodePoints } from '../row/value.ts'
import { changeToRecords } from './change-to-records.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase, keyOf } from './merge-case.test-support.ts'
import type { MergeChange } from './merge-change.ts'
import type { LiftInput, MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'
import { changeOf, tableOf } from './merge-runner.test-support.ts'
import { randomPlans, recordsOf } from './random-plan.test-support.ts'
import { isNullTuple } from './sequence.ts'

describe('R3 the records of a change do what it does', () => {
  for (const [name, plans] of Object.entries(randomPlans)) {
    test(`${name}, of one record or of several that were folded`, () => {
      const scenarios = plans.chain((random) =>
        fc.record({ plan: fc.constant(random.plan), before: recordsOf(random, 3), records: recordsOf(random, 3) }),
      )
      fc.assert(
        fc.property(scenarios, ({ plan, before, records }) => {
          const merge = createMergeFunction(plan)
          const start = applyAll(merge, changesOf(merge, before), undefined)
          const change = foldToOne(merge, changesOf(merge, records))
          fc.pre(change !== undefined && canBeSaid(plan, change))
          if (change === undefined) return
          const applied = merge.apply(start, change)
          fc.pre(applied.outcome !== 'rejected')
          expect(unordered(plan, applyAll(merge, changesOf(merge, inputs(plan, change)), start))).toEqual(
            unordered(plan, applied.row),
          )
        }),
        { numRuns: 1000 },
      )
    })
  }

  test('a value with a sequence of its own comes in a record of its own', () => {
    const plan = compileCase(tableOf('partial-update', 'k a b s', { sequenceField: ['s'] }))
    const merge = createMergeFunction(plan)
    const change = foldToOne(merge, [changeOf(plan, ['+I', [1, 1, null, 5]]), changeOf(plan, ['+U', [1, null, 2, 3]])])
    expect(change && changeToRecords(plan, change)).toEqual([
      { kind: '+U', row: [1, undefined, 2, 3] },
      { kind: '+U', row: [1, 1, undefined, 5] },
    ])
  })

  test('a delete in the same fold comes first', () => {
    const plan = compileCase(tableOf('deduplicate', 'k a b'))
    const merge = createMergeFunction(plan)
    const change = foldToOne(merge, [changeOf(plan, ['-D', [1, 1, 1]]), changeOf(plan, ['+U', [1, 2, undefined]])])
    expect(change && changeToRecords(plan, change)).toEqual([
      { kind: '-D', row: [1, undefined, undefined] },
      { kind: '+I', row: [1, 2, undefined] },
    ])
  })
})

function inputs(plan: MergePlan, change: MergeChange): LiftInput[] {
  return changeToRecords(plan, change).map(({ kind, row }) => ({ kind, row, key: keyOf(plan, row), image: 'partial' }))
}

function changesOf(merge: MergeFunction, records: readonly LiftInput[]): MergeChange[] {
  return records.flatMap((record) => {
    const lifted = merge.lift(record)
    return lifted.outcome === 'change' ? [lifted.change] : []
  })
}

function applyAll(merge: MergeFunction, changes: readonly MergeChange[], start: Row | undefined): Row | undefined {
  return changes.reduce((row, change) => merge.apply(row, change).row, start)
}

function foldToOne(merge: MergeFunction, changes: readonly MergeChange[]): MergeChange | undefined {
  return changes.reduce<MergeChange | undefined>((earlier, later) => {
    if (earlier === undefined) return later
    const composed = merge.compose(earlier, later)
    return typeof composed === 'string' ? earlier : composed
  }, undefined)
}

/** Not one of the things that the function says it can't. */
function canBeSaid(plan: MergePlan, change: MergeChange): boolean {
  if (change.op !== 'upsert') return true
  if (plan.deletedFlag === undefined && changeToRecords(plan, change).some(({ kind }) => kind === '-U')) return false
  if (plan.sequence?.tie === 'first-arrival' && isNullTuple(change.row, plan.sequence.columns)) return false
  return plan.groups.every(
    ({ plain, removesRecord, tie }) =>
      !removesRecord && tie === 'last-arrival' && plain.every((at) => change.row[at] !== undefined),
  )
}

/** The order of collected elements is not defined. */
function unordered(plan: MergePlan, row: Row | undefined): unknown[] | undefined {
  return row?.map((value, position) =>
    plan.columns[position]?.type.name === 'ARRAY' && Array.isArray(value)
      ? value.map(String).sort(compareCodePoints)
      : value,
  )
}
