import { describe, expect, test } from 'vitest'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase } from './merge-case.test-support.ts'
import type { MergePlan } from './merge-plan.ts'
import { applyRecords, changeOf, liftRecord, seen, tableOf } from './merge-runner.test-support.ts'

const loose = compileCase(tableOf('partial-update', 'k a b'))
const grouped = compileCase(
  tableOf('partial-update', 'k a g u', { sequenceGroups: [{ sequence: ['g'], columns: ['a'] }] }),
)
const owned = compileCase(
  tableOf('partial-update', 'k a g b h', {
    sequenceGroups: [
      { sequence: ['g'], columns: ['a'] },
      { sequence: ['h'], columns: ['b'] },
    ],
    options: { 'partial-update.remove-record-on-sequence-group': 'g' },
  }),
)
const removing = compileCase(
  tableOf('partial-update', 'k a b s', {
    sequenceField: ['s'],
    options: { 'partial-update.remove-record-on-delete': 'true' },
  }),
)

describe('partial-update without groups', () => {
  test('null overwrites only if the option says so', () => {
    expect(seen(loose, ['+I', [1, 1, 1]], ['+U', [1, null, 2]])).toEqual([1, 1, 2])
    const plan: MergePlan = {
      ...loose,
      rules: loose.rules.map((rule) => (rule.kind === 'overwrite' ? { ...rule, nulls: true } : rule)),
    }
    expect(seen(plan, ['+I', [1, 1, 1]], ['+U', [1, null, undefined]])).toEqual([1, null, 1])
  })

  test('A2 a retract is rejected with the three ways out', () => {
    for (const kind of ['-U', '-D'] as const) {
      const lifted = liftRecord(loose, [kind, [1, 1, 1]])
      expect(lifted).toMatchObject({ outcome: 'rejected', code: 'RETRACT_UNSUPPORTED' })
      for (const option of ['ignore-delete', 'partial-update.remove-record-on-delete', 'sequence-group']) {
        expect(lifted).toMatchObject({ reason: expect.stringContaining(option) })
      }
    }
  })

  test('G5 by a sequence an older record still fills what no newer one has set', () => {
    expect(seen(removing, ['+I', [1, 1, null, 5]], ['+U', [1, 9, 2, 3]])).toEqual([1, 1, 2, 5])
    expect(seen(removing, ['+I', [1, 1, null, 5]], ['+U', [1, 9, 2, 3]], ['+U', [1, 9, 3, 2]])).toEqual([1, 1, 2, 5])
  })

  test('G5 a late -D clears what it is not older than, and leaves the newer row', () => {
    expect(seen(removing, ['+I', [1, 1, null, 2]], ['+U', [1, null, 5, 5]], ['-D', [1, 1, null, 3]])).toEqual([
      1,
      null,
      5,
      5,
    ])
  })

  test('G2 what is older than the -D that removed the row does not bring it back', () => {
    expect(seen(removing, ['+I', [1, 1, 1, 2]], ['-D', [1, 1, 1, 5]], ['+U', [1, 2, 2, 4]])).toBeUndefined()
    expect(seen(removing, ['-D', [1, 1, 1, 5]], ['+U', [1, 2, null, 6]], ['+U', [1, 3, 3, 4]])).toEqual([1, 2, null, 6])
  })

  test('G6 a -D that carries only the key removes the row at its sequence', () => {
    const { row } = applyRecords(removing, ['+I', [1, 1, 1, 5]], ['-D', [1, undefined, undefined, undefined]])
    expect(row).toEqual([1, null, null, 5, 5, 5, true])
  })
})

describe('partial-update with groups', () => {
  test('an absent column of a winning group keeps its value', () => {
    expect(seen(grouped, ['+I', [1, 1, 5, 1]], ['+U', [1, undefined, 6, 2]])).toEqual([1, 1, 6, 2])
  })

  test('a retract without any group sequence is ignored', () => {
    expect(liftRecord(grouped, ['-D', [1, 1, null, 1]]).outcome).toBe('ignored')
  })

  test('A4 a key that only retracts have touched keeps its state and stays invisible', () => {
    const retracted = applyRecords(grouped, ['-D', [1, 1, 5, 1]])
    expect(retracted.row).toEqual([1, null, 5, null, true])
    expect(seen(grouped, ['-D', [1, 1, 5, 1]], ['+I', [1, 2, 4, 2]])).toEqual([1, null, 5, 2])
  })

  test('A4 without a flag column a retract of no row is rejected', () => {
    const plan: MergePlan = { ...grouped, deletedFlag: undefined, deleteMode: 'hard' }
    const merge = createMergeFunction(plan)
    expect(merge.apply(undefined, changeOf(plan, ['-D', [1, 1, 5, 1]]))).toMatchObject({
      outcome: 'rejected',
      code: 'RETRACT_WITHOUT_ROW',
    })
    expect(merge.compose(changeOf(plan, ['-D', [1, 1, 5, 1]]), changeOf(plan, ['+I', [1, 1, 6, 1]]))).toBe('cannot')
  })

  test('A2 a retract that a function cannot take names the column and the option', () => {
    const plan = compileCase(
      tableOf('partial-update', 'k a g', {
        sequenceGroups: [{ sequence: ['g'], columns: ['a'] }],
        aggregateFunctions: { a: 'max' },
      }),
    )
    expect(liftRecord(plan, ['-U', [1, 1, 5]])).toMatchObject({
      outcome: 'rejected',
      code: 'RETRACT_UNSUPPORTED',
      reason: expect.stringContaining('fields.a.ignore-retract'),
    })
  })

  test('K2 the pairs of an update stream fold into one change', () => {
    const merge = createMergeFunction(grouped)
    const stream = [
      changeOf(grouped, ['+I', [1, 1, 5, 1]]),
      changeOf(grouped, ['-U', [1, 1, 5, 1]]),
      changeOf(grouped, ['+U', [1, 2, 6, 1]]),
    ]
    const folded = stream.reduce((earlier, later) => {
      const composed = merge.compose(earlier, later)
      if (typeof composed === 'string') throw new Error(composed)
      return composed
    })
    expect(folded).toMatchObject({ op: 'upsert', row: [1, 2, 6, 1, undefined] })
  })
})

describe('partial-update: a group that removes the record', () => {
  test('G3 a -D that is not older removes the row and leaves the sequence of every group', () => {
    const { row } = applyRecords(owned, ['+I', [1, 1, 5, 1, 8]], ['-D', [1, 1, 6, 1, 7]])
    expect(row).toEqual([1, null, 6, null, 8, true])
  })

  test('G3 an older -D is a mere retract', () => {
    expect(seen(owned, ['+I', [1, 1, 5, 1, 8]], ['-D', [1, 1, 4, 1, 9]])).toEqual([1, 1, 5, null, 9])
  })

  test('G2 a late older insert does not make the row visible again, where Paimon shows the image of the -D', () => {
    const late = applyRecords(owned, ['+I', [1, 1, 5, 1, 8]], ['-D', [1, 1, 6, 1, null]], ['+I', [1, 2, 4, 2, 9]])
    expect(late.row).toEqual([1, null, 6, 2, 9, true])
    expect(seen(owned, ['-D', [1, 1, 6, 1, null]], ['+I', [1, 2, 6, 2, 9]])).toEqual([1, 2, 6, 2, 9])
  })

  test('a record of another group makes it visible: it does not say that it is older', () => {
    expect(seen(owned, ['-D', [1, 1, 6, 1, null]], ['+I', [1, null, null, 2, 9]])).toEqual([1, null, 6, 2, 9])
  })
})
