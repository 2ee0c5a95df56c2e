import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDuration } from './duration.ts'
import { parseMemorySize } from './memory-size.ts'
import { durationText, memorySizeText } from './quantity-text.ts'

describe('a duration is read in the units of Flink', () => {
  test.each([
    ['0', 0],
    ['1500', 1500],
    ['500 ms', 500],
    ['500ms', 500],
    ['  2s  ', 2000],
    ['2 SEC', 2000],
    ['2 secs', 2000],
    ['1 Second', 1000],
    ['3 seconds', 3000],
    ['1min', 60_000],
    ['10 minutes', 600_000],
    ['1 h', 3_600_000],
    ['2 hours', 7_200_000],
    ['7 d', 604_800_000],
    ['1 day', 86_400_000],
    ['365 days', 31_536_000_000],
    ['5 millis', 5],
    ['5 milliseconds', 5],
    ['1500 µs', 1.5],
    ['3 micros', 0.003],
    ['1 microsecond', 0.001],
    ['250 ns', 0.00025],
    ['1000000 nanoseconds', 1],
  ])('%j', (text, millis) => {
    expect(parseDuration(text)).toEqual({ value: millis })
  })

  test.each([
    ['10 m', 'm is no unit of time here: minutes is min, milliseconds is ms'],
    ['10M', 'm is no unit of time here: minutes is min, milliseconds is ms'],
    ['2 mins', 'minutes is min'],
    ['2 us', 'microseconds is µs or micros'],
    ['1.5s', 'write a whole number of a smaller unit; the units are d, h, min, s, ms, µs or ns'],
    ['-1s', 'write it without a sign; the units are d, h, min, s, ms, µs or ns'],
    ['1h30min', 'write a whole number and a unit; the units are d, h, min, s, ms, µs or ns'],
    ['ten seconds', 'write a whole number and a unit; the units are d, h, min, s, ms, µs or ns'],
    ['1 constructor', 'write a whole number and a unit; the units are d, h, min, s, ms, µs or ns'],
    ['', 'write a whole number and a unit; the units are d, h, min, s, ms, µs or ns'],
  ])('%j is refused', (text, fix) => {
    expect(parseDuration(text)).toEqual({ problem: 'is not a duration such as 500 ms, 2s or 1 min', fix })
  })

  test('what does not fit is refused', () => {
    expect(parseDuration('9223372036854775808 ns')).toEqual({ value: 9223372036854.775 })
    expect(parseDuration('104249991 d')).toEqual({ value: 9_007_199_222_400_000 })
    expect(parseDuration('104249992 d')).toEqual({ problem: 'is too large' })
    expect(parseDuration('9'.repeat(400))).toEqual({ problem: 'is too large' })
  })
})

describe('a memory size is read in the units of Flink, powers of 1024', () => {
  test.each([
    ['0', 0],
    ['1500', 1500],
    ['10b', 10],
    ['10 bytes', 10],
    ['1k', 1024],
    ['1 KB', 1024],
    ['2 kibibytes', 2048],
    ['8m', 8_388_608],
    ['8mb', 8_388_608],
    ['1 mebibytes', 1_048_576],
    ['1g', 1_073_741_824],
    ['1 Gb', 1_073_741_824],
    ['1 gibibytes', 1_073_741_824],
    ['1t', 1_099_511_627_776],
    ['1 tebibytes', 1_099_511_627_776],
  ])('%j', (text, bytes) => {
    expect(parseMemorySize(text)).toEqual({ value: bytes })
  })

  test.each([
    ['2MiB', 'write mb, which is 1024 kb'],
    ['1.5mb', 'write a whole number of a smaller unit; the units are b, kb, mb, gb or tb (powers of 1024)'],
    ['-1', 'write it without a sign; the units are b, kb, mb, gb or tb (powers of 1024)'],
    ['2 min', 'write a whole number and a unit; the units are b, kb, mb, gb or tb (powers of 1024)'],
  ])('%j is refused', (text, fix) => {
    expect(parseMemorySize(text)).toEqual({ problem: 'is not a memory size such as 8mb or 512 kb', fix })
  })

  test('what does not fit is refused', () => {
    expect(parseMemorySize('8191 tb')).toEqual({ value: 8191 * 1024 ** 4 })
    expect(parseMemorySize('8192 tb')).toEqual({ problem: 'is too large' })
  })
})

const blanks = fc.constantFrom('', ' ', '  ', '\t')
const anyCase = (unit: string) => fc.mixedCase(fc.constant(unit))

test('blanks and case never matter', () => {
  const units = fc.constantFrom(['d', 86_400_000], ['h', 3_600_000], ['min', 60_000], ['s', 1000], ['ms', 1])
  fc.assert(
    fc.property(fc.nat(1_000_000), units, blanks, blanks, blanks, (count, [unit, factor], before, between, after) => {
      const text = `${before}${count}${between}${unit}${after}`
      expect(parseDuration(text)).toEqual({ value: count * Number(factor) })
      expect(parseDuration(text.toUpperCase())).toEqual({ value: count * Number(factor) })
    }),
  )
  fc.assert(
    fc.property(fc.nat(1_000_000), blanks, anyCase('kibibytes'), (count, between, unit) => {
      expect(parseMemorySize(`${count}${between}${unit}`)).toEqual({ value: count * 1024 })
    }),
  )
})

test('what is written in the largest exact unit reads back', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.nat(),
        fc.nat(500).map((hours) => hours * 3_600_000),
      ),
      (count) => {
        expect(parseDuration(durationText(count))).toEqual({ value: count })
        expect(parseMemorySize(memorySizeText(count))).toEqual({ value: count })
      },
    ),
  )
})

test('no text is read as a quantity but digits and a unit', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 8 }), (text) => {
      for (const parsed of [parseDuration(text), parseMemorySize(text)]) {
        if ('value' in parsed) expect(text.trim()).toMatch(/^\d+\s*[a-zµ]*$/i)
        else expect(parsed.problem).not.toBe('')
      }
    }),
  )
})
