import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Row } from '../row/row.ts'
import { compareCodePoints } from '../row/value.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { compileCase, type MergeCase, readerView, readRow, readStep } from './merge-case.test-support.ts'
import type { MergeChange } from './merge-change.ts'
import type { MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'

const read = (name: string): MergeCase[] =>
  JSON.parse(readFileSync(new URL(`./fixtures/${name}`, import.meta.url), 'utf8')).cases
const all = read('paimon-cases.json')

/** Refused when options are compiled: `src/plan` tests them. */
const configCases = all.filter((one) => one.expectConfigError !== undefined)
/** Refused before a record is merged: the NOT NULL enforcer tests it. */
const enforcerCases = ['pu-not-null-column-rejects-null']
const cases = all.filter((one) => !configCases.includes(one) && !enforcerCases.includes(one.id))
/** What `integration-tests/paimon` found by comparing with the library. */
const found = read('found-cases.json')

describe('G3 A1 the cases distilled from Paimon', () => {
  test('all 76 are accounted for', () => {
    expect(all).toHaveLength(76)
    expect(configCases).toHaveLength(8)
  })

  for (const one of [...cases.filter(({ quirk }) => quirk !== true), ...found]) {
    test(one.id, () => {
      const plan = compileCase(one)
      const merge = createMergeFunction(plan)
      let stored: Row | undefined
      for (const [index, step] of one.steps.entries()) {
        const outcome = take(merge, one, plan, stored, step)
        if (step.expectError !== undefined) {
          expect(outcome.rejected, `step ${index}`).toBeDefined()
          return
        }
        expect(outcome.rejected, `step ${index}`).toBeUndefined()
        stored = outcome.stored
        const { expect: expected } = step
        if (expected === undefined) continue
        const seen = visible(one, plan, readerView(plan, stored))
        if (expected.visible === false) expect(seen, `step ${index}`).toBeUndefined()
        else expect(seen, `step ${index}`).toEqual(visible(one, plan, readRow(plan, expected.row ?? [])))
      }
    })

    test(`${one.id} in any cut into folds`, () => {
      const plan = compileCase(one)
      const merge = createMergeFunction(plan)
      const steps = one.steps.filter(({ expectError }) => expectError === undefined)
      const stepwise = steps.reduce<Row | undefined>(
        (stored, step) => take(merge, one, plan, stored, step).stored,
        undefined,
      )
      fc.assert(
        fc.property(fc.array(fc.boolean(), { minLength: steps.length, maxLength: steps.length }), (cuts) => {
          let stored: Row | undefined
          let pending: MergeChange[] = []
          const flush = (): void => {
            for (const change of pending) stored = merge.apply(stored, change).row
            pending = []
          }
          for (const [index, step] of steps.entries()) {
            const input = readStep(one, plan, step)
            const lifted = input && merge.lift(input)
            if (lifted?.outcome === 'change') pending = fold(merge, pending, lifted.change)
            if (cuts[index]) flush()
          }
          flush()
          expect(unordered(plan, stored)).toEqual(unordered(plan, stepwise))
        }),
      )
    })
  }

  test('what differs from Paimon says so', () => {
    for (const { id, note, paimon, steps } of found) {
      const expected = steps.at(-1)?.expect
      if (note?.startsWith('As Paimon does')) expect(paimon, id).toEqual(expected)
      else expect(paimon, id).not.toEqual(expected)
    }
  })

  test('A1 first_value keeps the earlier arrival of one sequence, where Paimon takes the later', () => {
    const one = all.find(({ id }) => id === 'sg-multi-field-aggregates-and-retract') as MergeCase
    const plan = compileCase(one)
    const merge = createMergeFunction(plan)
    const stored = one.steps.reduce<Row | undefined>((row, step) => take(merge, one, plan, row, step).stored, undefined)
    expect(one.quirkColumns).toEqual(['f4'])
    expect(one.steps.at(-1)?.expect?.row?.[4]).toBe(3)
    expect(readerView(plan, stored)?.[4]).toBe(1)
  })

  test('A1 last_non_null_value takes the newest of several late records, where Paimon takes the first to arrive', () => {
    const one = all.find(({ id }) => id === 'sg-last-non-null-older-fill-ranks-by-arrival') as MergeCase
    const plan = compileCase(one)
    const merge = createMergeFunction(plan)
    const stored = one.steps.reduce<Row | undefined>((row, step) => take(merge, one, plan, row, step).stored, undefined)
    expect(one.steps.at(-1)?.expect?.row).toEqual([1, 7, 1, 5])
    expect(readerView(plan, stored)).toEqual([1, 8, 1, 5])
  })
})

function take(
  merge: MergeFunction,
  one: MergeCase,
  plan: MergePlan,
  stored: Row | undefined,
  step: MergeCase['steps'][number],
): { stored: Row | undefined; rejected?: string } {
  const input = readStep(one, plan, step)
  if (input === undefined) return { stored }
  const lifted = merge.lift(input)
  if (lifted.outcome === 'rejected') return { stored, rejected: lifted.reason }
  if (lifted.outcome === 'ignored') return { stored }
  const applied = merge.apply(stored, lifted.change)
  return applied.outcome === 'rejected' ? { stored, rejected: applied.reason ?? '' } : { stored: applied.row }
}

function fold(merge: MergeFunction, pending: readonly MergeChange[], change: MergeChange): MergeChange[] {
  const last = pending.at(-1)
  const composed = last === undefined ? 'cannot' : merge.compose(last, change)
  if (composed === 'stale') return [...pending]
  return composed === 'cannot' ? [...pending, change] : [...pending.slice(0, -1), composed]
}

/** The columns that the case is about, arrays as multisets. */
function visible(one: MergeCase, plan: MergePlan, row: Row | undefined): unknown {
  return unordered(plan, row)?.map((value, position) =>
    one.quirkColumns?.includes(plan.columns[position]?.name ?? '') ? 'not compared' : value,
  )
}

function unordered(plan: MergePlan, row: Row | undefined): unknown[] | undefined {
  return row?.map((value, position) =>
    plan.columns[position]?.type.name === 'ARRAY' && Array.isArray(value)
      ? [...value].map(String).sort(compareCodePoints)
      : value,
  )
}
