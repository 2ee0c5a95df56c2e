import fc from 'fast-check'
import { expect, test } from 'vitest'
import { daysAndMicros, daysOfDate, microsOfTime, microsSinceEpoch } from './temporal-count.ts'

test('dates count from 2000-01-01 in the proleptic Gregorian calendar', () => {
  expect(daysOfDate('2000-01-01')).toBe(0)
  expect(daysOfDate('2000-02-29')).toBe(59)
  expect(daysOfDate('1970-01-01')).toBe(-10957)
  expect(daysOfDate('0001-01-01')).toBe(-730119)
  expect(daysOfDate('0000-12-31')).toBe(-730120)
  // the bounds of PostgreSQL's date
  expect(daysOfDate('-004713-11-24')).toBe(-2451545)
  expect(daysOfDate('+5874897-12-31')).toBe(2145031948)
})

test('every date that JavaScript knows counts as JavaScript counts it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -99_000_000, max: 99_000_000 }), (days) => {
      const text = new Date((days + 10957) * 86_400_000).toISOString().slice(0, -14)
      expect(daysOfDate(text)).toBe(days)
    }),
  )
})

test('timestamps keep every microsecond', () => {
  expect(daysAndMicros('2000-01-02T00:00:01.5')).toEqual({ days: 1, micros: 1_500_000 })
  expect(daysAndMicros('+12345-01-01T23:59:59.999999Z').micros).toBe(86_399_999_999)
  expect(microsSinceEpoch(-1, 86_399_999_999)).toBe(-1n)
  expect(microsOfTime('23:59:59.000001')).toBe(86_399_000_001)
  expect(microsOfTime('00:00:07')).toBe(7_000_000)
})
