import fc from 'fast-check'
import { expect, test } from 'vitest'
import { losslessDigits, parseExact } from './exact-json.ts'
import { toJsonText } from './json-text.ts'

test('a whole number beyond 2^53 becomes a bigint', () => {
  expect(parseExact('{"a":9007199254740993,"b":-9223372036854775808,"c":9007199254740991}')).toEqual({
    a: 9007199254740993n,
    b: -9223372036854775808n,
    c: 9007199254740991,
  })
})

test('a number that a double would change keeps its digits', () => {
  const digits = (text: string) => losslessDigits(parseExact(`[${text}]`) && (parseExact(`[${text}]`) as unknown[])[0])
  expect(digits('0.12345678901234567890')).toBe('0.12345678901234567890')
  expect(digits('1e400')).toBe('1e400')
  expect(digits('1.5e-400')).toBe('1.5e-400')
  expect(digits('1234567890.1234567')).toBe('1234567890.1234567')
  expect(digits('1.5')).toBeUndefined()
})

test('every number is written again with the value that was read', () => {
  const anyNumber = fc.oneof(
    fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }).map(String),
    fc
      .tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.bigInt({ min: 0n, max: 10n ** 20n }))
      .map(([a, b]) => `${a}.${b}`),
  )
  fc.assert(
    fc.property(anyNumber, (text) => {
      const written = toJsonText(parseExact(`{"a":[${text}]}`))
      expect(written.slice(6, -2).replace(/\.?0*$/, '')).toBe(text.replace(/^-0$/, '0').replace(/\.?0*$/, ''))
    }),
  )
})

test('is JSON.parse for anything without long numbers', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      expect(toJsonText(parseExact(text))).toBe(toJsonText(JSON.parse(text)))
    }),
  )
})

test('a member named __proto__ is one like any other, on both paths', () => {
  for (const text of ['{"__proto__":{"x":1}}', '{"__proto__":{"x":12345678901234567890}}']) {
    const parsed = parseExact(text) as object
    expect(Object.keys(parsed)).toEqual(['__proto__'])
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
    expect(toJsonText(parsed)).toBe(text)
  }
})

test('the last of equal names stays, on both paths', () => {
  expect(parseExact('{"a":1,"a":2}')).toEqual({ a: 2 })
  expect(parseExact('{"a":1,"a":12345678901234567890}')).toEqual({ a: 12345678901234567890n })
})
