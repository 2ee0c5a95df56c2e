import { describe, expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { explainColumns } from './explain-columns.ts'
import { explainRow } from './explain-row.ts'
import { compileCase, keyOf, readRow } from './merge-case.test-support.ts'
import type { MergePlan } from './merge-plan.ts'
import { type RecordInput, tableOf } from './merge-runner.test-support.ts'

describe('explainColumns tells of each column that a record carried', () => {
  test('G1 a whole row is applied or is too old', () => {
    const plan = compileCase(tableOf('deduplicate', 'k a s', { sequenceField: ['s'] }))
    expect(explained(plan, ['+I', [1, 1, 5]])).toEqual({ a: 'applied', s: 'applied' })
    const older = 'kept: older sequence'
    expect(explained(plan, ['+I', [1, 1, 5]], ['+U', [1, 2, 4]])).toEqual({ a: older, s: older })
    expect(explained(plan, ['+I', [1, 1, 5]], ['-D', [1, 1, 4]])).toEqual({ a: older, s: older })
    expect(explained(plan, ['+I', [1, 1, 5]], ['-D', [1, 1, 5]])).toEqual({ a: 'applied', s: 'applied' })
    expect(explained(plan, ['+I', [1, 1, 5]], ['+U', [1, 2, undefined]])).toEqual({ a: older })
  })

  test('G1 at an equal sequence the first arrival stays if the option says so', () => {
    const last = compileCase(tableOf('deduplicate', 'k a s', { sequenceField: ['s'] }))
    const plan: MergePlan = { ...last, sequence: last.sequence && { ...last.sequence, tie: 'first-arrival' } }
    const first = 'kept: equal sequence keeps the first'
    expect(explained(plan, ['+I', [1, 1, 5]], ['+U', [1, 2, 5]])).toEqual({ a: first, s: first })
  })

  test('K2 a -U of another version, a row that is not there, the same values again', () => {
    const plan = compileCase(tableOf('deduplicate', 'k a'))
    expect(explained(plan, ['+I', [1, 1]], ['-U', [1, 2]])).toEqual({ a: 'kept: another version of the row is stored' })
    expect(explained(plan, ['-U', [1, 2]])).toEqual({ a: 'kept: there is no such row' })
    expect(explained(plan, ['+I', [1, 1]], ['+U', [1, 1]])).toEqual({ a: 'kept: same values' })
  })

  test('first-row keeps the first', () => {
    const plan = compileCase(tableOf('first-row', 'k a'))
    expect(explained(plan, ['+I', [1, 1]], ['+U', [1, 2]])).toEqual({ a: 'kept: the first row stays' })
  })

  test('G3 each group for itself', () => {
    const plan = compileCase(
      tableOf('partial-update', 'k a g b h c', {
        sequenceGroups: [
          { sequence: ['g'], columns: ['a'] },
          { sequence: ['h'], columns: ['b'] },
        ],
      }),
    )
    const start: RecordInput = ['+I', [1, 1, 5, 1, 5, 1]]
    const unsaid = 'kept: group sequence is null'
    expect(explained(plan, start, ['+U', [1, 2, 4, 2, 6, null]])).toEqual({
      a: 'kept: older sequence',
      g: 'kept: older sequence',
      b: 'applied',
      h: 'applied',
      c: 'kept: null adds nothing',
    })
    expect(explained(plan, start, ['+U', [1, 2, null, undefined, undefined, 3]])).toEqual({
      a: unsaid,
      g: unsaid,
      c: 'applied',
    })
    expect(explained(plan, start, ['-U', [1, 1, 5, null, null, 1]])).toEqual({
      a: 'applied',
      g: 'applied',
      b: unsaid,
      h: unsaid,
      c: 'kept: a retract concerns sequence groups only',
    })
  })

  test('A1 why an aggregate did not move', () => {
    const functions = { x: 'max', n: 'min', f: 'first_value', s: 'sum', l: 'last_non_null_value' }
    const plan = compileCase(tableOf('aggregation', 'k x n f s l', { aggregateFunctions: functions }))
    const start: RecordInput = ['+I', [1, 5, 5, 5, 5, 5]]
    expect(explained(plan, start, ['+I', [1, 4, 6, 6, 1, null]])).toEqual({
      x: 'kept: not greater',
      n: 'kept: not smaller',
      f: 'kept: already set',
      s: 'applied',
      l: 'kept: null adds nothing',
    })
  })

  test('G5 by a sequence, values that keep their own', () => {
    const functions = { f: 'first_value', l: 'last_non_null_value', v: 'last_value' }
    const plan = compileCase(
      tableOf('aggregation', 'k f l v s', { aggregateFunctions: functions, sequenceField: ['s'] }),
    )
    const start: RecordInput = ['+I', [1, 1, 1, 1, 5]]
    expect(explained(plan, start, ['+I', [1, 2, 2, 2, 4]])).toEqual({
      f: 'applied',
      l: 'kept: older sequence',
      v: 'kept: older sequence',
      s: 'kept: older sequence',
    })
    expect(explained(plan, start, ['+I', [1, 2, 2, 2, 6]])).toEqual({
      f: 'kept: already set by an older sequence',
      l: 'applied',
      v: 'applied',
      s: 'applied',
    })
  })

  test('A2 a retract that an option lets pass', () => {
    const plan = compileCase(
      tableOf('aggregation', 'k x s', { aggregateFunctions: { x: 'max', s: 'sum' }, ignoreRetract: ['x'] }),
    )
    expect(explained(plan, ['+I', [1, 5, 5]], ['-U', [1, 5, 5]])).toEqual({ x: 'kept: ignore-retract', s: 'applied' })
  })

  test('a row that is removed', () => {
    const options = { 'partial-update.remove-record-on-delete': 'true' }
    const plan = compileCase(tableOf('partial-update', 'k a', { options }))
    expect(explained(plan, ['+I', [1, 5]], ['-D', [1, 5]])).toEqual({ a: 'applied' })
  })
})

describe('explainRow tells why a record changed nothing', () => {
  test('in one phrase', () => {
    const plan = compileCase(tableOf('deduplicate', 'k a s', { sequenceField: ['s'] }))
    expect(reason(plan, ['+I', [1, 1, 5]])).toBeUndefined()
    expect(reason(plan, ['+I', [1, 1, 5]], ['+U', [1, 2, 4]])).toBe('older sequence')
    expect(reason(plan, ['+I', [1, 1, 5]], ['-U', [1, 2, 5]])).toBe('another version of the row is stored')
  })

  test('A1 a rejection names the column', () => {
    const plan = compileCase(tableOf('aggregation', 'k s', { aggregateFunctions: { s: 'sum' } }))
    expect(reason(plan, ['+I', [1, 2147483647]], ['+I', [1, 1]])).toBe('s: the sum leaves the range of INT')
  })
})

/** What is said of the last of these records. */
function explained(plan: MergePlan, ...inputs: readonly RecordInput[]): unknown {
  const { record, ...step } = lastStep(plan, inputs)
  return { ...explainColumns(plan, { record, ...step }) }
}

function reason(plan: MergePlan, ...inputs: readonly RecordInput[]): string | undefined {
  return explainRow(plan, lastStep(plan, inputs))
}

function lastStep(plan: MergePlan, inputs: readonly RecordInput[]) {
  const merge = createMergeFunction(plan)
  let stored: Row | undefined
  for (const [index, [kind, values]] of inputs.entries()) {
    const record = readRow(plan, values)
    const lifted = merge.lift({ kind, row: record, key: keyOf(plan, record), image: 'full' })
    if (lifted.outcome !== 'change') throw new Error(`record ${index} is ${lifted.outcome}`)
    const { change } = lifted
    const applied = merge.apply(stored, change)
    if (index === inputs.length - 1) return { record, stored, change, applied }
    stored = applied.row
  }
  throw new Error('no records')
}
