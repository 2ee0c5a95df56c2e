import fc from 'fast-check'
import { expect, test } from 'vitest'
import { laneOf } from './lane.ts'

test('a key always has the same lane, within the range', () => {
  fc.assert(
    fc.property(fc.oneof(fc.integer(), fc.bigInt(), fc.string()), fc.integer({ min: 1, max: 64 }), (key, lanes) => {
      const lane = laneOf(key, lanes)
      expect(lane).toBe(laneOf(key, lanes))
      expect(lane).toBeGreaterThanOrEqual(0)
      expect(lane).toBeLessThan(lanes)
    }),
  )
})

test('keys in a row spread over the lanes', () => {
  for (const keyOf of [
    (n: number) => n,
    (n: number) => n * 2 ** 36,
    (n: number) => n / 7,
    (n: number) => BigInt(n) << 40n,
    (n: number) => `customer-${n}`,
  ]) {
    const counts = [0, 0, 0, 0]
    for (let n = 0; n < 4000; n++) counts[laneOf(keyOf(n), 4)] = (counts[laneOf(keyOf(n), 4)] ?? 0) + 1
    for (const count of counts) expect(count).toBeGreaterThan(500)
  }
})
