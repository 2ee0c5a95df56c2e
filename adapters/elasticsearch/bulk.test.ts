import { expect, test } from 'vitest'
import { cutRequests } from './bulk.ts'
import type { Action } from './statements/action.ts'

function item(bytes: number): { action: Action } {
  return { action: { index: 'i', lines: 'x'.repeat(bytes), missing: 'done', conflict: 'again' } }
}

test('B1 requests hold no more bytes than allowed, in order, and what is larger goes alone', () => {
  const sizes = [10, 10, 10, 50, 1, 29, 1]
  const requests = cutRequests(sizes.map(item), 30)
  expect(requests.map((request) => request.map(({ action }) => action.lines.length))).toEqual([
    [10, 10, 10],
    [50],
    [1, 29],
    [1],
  ])
})

test('B1 bytes are counted, not characters', () => {
  const action: Action = { index: 'i', lines: '😀'.repeat(5), missing: 'done', conflict: 'again' }
  expect(cutRequests([{ action }, { action }], 30)).toHaveLength(2)
})
