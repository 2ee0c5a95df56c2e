import { expect, test } from 'vitest'
import { hashSlot } from './hash-slot.ts'

test('slots are those of the specification', () => {
  expect(hashSlot('123456789')).toBe(0x31c3 % 16_384)
  expect(hashSlot('foo')).toBe(12_182)
  expect(hashSlot('{user1000}.following')).toBe(hashSlot('{user1000}.followers'))
  expect(hashSlot('foo{}{bar}')).not.toBe(hashSlot('bar'))
  expect(hashSlot('foo{{bar}}zap')).toBe(hashSlot('{bar'))
})
