import { expect, test } from 'vitest'
import type { MergeChange } from '../merge/merge-change.ts'
import type { MergeFunction } from '../merge/merge-function.ts'
import { AccountCounters } from './account.ts'
import { FoldBuffer } from './fold-buffer.ts'

/** The last change wins; `x` cannot be composed, `old` is stale. */
const lastWins: MergeFunction = {
  lift: () => ({ outcome: 'ignored', reason: '' }),
  apply: () => ({ outcome: 'unchanged', row: undefined }),
  compose: (_, later) => (later.row[0] === 'x' ? 'cannot' : later.row[0] === 'old' ? 'stale' : later),
}

const change = (key: number, value: string): MergeChange => ({ key, op: 'upsert', row: [value], replace: true })
const origin = (arrival: number) => ({ arrival, record: arrival, position: undefined })

function buffer() {
  const account = new AccountCounters()
  const load = { rowCount: 0, byteCount: 0 }
  return { account, load, buffer: new FoldBuffer(0, lastWins, account, load) }
}

test('one entry a key, in the order in which the keys first came', () => {
  const { buffer: fold, load } = buffer()
  fold.add(change(2, 'a'), 10, true, origin(1))
  fold.add(change(1, 'b'), 10, true, origin(2))
  fold.add(change(2, 'c'), 30, true, origin(3))
  expect([...fold.entries.values()].map(({ key, records, firstArrival }) => [key, records, firstArrival])).toEqual([
    [2, 2, 1],
    [1, 1, 2],
  ])
  expect(load.rowCount).toBe(2)
  const [first] = fold.entries.values()
  if (first !== undefined) fold.remove(first)
  expect(load.rowCount).toBe(1)
})

test('the bytes of the buffer are those of its entries, whatever happens to them', () => {
  const { buffer: fold, load } = buffer()
  fold.add(change(1, 'a'), 100, true, origin(1))
  const small = load.byteCount
  fold.add(change(1, 'b'), 500, true, origin(2))
  expect(load.byteCount).toBe(small + 400)
  fold.add(change(1, 'x'), 50, true, origin(3))
  expect(load.byteCount).toBe(small + 450)
  const held = { change: change(1, 'h'), byteCount: 70, reject: undefined }
  const entry = fold.holdUpdateBefore(1, held, 0, origin(4))
  expect(load.byteCount).toBe(small + 520)
  fold.remove(entry)
  expect(load).toEqual({ rowCount: 0, byteCount: 0 })
})

test('what cannot be composed waits for a later wave, and what is stale is counted', () => {
  const { buffer: fold, account } = buffer()
  fold.add(change(1, 'a'), 10, true, origin(1))
  fold.add(change(1, 'x'), 10, true, origin(2))
  fold.add(change(1, 'b'), 10, true, origin(3))
  fold.add(change(1, 'old'), 10, true, origin(4))
  const [entry] = fold.entries.values()
  expect(entry?.change?.row).toEqual(['a'])
  expect(entry?.later).toEqual([{ change: change(1, 'b'), records: 2 }])
  expect(account.stale).toBe(1)
})

test('K2 a held update-before is dropped by its update-after and applied by anything else', () => {
  const { buffer: fold, account } = buffer()
  fold.holdUpdateBefore(1, { change: change(1, 'gone'), byteCount: 5, reject: undefined }, 0, origin(1))
  fold.add(change(1, 'new'), 10, true, origin(2))
  expect(account.ignored).toBe(1)
  expect(fold.heldEntries.size).toBe(0)
  const entry = fold.holdUpdateBefore(1, { change: change(1, 'gone'), byteCount: 5, reject: undefined }, 0, origin(3))
  fold.releaseHeld(entry)
  expect(entry.change?.row).toEqual(['gone'])
  expect(entry.records).toBe(2)
})

test('K2 an update-before that nothing can take is refused when its hold ends, and leaves no entry', () => {
  const { buffer: fold, load } = buffer()
  let refused = 0
  const held = { change: undefined, byteCount: 5, reject: () => refused++ }
  const entry = fold.holdUpdateBefore(1, held, 0, origin(1))
  fold.releaseHeld(entry)
  expect(refused).toBe(1)
  expect(fold.entries.size).toBe(0)
  expect(load).toEqual({ rowCount: 0, byteCount: 0 })
})

test('K6 nothing but a delete is composed with a row that has yet to move', () => {
  const { buffer: fold } = buffer()
  const moving = { ...change(1, 'a'), moveFrom: { key: 9, row: [] } }
  fold.add(moving, 10, true, origin(1))
  fold.add(change(1, 'b'), 10, true, origin(2))
  const [entry] = fold.entries.values()
  expect(entry?.change).toBe(moving)
  expect(entry?.later).toHaveLength(1)
})
