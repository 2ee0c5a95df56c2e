import { expect, test } from 'vitest'
import { SmallInserts } from './small-inserts.ts'

function told(count: number, rows: number, everyMs: number): readonly string[] {
  const inserts = new SmallInserts()
  return Array.from({ length: count }, (_, at) => inserts.note(rows, at * everyMs)).filter((one) => one !== undefined)
}

test('many inserts of few rows are told of once, with what helps', () => {
  expect(told(19, 10, 100)).toEqual([])
  expect(told(100, 10, 100)).toEqual([
    expect.stringMatching(/^20 inserts in 1\.9 s, of 10 rows on average.*'sink\.buffer-flush\.interval' = '5s'/),
  ])
})

test('large inserts, and small ones that come seldom, are as they should be', () => {
  expect(told(100, 5000, 100)).toEqual([])
  expect(told(100, 10, 1200)).toEqual([])
})
