import { describe, expect, test } from 'vitest'
import type { StoredColumn } from './merge-plan.ts'
import { createSequenceOrder, isAbsentTuple, isNullTuple } from './sequence.ts'

const columns: StoredColumn[] = ['a', 'b'].map((name) => ({
  name,
  type: { name: 'BIGINT' },
  nullable: true,
  hidden: false,
}))

function order(descending: boolean, tie: 'last-arrival' | 'first-arrival' = 'last-arrival') {
  return createSequenceOrder({ columns: [0, 1], descending, tie }, columns)
}

describe('sequence tuples', () => {
  test('G4 compare field by field, exactly', () => {
    expect(order(false).compare([1n, 2n], [1n, 3n])).toBeLessThan(0)
    expect(order(false).compare([2n, 0n], [1n, 3n])).toBeGreaterThan(0)
    expect(order(false).compare([9007199254740993n, 0n], [9007199254740992n, 0n])).toBeGreaterThan(0)
    expect(order(false).compare([1n, 1n], [1n, 1n])).toBe(0)
  })

  test('G1 null is lowest in either sort order, absent counts as null', () => {
    for (const descending of [false, true]) {
      expect(order(descending).compare([1n, null], [1n, 5n])).toBeLessThan(0)
      expect(order(descending).compare([null, 9n], [1n, undefined])).toBeLessThan(0)
      expect(order(descending).compare([null, undefined], [undefined, null])).toBe(0)
    }
    expect(order(true).compare([1n, 0n], [2n, 0n])).toBeGreaterThan(0)
  })

  test('G1 on a tie the later arrival passes, or the first one stays', () => {
    expect(order(false, 'last-arrival').passes(0)).toBe(true)
    expect(order(false, 'first-arrival').passes(0)).toBe(false)
    expect(order(false, 'first-arrival').passes(1)).toBe(true)
    expect(order(false, 'last-arrival').passes(-1)).toBe(false)
  })

  test('an absent tuple is null, a null one is not absent', () => {
    expect(isNullTuple([undefined, null], [0, 1])).toBe(true)
    expect(isAbsentTuple([undefined, undefined], [0, 1])).toBe(true)
    expect(isAbsentTuple([undefined, null], [0, 1])).toBe(false)
    expect(isNullTuple([undefined, 0n], [0, 1])).toBe(false)
  })
})
