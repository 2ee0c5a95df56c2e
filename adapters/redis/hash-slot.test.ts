import { expect, test } from 'vitest'
import { hashSlot } from './hash-slot.ts'

test('slots are those of the cluster specification', () => {
  expect(hashSlot('123456789')).toBe(0x31c3)
  expect(hashSlot('foo')).toBe(12182)
  expect(hashSlot('')).toBe(0)
})

test('keys with the same hash tag share a slot', () => {
  expect(hashSlot('{user1000}.following')).toBe(hashSlot('{user1000}.followers'))
  expect(hashSlot('foo{{bar}}zap')).toBe(hashSlot('{bar'))
  expect(hashSlot('foo{bar}{zap}')).toBe(hashSlot('bar'))
})

test('empty or open braces are no hash tag', () => {
  expect(hashSlot('foo{}{bar}')).not.toBe(hashSlot('bar'))
  expect(hashSlot('foo{bar')).not.toBe(hashSlot('bar'))
})
