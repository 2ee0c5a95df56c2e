import { describe, expect, test } from 'vitest'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase } from './merge-case.test-support.ts'
import type { MergePlan } from './merge-plan.ts'
import { applyRecords, changeOf, liftRecord, type RecordInput, seen, tableOf } from './merge-runner.test-support.ts'

const byArrival = compileCase(tableOf('deduplicate', 'k a b'))
const gated = compileCase(tableOf('deduplicate', 'k a b s', { sequenceField: ['s'] }))
const firstArrival: MergePlan = {
  ...gated,
  sequence: gated.sequence && { ...gated.sequence, tie: 'first-arrival' },
}
const soft: MergePlan = { ...gated, deleteMode: 'soft' }

describe('deduplicate: the gate', () => {
  test('G1 an older change is stale, a tie goes to the later arrival', () => {
    expect(applyRecords(gated, ['+I', [1, 1, 1, 5]], ['+U', [1, 2, 2, 4]]).outcome).toBe('stale')
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['+U', [1, 2, 2, 5]])).toEqual([1, 2, 2, 5])
    expect(seen(firstArrival, ['+I', [1, 1, 1, 5]], ['+U', [1, 2, 2, 5]])).toEqual([1, 1, 1, 5])
  })

  test('G1 a null sequence applies to an empty row and ties with a stored null', () => {
    expect(seen(gated, ['+I', [1, 1, 1, null]], ['+U', [1, 2, 2, null]])).toEqual([1, 2, 2, null])
    expect(seen(gated, ['+I', [1, 1, 1, 0]], ['+U', [1, 2, 2, null]])).toEqual([1, 1, 1, 0])
  })

  test('an absent sequence counts as null, an absent column keeps its value', () => {
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['+U', [1, 2, 2, undefined]])).toEqual([1, 1, 1, 5])
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['+U', [1, undefined, 2, 6]])).toEqual([1, 1, 2, 6])
    expect(seen(gated, ['+I', [1, undefined, 1, 5]])).toEqual([1, null, 1, 5])
  })

  test('the same values again leave the row as it is', () => {
    expect(applyRecords(gated, ['+I', [1, 1, 1, 5]], ['+I', [1, 1, 1, 5]]).outcome).toBe('unchanged')
  })
})

describe('deduplicate: deletes', () => {
  test('G2 a delete leaves its sequence, so that an older upsert never resurrects the row', () => {
    const deleted = applyRecords(gated, ['+I', [1, 1, 1, 5]], ['-D', [1, 1, 1, 7]])
    expect(deleted.row).toEqual([1, null, null, 7, true])
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['-D', [1, 1, 1, 7]], ['+I', [1, 2, 2, 6]])).toBeUndefined()
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['-D', [1, 1, 1, 7]], ['+I', [1, 2, 2, 7]])).toEqual([1, 2, 2, 7])
    expect(seen(gated, ['-D', [1, 1, 1, 7]], ['+I', [1, 2, 2, 6]])).toBeUndefined()
  })

  test('G1 a -D on a tie deletes, an older one does not', () => {
    for (const plan of [gated, firstArrival]) {
      expect(seen(plan, ['+I', [1, 1, 1, 5]], ['-D', [1, 1, 1, 5]])).toBeUndefined()
      expect(applyRecords(plan, ['+I', [1, 1, 1, 5]], ['-D', [1, 1, 1, 4]]).outcome).toBe('stale')
    }
  })

  test('a row that was deleted in any mode counts as no row for what a later change lacks', () => {
    const records: RecordInput[] = [
      ['+I', [1, 1, 1, 5]],
      ['-D', [1, 1, 1, 6]],
      ['+U', [1, 2, undefined, 7]],
    ]
    for (const plan of [gated, soft]) expect(seen(plan, ...records)).toEqual([1, 2, null, 7])
  })

  test('G2 a soft delete keeps the payload', () => {
    expect(applyRecords(soft, ['+I', [1, 1, 1, 5]], ['-D', [1, 9, 9, 6]]).row).toEqual([1, 1, 1, 6, true])
  })

  test('G6 a delete that carries only the key keeps the stored sequence', () => {
    const keyOnly: RecordInput = ['-D', [1, undefined, undefined, undefined]]
    expect(applyRecords(gated, ['+I', [1, 1, 1, 5]], keyOnly).row).toEqual([1, null, null, 5, true])
    expect(applyRecords(gated, keyOnly).outcome).toBe('unchanged')
    expect(liftRecord({ ...gated, deleteWithoutSequence: 'ignore' }, keyOnly).outcome).toBe('ignored')
    expect(liftRecord({ ...gated, deleteWithoutSequence: 'error' }, keyOnly)).toMatchObject({
      outcome: 'rejected',
      code: 'DELETE_WITHOUT_SEQUENCE',
      reason: expect.stringContaining('(s)'),
    })
  })

  test('G6 in a fold it takes along the sequence of what it deletes', () => {
    const merge = createMergeFunction(gated)
    const upsert = changeOf(gated, ['+I', [1, 1, 1, 5]])
    const composed = merge.compose(upsert, changeOf(gated, ['-D', [1, undefined, undefined, undefined]]))
    expect(composed).toMatchObject({ op: 'delete', ungated: true, row: [1, undefined, undefined, 5] })
  })
})

describe('deduplicate: a lone -U deletes the version that it names', () => {
  test('K2 by all its columns where there is no sequence', () => {
    expect(seen(byArrival, ['+I', [1, 1, 1]], ['-U', [1, 1, 1]])).toBeUndefined()
    expect(applyRecords(byArrival, ['+I', [1, 1, 1]], ['-U', [1, 1, 2]]).outcome).toBe('stale')
    expect(seen(byArrival, ['+I', [1, 1, 1]], ['-U', [1, undefined, 1]])).toBeUndefined()
    expect(applyRecords(byArrival, ['-U', [1, 1, 1]])).toEqual({ outcome: 'unchanged', row: undefined })
  })

  test('G1 by a newer sequence, or by all its columns on a tie', () => {
    expect(applyRecords(gated, ['+I', [1, 1, 1, 5]], ['-U', [1, 9, 9, 6]]).row).toEqual([1, null, null, 6, true])
    expect(seen(gated, ['+I', [1, 1, 1, 5]], ['-U', [1, 1, 1, 5]])).toBeUndefined()
    expect(seen(gated, ['+I', [1, 2, 2, 5]], ['-U', [1, 1, 1, 5]])).toEqual([1, 2, 2, 5])
    expect(applyRecords(gated, ['+I', [1, 1, 1, 5]], ['-U', [1, 1, 1, 4]]).outcome).toBe('stale')
    expect(applyRecords(gated, ['-U', [1, 1, 1, 4]]).row).toEqual([1, null, null, 4, true])
  })
})

describe('deduplicate: folding', () => {
  test('whole images fold without a copy, however they are gated', () => {
    for (const plan of [gated, firstArrival]) {
      const merge = createMergeFunction(plan)
      const [older, newer] = [changeOf(plan, ['+I', [1, 1, 1, 5]]), changeOf(plan, ['+U', [1, 2, 2, 6]])]
      expect(merge.compose(older, newer)).toBe(newer)
      expect(merge.compose(newer, older)).toBe('stale')
      const removal = changeOf(plan, ['-D', [1, 2, 2, 7]])
      expect(merge.compose(newer, removal)).toBe(removal)
      expect(merge.compose(removal, newer)).toBe('stale')
    }
  })

  test('K2 in a fold a -U that differs from the buffered image is stale, the same one deletes', () => {
    const merge = createMergeFunction(byArrival)
    const upsert = changeOf(byArrival, ['+I', [1, 1, 1]])
    expect(merge.compose(upsert, changeOf(byArrival, ['-U', [1, 2, 2]]))).toBe('stale')
    expect(merge.compose(upsert, changeOf(byArrival, ['-U', [1, 1, 1]]))).toMatchObject({ op: 'delete' })
  })

  test('a patch after a newer image that it does not cover goes out in a second wave', () => {
    const merge = createMergeFunction(gated)
    const whole = changeOf(gated, ['+I', [1, 1, 1, 5]])
    expect(merge.compose(whole, changeOf(gated, ['+U', [1, 2, undefined, 6]]))).toBe('cannot')
    expect(merge.compose(whole, changeOf(gated, ['+U', [1, 2, undefined, 5]]))).toMatchObject({ row: [1, 2, 1, 5] })
  })
})

describe('deduplicate: the flag', () => {
  test('a declared flag column is kept by the sink, whatever records bring', () => {
    const plan: MergePlan = {
      ...byArrival,
      columns: byArrival.columns.slice(0, 3).map((one, at) => (at === 2 ? { ...one, type: { name: 'BOOLEAN' } } : one)),
      rules: [...byArrival.rules.slice(0, 2), { kind: 'deleted-flag' }],
      deletedFlag: 2,
    }
    expect(applyRecords(plan, ['+I', [1, 1, true]]).row).toEqual([1, 1, false])
    expect(applyRecords(plan, ['+I', [1, 1, undefined]], ['-U', [1, 1, true]]).row).toEqual([1, null, true])
  })

  test('K4 without a primary key only +I is taken', () => {
    const plan: MergePlan = { ...byArrival, key: [] }
    expect(liftRecord(plan, ['+I', [1, 1, 1]])).toMatchObject({ change: { op: 'insert' } })
    expect(liftRecord(plan, ['+U', [1, 1, 1]])).toMatchObject({ outcome: 'rejected', code: 'KIND_UNSUPPORTED' })
  })
})
