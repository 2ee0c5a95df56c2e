import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { isAdd, type RowKind } from '../row/row-kind.ts'
import { changeToRecords } from './change-to-records.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase } from './merge-case.test-support.ts'
import type { ContributionRow, MergeChange } from './merge-change.ts'
import type { MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'

const plan = compileCase({
  id: 'pairs',
  mergeEngine: 'deduplicate',
  columns: ['k', 'a', 'b'].map((name) => ({ name, type: 'INT' })),
  primaryKey: ['k'],
  steps: [],
})
// without the flag of deleted rows that other plans have
const pairs: MergePlan = {
  ...plan,
  columns: plan.columns.slice(0, plan.declaredCount),
  rules: plan.rules.slice(0, plan.declaredCount),
  batchShape: 'retract-pairs',
  deletedFlag: undefined,
  deleteMode: 'hard',
}
const merge = createMergeFunction(pairs)

/** A change of one key, `+1` or `-1` for an image with that value. */
function changeOf(kind: RowKind, value: number): MergeChange {
  const lifted = merge.lift({ kind, row: [1, value, null], key: 1, image: 'full' })
  if (lifted.outcome !== 'change') throw new Error('a whole image is taken')
  return lifted.change
}

function changesOf(text: string): MergeChange[] {
  return text.split(' ').map((one) => changeOf(one.startsWith('+') ? '+U' : '-U', Number(one.slice(1))))
}

/** The waves of one flush: each change is folded into the last one where that is exact. */
function fold(changes: readonly MergeChange[], by: MergeFunction = merge): MergeChange[] {
  const waves: MergeChange[] = []
  for (const change of changes) {
    const last = waves.at(-1)
    const composed = last === undefined ? 'cannot' : by.compose(last, change)
    if (composed === 'cannot') waves.push(change)
    else if (composed !== 'stale') waves[waves.length - 1] = composed
  }
  return waves
}

/** What a store that cancels rows gets: each image with its sign. */
function signedImages(changes: readonly MergeChange[]): string[] {
  const signed = (sign: '+' | '-', row: ContributionRow): string => `${sign}${String(row[1])}`
  return changes.flatMap(({ op, row, before }) =>
    op === 'retract' ? [signed('-', row)] : [...(before === undefined ? [] : [signed('-', before)]), signed('+', row)],
  )
}

/** How often each image is there, as `sum(sign)` says it; those that cancelled are left out. */
function netSums(images: readonly string[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const image of images) {
    const value = image.slice(1)
    const sum = (sums[value] ?? 0) + (image.startsWith('+') ? 1 : -1)
    if (sum === 0) delete sums[value]
    else sums[value] = sum
  }
  return sums
}

test.each([
  ['-1 +2', '-1 +2'],
  ['-1 +2 -2 +3', '-1 +3'],
  ['-1 +2 -2 +3 -3', '-1'],
  ['+1 -1 +2 -2 +3', '+1 -1 +3'],
  ['-1 +1 -1 +2', '-1 +2'],
  ['-1 +2 -7 +3', '-1 +2 -7 +3'],
])('K2 of the changes %s of a key, %s goes out', (changes, sent) => {
  expect(signedImages(fold(changesOf(changes))).join(' ')).toBe(sent)
})

test('K2 any cut of any changes into flushes gives the same net sums', () => {
  const any = fc.array(fc.tuple(fc.constantFrom('+', '-'), fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 12,
  })
  fc.assert(
    fc.property(any, fc.array(fc.nat({ max: 12 }), { maxLength: 4 }), (signed, cuts) => {
      const changes = changesOf(signed.map(([sign, value]) => `${sign}${value}`).join(' '))
      const bounds = [0, ...cuts.filter((cut) => cut < changes.length).sort((a, b) => a - b), changes.length]
      const sent = bounds.slice(1).flatMap((end, at) => fold(changes.slice(bounds[at], end)))
      expect(netSums(signedImages(sent))).toEqual(netSums(signedImages(changes)))
      // what goes to the dead letters instead does the same
      const letters = sent.flatMap((change) => changeToRecords(pairs, change))
      const written = letters.map(({ kind, row }) => `${isAdd(kind) ? '+' : '-'}${String(row[1])}`)
      expect(netSums(written)).toEqual(netSums(signedImages(changes)))
    }),
    { numRuns: 2000 },
  )
})

test('K2 apply(apply(s, a), b) = apply(s, compose(a, b)) where what is taken back is what stands', () => {
  // -1: the row goes, else it becomes an image with that value
  const steps = fc.array(fc.integer({ min: -1, max: 2 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(fc.integer({ min: -1, max: 2 }), steps, (first, values) => {
      const start: Row | undefined = first < 0 ? undefined : [1, first, null]
      let standing = first
      const changes = values.flatMap((value) => {
        const taken = standing < 0 ? [] : [changeOf(value < 0 ? '-D' : '-U', standing)]
        const given = value < 0 ? [] : [changeOf(standing < 0 ? '+I' : '+U', value)]
        standing = value
        return [...taken, ...given]
      })
      const end = standing < 0 ? undefined : [1, standing, null]
      expect(applyAll(start, changes)).toEqual(end)
      expect(applyAll(start, fold(changes))).toEqual(end)
    }),
    { numRuns: 2000 },
  )
})

function applyAll(start: Row | undefined, changes: readonly MergeChange[]): Row | undefined {
  return changes.reduce<Row | undefined>((stored, change) => {
    const { outcome, row } = merge.apply(stored, change)
    expect(outcome).toBe('applied')
    return row
  }, start)
}

test('K2 an image that does not cancel what stands is turned away, and the row stays', () => {
  const stored: Row = [1, 5, null]
  for (const [changes, reason] of [
    ['-4', /not the row that stands/],
    ['+6', /stands that was not taken back/],
  ] as const) {
    const [change] = changesOf(changes)
    expect(merge.apply(stored, change as MergeChange)).toMatchObject({ outcome: 'rejected', row: stored, reason })
  }
  expect(merge.apply(undefined, changeOf('-D', 5))).toMatchObject({ outcome: 'rejected', row: undefined })
})

test('K2 an image that lacks columns is rejected, a delete that carries only the key too', () => {
  const lift = (kind: RowKind, row: Row, image: 'partial' | 'key') => merge.lift({ kind, row, key: 1, image })
  expect(lift('+U', [1, undefined, 2], 'partial')).toMatchObject({
    ...{ outcome: 'rejected', code: 'ROW_INVALID', reason: expect.stringContaining('+U lacks a,') },
  })
  expect(lift('-D', [1, undefined, undefined], 'key')).toMatchObject({
    ...{ outcome: 'rejected', reason: expect.stringMatching(/-D lacks a, b,.*no more than the key/) },
  })
})

test('K2 in a log no change meets another, whatever its kind', () => {
  const appending: MergePlan = { ...pairs, batchShape: 'log', key: [] }
  const log = createMergeFunction(appending)
  const rows: readonly [RowKind, Row][] = [
    ['+I', [1, 1, 1]],
    ['-U', [1, 1, 1]],
    ['+U', [1, 2, undefined]],
    ['-D', [1, undefined, undefined]],
  ]
  const changes = rows.map(([kind, row], key) => {
    const lifted = log.lift({ kind, row, key, image: 'full' })
    if (lifted.outcome !== 'change') throw new Error('a log takes everything')
    return lifted.change
  })
  expect(fold(changes, log)).toEqual(changes)
  expect(changes.flatMap((change) => changeToRecords(appending, change))).toEqual(
    rows.map(([kind, row]) => ({ kind, row })),
  )
})
