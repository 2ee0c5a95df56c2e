import { describe, expect, test } from 'vitest'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase, type MergeCase } from './merge-case.test-support.ts'
import { applyRecords, changeOf, liftRecord, type RecordInput, seen } from './merge-runner.test-support.ts'

function planOf(fn: string, type: string, more: Partial<MergeCase> = {}) {
  return compileCase({
    id: fn,
    mergeEngine: 'aggregation',
    columns: [
      { name: 'k', type: 'INT' },
      { name: 'v', type },
    ],
    primaryKey: ['k'],
    aggregateFunctions: { v: fn },
    steps: [],
    ...more,
  })
}

/** The value after these additions and retracts. */
function valueAfter(fn: string, type: string, steps: readonly RecordInput[], more?: Partial<MergeCase>): unknown {
  return seen(planOf(fn, type, more), ...steps)?.[1]
}

const add = (value: unknown): RecordInput => ['+I', [1, value]]
const take = (value: unknown): RecordInput => ['-U', [1, value]]

describe('A1 sums are exact', () => {
  test.for([
    ['BIGINT', '9007199254740993', '1', 9007199254740994n],
    ['DECIMAL(20,2)', '123456789012345678.91', '0.09', '123456789012345679.00'],
    ['DECIMAL(4,2)', '-0.05', '0.05', '0.00'],
    ['TINYINT', 100, 27, 127],
  ] as const)('%s', ([type, first, second, sum]) => {
    expect(valueAfter('sum', type, [add(first), add(second)])).toBe(sum)
  })

  test('leaving the range of the type is rejected and changes nothing', () => {
    const plan = planOf('sum', 'DECIMAL(4,2)')
    expect(applyRecords(plan, add('99.00'), add('1.00'))).toMatchObject({
      outcome: 'rejected',
      code: 'ROW_INVALID',
      row: [1, '99.00', false],
      reason: 'v: the sum leaves the range of DECIMAL(4, 2)',
    })
  })

  test('a difference that does not fit its column goes in two steps', () => {
    const plan = planOf('sum', 'TINYINT')
    const merge = createMergeFunction(plan)
    expect(merge.compose(changeOf(plan, add(100)), changeOf(plan, add(100)))).toBe('cannot')
    expect(merge.compose(changeOf(plan, add(100)), changeOf(plan, take(100)))).toMatchObject({
      op: 'upsert',
      row: [1, 0, undefined],
    })
  })
})

describe('A1 products', () => {
  test('round to the scale of the column at each step, half away from zero', () => {
    expect(valueAfter('product', 'DECIMAL(6,2)', [add('0.05'), add('0.10')])).toBe('0.01')
    expect(valueAfter('product', 'DECIMAL(6,2)', [add('-0.05'), add('0.10')])).toBe('-0.01')
    expect(valueAfter('product', 'DECIMAL(6,2)', [add('1.00'), take('3.00')])).toBe('0.33')
  })

  test('divide integers towards zero, and nothing by nothing', () => {
    expect(valueAfter('product', 'INT', [add(-7), take(2)])).toBe(-3)
    expect(applyRecords(planOf('product', 'INT'), take(2)).row).toEqual([1, null, true])
    expect(applyRecords(planOf('product', 'BIGINT'), add('4'), take('0'))).toMatchObject({ outcome: 'rejected' })
  })

  test('are never composed', () => {
    const plan = planOf('product', 'INT')
    expect(createMergeFunction(plan).compose(changeOf(plan, add(2)), changeOf(plan, add(3)))).toBe('cannot')
  })
})

describe('A1 values and sets', () => {
  test('max compares text by code point and decimals by value', () => {
    expect(valueAfter('max', 'STRING', [add('a'), add('\u{1f600}'), add('\uffee')])).toBe('\u{1f600}')
    expect(valueAfter('max', 'DECIMAL(5,2)', [add('9.90'), add('10.05')])).toBe('10.05')
    expect(valueAfter('min', 'DECIMAL(5,2)', [add('-9.90'), add('-10.05')])).toBe('-10.05')
  })

  test('bool_and and bool_or take null for nothing', () => {
    expect(valueAfter('bool_and', 'BOOLEAN', [add(null), add(true), add(null)])).toBe(true)
    expect(valueAfter('bool_and', 'BOOLEAN', [add(true), add(false), add(true)])).toBe(false)
    expect(valueAfter('bool_or', 'BOOLEAN', [add(false), add(true), add(false)])).toBe(true)
  })

  test('listagg skips null and blank, and repeats if distinct', () => {
    expect(valueAfter('listagg', 'STRING', [add('a'), add(null), add(' '), add('b'), add('a')])).toBe('a,b,a')
    const distinct = { options: { 'fields.v.distinct': 'true', 'fields.v.list-agg-delimiter': ';' } }
    expect(valueAfter('listagg', 'STRING', [add('a;b;a'), add('b;c'), add('a')], distinct)).toBe('a;b;c')
  })

  test('collect takes out one element for each that is retracted, or all equal ones if distinct', () => {
    const type = 'ARRAY<STRING>'
    expect(valueAfter('collect', type, [add(['a', 'a', 'b']), take(['a'])])).toEqual(['a', 'b'])
    expect(valueAfter('collect', type, [add(['a']), take(['a'])])).toEqual([])
    const distinct = { options: { 'fields.v.distinct': 'true' } }
    expect(valueAfter('collect', type, [add(['a', 'a', 'b']), add(['b', 'c'])], distinct)).toEqual(['a', 'b', 'c'])
    expect(applyRecords(planOf('collect', type), take(['a'])).row).toEqual([1, null, true])
  })

  test('first_value counts null, first_non_null_value does not', () => {
    expect(valueAfter('first_value', 'INT', [add(null), add(1)])).toBeNull()
    expect(valueAfter('first_value', 'INT', [add(undefined), add(1)])).toBeNull()
    expect(valueAfter('first_non_null_value', 'INT', [add(null), add(1), add(2)])).toBe(1)
  })

  test('last_value takes null and is cleared by a retract, last_non_null_value by a retract of a value', () => {
    expect(valueAfter('last_value', 'INT', [add(1), add(null)])).toBeNull()
    expect(valueAfter('last_value', 'INT', [add(1), take(2)])).toBeNull()
    expect(valueAfter('last_non_null_value', 'INT', [add(1), add(null), take(null)])).toBe(1)
    expect(valueAfter('last_non_null_value', 'INT', [add(1), take(2)])).toBeNull()
  })
})

describe('A1 G5 functions that depend on order, by the row sequence', () => {
  const by = (fn: string) =>
    planOf(fn, 'INT', {
      columns: ['k', 'v', 's'].map((name) => ({ name, type: 'INT' })),
      sequenceField: ['s'],
    })

  test('first at the lowest sequence; at equal sequences the earlier arrival stays', () => {
    expect(seen(by('first_value'), ['+I', [1, 5, 5]], ['+I', [1, 3, 3]], ['+I', [1, 4, 4]])?.[1]).toBe(3)
    expect(seen(by('first_value'), ['+I', [1, 5, 5]], ['+I', [1, null, 3]])?.[1]).toBeNull()
    expect(seen(by('first_non_null_value'), ['+I', [1, 5, 5]], ['+I', [1, null, 3]])?.[1]).toBe(5)
    expect(seen(by('first_value'), ['+I', [1, 5, 5]], ['+I', [1, 6, 5]])?.[1]).toBe(5)
    expect(seen(by('first_value'), ['+I', [1, 5, null]], ['+I', [1, 6, 1]])?.[1]).toBe(5)
  })

  test('last at the highest, and of late values the newest', () => {
    expect(seen(by('last_value'), ['+I', [1, 5, 5]], ['+I', [1, 3, 3]])).toEqual([1, 5, 5])
    const late: RecordInput[] = [
      ['+I', [1, null, 5]],
      ['+I', [1, 4, 4]],
      ['+I', [1, 3, 3]],
    ]
    expect(seen(by('last_non_null_value'), ...late)).toEqual([1, 4, 5])
  })

  test('a late retract is older than what it would clear', () => {
    expect(seen(by('last_value'), ['+I', [1, 5, 5]], ['-U', [1, 3, 3]])).toEqual([1, 5, 5])
    expect(seen(by('last_non_null_value'), ['+I', [1, 5, 5]], ['-U', [1, 3, 3]])).toEqual([1, 5, 5])
  })
})

describe('aggregation: rows', () => {
  test('A2 a retract that some functions cannot take names all of them', () => {
    const plan = planOf('max', 'INT', {
      columns: ['k', 'v', 'w', 's'].map((name) => ({ name, type: 'INT' })),
      aggregateFunctions: { v: 'max', w: 'first_value', s: 'sum' },
    })
    expect(liftRecord(plan, ['-U', [1, 1, 1, 1]])).toMatchObject({
      outcome: 'rejected',
      code: 'RETRACT_UNSUPPORTED',
      reason:
        '-U cannot be taken back out of v (max): fields.v.ignore-retract = true keeps its value; ' +
        'w (first_value): fields.w.ignore-retract = true keeps its value',
    })
  })

  test('A4 a retract before any add is kept and not seen', () => {
    expect(applyRecords(planOf('sum', 'INT'), take(5)).row).toEqual([1, -5, true])
    expect(seen(planOf('sum', 'INT'), take(5), add(8))).toEqual([1, 3])
  })

  test('aggregation.remove-record-on-delete starts the row anew', () => {
    const plan = planOf('sum', 'INT', { options: { 'aggregation.remove-record-on-delete': 'true' } })
    expect(seen(plan, add(5), ['-D', [1, 5]])).toBeUndefined()
    expect(seen(plan, add(5), ['-D', [1, 5]], add(2))).toEqual([1, 2])
    const merge = createMergeFunction(plan)
    const removed = merge.compose(changeOf(plan, add(5)), changeOf(plan, ['-D', [1, 5]]))
    expect(removed).toMatchObject({ op: 'delete' })
    if (typeof removed === 'string') return
    expect(merge.compose(removed, changeOf(plan, add(2)))).toMatchObject({ op: 'upsert', replace: true })
  })
})
