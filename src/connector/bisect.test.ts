import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bisect } from './bisect.ts'

class Refusal extends Error {}
const isRefusal = (error: unknown): boolean => error instanceof Refusal

function storeRefusing(bad: ReadonlySet<number>) {
  const written: number[] = []
  let attempts = 0
  const attempt = (items: readonly number[]): Promise<void> => {
    attempts++
    if (items.some((item) => bad.has(item))) return Promise.reject(new Refusal(String(items.length)))
    written.push(...items)
    return Promise.resolve()
  }
  return { written, attempt, attempts: () => attempts }
}

test('R3 every item but the bad ones is written, in order, and each bad one is named', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.nat(500)), fc.array(fc.nat(500)), async (items, refused) => {
      const bad = new Set(refused)
      const store = storeRefusing(bad)
      const faults = await bisect(items, store.attempt, isRefusal)
      expect(store.written).toEqual(items.filter((item) => !bad.has(item)))
      expect(faults.map(({ item }) => item)).toEqual(items.filter((item) => bad.has(item)))
    }),
  )
})

test('R3 one bad item among many takes about 2·log2(n) attempts', async () => {
  const items = Array.from({ length: 4096 }, (_, index) => index)
  const store = storeRefusing(new Set([1234]))
  await bisect(items, store.attempt, isRefusal)
  expect(store.attempts()).toBeLessThanOrEqual(25)
})

test('R3 an error that is not about an item is thrown on', async () => {
  const down = new Error('server gone')
  await expect(bisect([1, 2], () => Promise.reject(down), isRefusal)).rejects.toBe(down)
})

test('nothing to write is no attempt', async () => {
  const store = storeRefusing(new Set())
  expect(await bisect([], store.attempt, isRefusal)).toEqual([])
  expect(store.attempts()).toBe(0)
})
