import Big from 'big.js'
import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import { parseDataType } from '../ddl/parse-data-type.ts'
import { anyValue } from '../testing/value-arbitrary.ts'
import { createCoercion } from './coerce.ts'
import { toJsonValue } from './json-value.ts'
import { equalValues } from './value.ts'
import type { ValueEncoding } from './value-encoding.ts'
import { ValueFault } from './value-fault.ts'

function coerce(type: string, raw: unknown, encoding?: ValueEncoding): unknown {
  return createCoercion(parseDataType(type), encoding)(raw)
}

function fault(type: string, raw: unknown, encoding?: ValueEncoding): string {
  try {
    coerce(type, raw, encoding)
  } catch (error) {
    if (error instanceof ValueFault) return error.reason
    throw error
  }
  throw new Error(`${type} took the value`)
}

const types = [
  ...['BOOLEAN', 'TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'FLOAT', 'DOUBLE', 'DECIMAL(38, 10)', 'DECIMAL(5, 5)'],
  ...['DECIMAL(9, 0)', 'CHAR(3)', 'VARCHAR(9)', 'STRING', 'BINARY(3)', 'BYTES', 'DATE', 'TIME(0)', 'TIME(3)'],
  ...['TIMESTAMP(0)', 'TIMESTAMP(6)', 'TIMESTAMP(9)', 'TIMESTAMP_LTZ(3)', 'JSON', 'UUID', 'ARRAY<BIGINT>'],
  ...['MAP<INT, STRING>', 'MAP<BYTES, DOUBLE>', 'ROW<a INT, `__proto__` TIMESTAMP(3)>', 'ARRAY<ROW<x DECIMAL(4, 1)>>'],
]

test.each(types)('%s: a canonical value stays as it is', (name) => {
  const type = parseDataType(name)
  const read = createCoercion(type)
  fc.assert(fc.property(anyValue(type), (value) => equalValues(type, read(value), value)))
})

test.each(types)('%s: what is written as JSON is read back', (name) => {
  const type = parseDataType(name)
  const read = createCoercion(type)
  fc.assert(
    fc.property(anyValue(type), (value) => {
      const json: unknown = JSON.parse(JSON.stringify(toJsonValue(type, value)))
      return equalValues(type, read(json), value)
    }),
  )
})

test.each(types)('%s: whatever comes is read or refused, and a refusal never shows it', (name) => {
  const read = createCoercion(parseDataType(name))
  const secret = 'Zq7secretZq7'
  const anything = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
    fc.constant(secret),
  )
  fc.assert(
    fc.property(anything, (raw) => {
      if (raw === null || raw === undefined) return
      try {
        read(raw)
      } catch (error) {
        expect(error).toBeInstanceOf(ValueFault)
        expect(String(error)).not.toContain(secret)
      }
    }),
  )
})

describe('whole numbers', () => {
  test('are taken from numbers, bigints, text and lossless numbers', () => {
    for (const raw of [42, 42n, '42', ' +42 ', '42.0', '4.2e1', new LosslessNumber('42'), new Big(42)]) {
      expect(coerce('INT', raw)).toBe(42)
      expect(coerce('BIGINT', raw)).toBe(42n)
    }
    expect(coerce('TINYINT', true)).toBe(1)
    expect(Object.is(coerce('INT', -0), 0)).toBe(true)
  })

  test('keep every digit up to the end of their range', () => {
    expect(coerce('BIGINT', '9223372036854775807')).toBe(9223372036854775807n)
    expect(coerce('BIGINT', new LosslessNumber('-9223372036854775808'))).toBe(-9223372036854775808n)
    expect(fault('BIGINT', '9223372036854775808')).toBe('is out of the range of BIGINT')
    expect(fault('TINYINT', 128)).toBe('is out of the range of TINYINT')
    expect(fault('INT', 1e300)).toBe('is out of the range of INT')
    expect(fault('INT', '1e300')).toContain('more than 40 digits')
  })

  test('above 2^53 are refused as numbers, since their last digits may be lost', () => {
    expect(coerce('BIGINT', Number.MAX_SAFE_INTEGER)).toBe(9007199254740991n)
    expect(fault('BIGINT', 2 ** 53)).toContain('above 2^53')
    expect(fault('DECIMAL(20, 0)', 2 ** 53)).toContain('above 2^53')
    expect(fault('STRING', 2 ** 53)).toContain('above 2^53')
  })

  test('with a fraction are refused', () => {
    expect(fault('INT', 1.5)).toBe('is not a whole number')
    expect(fault('BIGINT', '1.5')).toContain('would round it')
    expect(fault('INT', 'x')).toBe('is not a whole number')
    expect(fault('INT', {})).toBe('is an object, not a number')
  })
})

describe('DECIMAL', () => {
  test.each([
    ['12.5', '12.50'],
    ['0012.500', '12.50'],
    ['-0.00', '0.00'],
    ['.5', '0.50'],
    ['5.', '5.00'],
    ['1e3', '1000.00'],
    ['+7', '7.00'],
  ])('%s has one text', (raw, text) => {
    expect(coerce('DECIMAL(12, 2)', raw)).toBe(text)
  })

  test('agrees with exact arithmetic for every text', () => {
    const read = createCoercion(parseDataType('DECIMAL(30, 8)'))
    const anyText = fc.tuple(fc.bigInt({ min: -(10n ** 22n), max: 10n ** 22n }), fc.integer({ min: -8, max: 0 }))
    fc.assert(
      fc.property(anyText, ([digits, exponent]) => {
        const text = `${digits}e${exponent}`
        expect(read(text)).toBe(new Big(text).toFixed(8).replace(/^-(0\.0+)$/, '$1'))
      }),
    )
  })

  test('is never rounded and never overflows', () => {
    expect(fault('DECIMAL(12, 2)', '1.234')).toContain('would round it')
    expect(fault('DECIMAL(4, 2)', '123')).toContain('more than 2 digits before the point')
    expect(fault('DECIMAL(4, 2)', '1e999999999')).toContain('before the point')
    expect(fault('DECIMAL(4, 2)', '1e-999999999')).toContain('after the point')
    expect(fault('DECIMAL(4, 2)', 'NaN')).toBe('is not a decimal number')
    expect(fault('DECIMAL(4, 2)', Number.NaN)).toBe('is no number that a DECIMAL holds')
  })

  test('is read from Base64 where the encoding says so', () => {
    expect(coerce('DECIMAL(12, 2)', '/2o=', { decimal: 'base64' })).toBe('-1.50')
    expect(coerce('DECIMAL(12, 2)', 'HL6ZGhQ=', { decimal: 'either' })).toBe('1234567890.12')
    expect(coerce('DECIMAL(12, 2)', '12.34', { decimal: 'either' })).toBe('12.34')
    expect(fault('DECIMAL(12, 2)', '1234', { decimal: 'either' })).toContain('could be plain digits or Base64')
    expect(fault('DECIMAL(12, 2)', '12.34', { decimal: 'base64' })).toContain('is not the Base64')
  })

  test('survives the way through an unscaled big-endian two’s complement', () => {
    const read = createCoercion(parseDataType('DECIMAL(38, 4)'), { decimal: 'base64' })
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }), (unscaled) => {
        const bytes = Buffer.alloc(17)
        bytes.writeUIntBE(unscaled < 0n ? 0xff : 0, 0, 1)
        bytes.write(BigInt.asUintN(128, unscaled).toString(16).padStart(32, '0'), 1, 'hex')
        expect(read(bytes.toString('base64'))).toBe(
          new Big(String(unscaled))
            .div(10000)
            .toFixed(4)
            .replace(/^-(0\.0+)$/, '$1'),
        )
      }),
    )
  })
})

describe('FLOAT and DOUBLE', () => {
  test('a float has one value, the shortest that makes it', () => {
    expect(coerce('FLOAT', 0.1)).toBe(0.1)
    expect(coerce('FLOAT', Math.fround(0.1))).toBe(0.1)
    expect(coerce('FLOAT', 123456789)).toBe(coerce('FLOAT', Math.fround(123456789)))
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (float) => {
        const value = coerce('FLOAT', float) as number
        expect(Math.fround(value)).toBe(float + 0)
        expect(coerce('FLOAT', value)).toBe(value)
      }),
    )
  })

  test('the infinities and NaN are values, what overflows is not', () => {
    expect(coerce('DOUBLE', 'NaN')).toBeNaN()
    expect(coerce('DOUBLE', '-Infinity')).toBe(Number.NEGATIVE_INFINITY)
    expect(coerce('FLOAT', 'inf')).toBe(Number.POSITIVE_INFINITY)
    expect(fault('DOUBLE', '1e400')).toBe('is out of the range of DOUBLE')
    expect(fault('FLOAT', 1e39)).toBe('is out of the range of FLOAT')
    expect(Object.is(coerce('DOUBLE', -0), 0)).toBe(true)
  })
})

describe('BOOLEAN', () => {
  test('is read from words, letters and 0 or 1', () => {
    expect([true, 'TRUE', 't', 1, '1', 1n].map((raw) => coerce('BOOLEAN', raw))).toEqual(Array(6).fill(true))
    expect([false, 'false', 'f', 0, '0'].map((raw) => coerce('BOOLEAN', raw))).toEqual(Array(5).fill(false))
    expect(fault('BOOLEAN', 2)).toBe('is not a boolean')
  })
})

describe('text', () => {
  test('takes scalars as they print and nested values as JSON, as Flink does', () => {
    expect(coerce('STRING', 1.5)).toBe('1.5')
    expect(coerce('STRING', 12n)).toBe('12')
    expect(coerce('STRING', false)).toBe('false')
    expect(coerce('STRING', new LosslessNumber('0.12345678901234567890'))).toBe('0.12345678901234567890')
    expect(coerce('STRING', { a: [1, 9007199254740993n] })).toBe('{"a":[1,9007199254740993]}')
    expect(fault('STRING', Buffer.from('x'))).toBe('is bytes, not text')
  })

  test('keeps NUL and lone surrogates: whether a store can hold them is the store’s to say', () => {
    expect(coerce('STRING', 'a\0\ud800')).toBe('a\0\ud800')
  })
})

describe('bytes', () => {
  const bytes = Buffer.from([0, 1, 2, 255])

  test('are read in each encoding', () => {
    expect(coerce('BYTES', 'AAEC/w==')).toEqual(bytes)
    expect(coerce('BYTES', 'AAEC_w', { bytes: 'base64-url' })).toEqual(bytes)
    expect(coerce('BYTES', '000102FF', { bytes: 'hex' })).toEqual(bytes)
    expect(coerce('BYTES', '\\x000102ff', { bytes: 'postgres' })).toEqual(bytes)
    expect(coerce('BYTES', '\\000\\001\\002\\377', { bytes: 'postgres' })).toEqual(bytes)
    expect(coerce('BYTES', 'a\\\\b', { bytes: 'postgres' })).toEqual(Buffer.from('a\\b'))
    expect(coerce('BYTES', { $base64: 'AAEC/w==' }, { bytes: 'hex' })).toEqual(bytes)
    expect(coerce('BYTES', JSON.parse(JSON.stringify(bytes)))).toEqual(bytes)
  })

  test('that are not in the encoding are refused, where Node would skip them', () => {
    expect(fault('BYTES', 'AAEC/w')).toBe('is not Base64')
    expect(fault('BYTES', 'A*==')).toBe('is not Base64')
    expect(fault('BYTES', '0g', { bytes: 'hex' })).toBe('is not hexadecimal')
    expect(fault('BYTES', 'a\\9', { bytes: 'postgres' })).toBe('is not a bytea of PostgreSQL')
    expect(fault('BYTES', [1])).toBe('is an array, not bytes')
  })
})

describe('dates and times', () => {
  test.each([
    ['TIMESTAMP(3)', '2025-01-01 08:00:05.25', '2025-01-01T08:00:05.250'],
    ['TIMESTAMP(3)', '2025-01-01T08:00', '2025-01-01T08:00:00.000'],
    ['TIMESTAMP(0)', '2025-01-01', '2025-01-01T00:00:00'],
    ['TIMESTAMP(6)', '2025-01-01 08:00:05.25Z', '2025-01-01T08:00:05.250000'],
    ['TIMESTAMP(0)', '2025-01-01 08:00:05+00', '2025-01-01T08:00:05'],
    ['TIMESTAMP(0)', '294276-12-31 23:59:59', '+294276-12-31T23:59:59'],
    ['TIMESTAMP(0)', '0044-03-15 12:00:00 BC', '-000043-03-15T12:00:00'],
    ['TIMESTAMP_LTZ(3)', '2025-01-01 00:30:00+01:30', '2024-12-31T23:00:00.000Z'],
    ['TIMESTAMP_LTZ(0)', '2025-01-01T00:00:00-0330', '2025-01-01T03:30:00Z'],
    ['TIMESTAMP_LTZ(0)', '2024-02-28 23:59:59 UTC', '2024-02-28T23:59:59Z'],
    ['DATE', '2025-12-31T00:00:00Z', '2025-12-31'],
    ['TIME(3)', '01:02:03.4', '01:02:03.400'],
    ['TIME(0)', '01:02', '01:02:00'],
  ])('%s of %s', (type, raw, text) => {
    expect(coerce(type, raw)).toBe(text)
  })

  test('digits beyond the declared precision are cut, as Flink’s cast does, also before 1970', () => {
    expect(coerce('TIMESTAMP(3)', '2025-01-01T00:00:00.999999999')).toBe('2025-01-01T00:00:00.999')
    expect(coerce('TIMESTAMP(3)', '1969-12-31T23:59:59.9999')).toBe('1969-12-31T23:59:59.999')
    expect(coerce('TIME(0)', '23:59:59.9')).toBe('23:59:59')
  })

  test('numbers need a declared unit', () => {
    expect(fault('TIMESTAMP(3)', 1735689600000)).toContain('its unit is not declared')
    expect(fault('TIMESTAMP(3)', '1735689600000')).toContain('the unit of a number must be declared')
    expect(coerce('TIMESTAMP(3)', 1735689600000, { timestamp: 'millis' })).toBe('2025-01-01T00:00:00.000')
    expect(coerce('TIMESTAMP(3)', '1735689600000', { timestamp: 'millis' })).toBe('2025-01-01T00:00:00.000')
    expect(coerce('TIMESTAMP_LTZ(9)', -1n, { timestamp: 'nanos' })).toBe('1969-12-31T23:59:59.999999999Z')
    expect(coerce('TIMESTAMP(6)', 1735689600123456, { timestamp: 'by-precision' })).toBe('2025-01-01T00:00:00.123456')
    expect(coerce('TIMESTAMP(3)', 1735689600123, { timestamp: 'by-precision' })).toBe('2025-01-01T00:00:00.123')
    expect(coerce('DATE', -1, { date: 'days' })).toBe('1969-12-31')
    expect(coerce('TIME(6)', 86399999999, { time: 'micros' })).toBe('23:59:59.999999')
    expect(fault('TIMESTAMP(9)', Number('1735689600123456789'), { timestamp: 'nanos' })).toContain('above 2^53')
    expect(fault('TIME(6)', 86400000000, { time: 'micros' })).toBe('is not within a day')
  })

  test('an instant and a wall time are not taken for each other', () => {
    expect(coerce('TIMESTAMP_LTZ(3)', new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(fault('TIMESTAMP(3)', new Date(0))).toContain('is a Date')
    expect(fault('TIMESTAMP(3)', '2025-01-01 00:00:00+02')).toContain('has an offset from UTC')
    expect(fault('TIMESTAMP_LTZ(3)', '2025-01-01 00:00:00')).toContain('has no time zone')
    expect(fault('TIMESTAMP_LTZ(3)', new Date(Number.NaN))).toBe('is an invalid Date')
  })

  test('what is on no calendar or clock is refused', () => {
    expect(fault('DATE', '2025-02-29')).toBe('is not a day of the calendar')
    expect(coerce('DATE', '2024-02-29')).toBe('2024-02-29')
    expect(fault('DATE', '1900-02-29')).toBe('is not a day of the calendar')
    expect(fault('TIMESTAMP(0)', '0000-00-00 00:00:00')).toBe('is not a day of the calendar')
    expect(fault('TIMESTAMP(0)', 'infinity')).toContain('no place on the calendar')
    expect(fault('TIME(0)', '24:00:00')).toContain('not on the clock')
    expect(fault('DATE', '2025-01-01 10:00:00')).toContain('has a time of day')
    expect(fault('TIMESTAMP(0)', 10n ** 29n, { timestamp: 'seconds' })).toBe('is out of the range of dates')
  })

  test('epoch counts agree with JavaScript’s Date wherever both reach', () => {
    const read = createCoercion(parseDataType('TIMESTAMP_LTZ(3)'), { timestamp: 'millis' })
    fc.assert(
      fc.property(fc.integer({ min: -8.64e15, max: 8.64e15 }), (millis) => {
        const text = new Date(millis).toISOString()
        expect(read(millis)).toBe(text)
        expect(read(BigInt(millis))).toBe(text)
        expect(read(text)).toBe(text)
      }),
    )
  })

  test('objects of Temporal are read by their text', () => {
    const temporal = (tag: string, text: string, more: object = {}) => ({
      [Symbol.toStringTag]: `Temporal.${tag}`,
      toString: () => text,
      ...more,
    })
    expect(coerce('TIMESTAMP_LTZ(3)', temporal('Instant', '2025-01-01T00:00:00.5Z'))).toBe('2025-01-01T00:00:00.500Z')
    expect(coerce('TIMESTAMP(0)', temporal('PlainDateTime', '2025-01-01T00:00:00'))).toBe('2025-01-01T00:00:00')
    expect(coerce('DATE', temporal('PlainDate', '2025-01-01'))).toBe('2025-01-01')
    expect(coerce('TIME(0)', temporal('PlainTime', '01:02:03'))).toBe('01:02:03')
    const zoned = temporal('ZonedDateTime', '2025-01-01T01:00:00+01:00[Europe/Rome]', {
      toInstant: () => temporal('Instant', '2025-01-01T00:00:00Z'),
    })
    expect(coerce('TIMESTAMP_LTZ(0)', zoned)).toBe('2025-01-01T00:00:00Z')
  })
})

describe('nested values', () => {
  test('arrays come as arrays, JSON text or SQL literals', () => {
    expect(coerce('ARRAY<BIGINT>', [1, '2', null])).toEqual([1n, 2n, null])
    expect(coerce('ARRAY<BIGINT>', '[1, 9007199254740993]')).toEqual([1n, 9007199254740993n])
    expect(coerce('ARRAY<STRING>', '{a,"b \\" c",NULL,"NULL",""}')).toEqual(['a', 'b " c', null, 'NULL', ''])
    expect(coerce('ARRAY<ARRAY<INT>>', '{{1,2},{3}}')).toEqual([[1, 2], [3]])
    expect(coerce('ARRAY<FLOAT>', new Float32Array([0.5]))).toEqual([0.5])
    expect(fault('ARRAY<INT>', '{1,2')).toBe('is text that is not an array')
    expect(fault('ARRAY<INT>', '{'.repeat(100))).toBe('is text that is not an array')
    expect(fault('ARRAY<INT>', 'x')).toBe('is text that is not JSON')
  })

  test('maps are ordered by key, and the last of equal keys stays', () => {
    const read = (raw: unknown) => [...(coerce('MAP<INT, STRING>', raw) as Map<unknown, unknown>)]
    expect(read({ 10: 'a', 9: 'b' })).toEqual([
      [9, 'b'],
      [10, 'a'],
    ])
    expect(
      read([
        [1, 'a'],
        ['1', 'b'],
      ]),
    ).toEqual([[1, 'b']])
    expect(read(new Map([[1, null]]))).toEqual([[1, null]])
    expect(fault('MAP<INT, STRING>', new Map([[null, 'x']]))).toBe('has a null key')
  })

  test('rows come by name or by place; a field that is missing is null', () => {
    expect(coerce('ROW<a INT, b STRING>', { b: 'x' })).toEqual([null, 'x'])
    expect(coerce('ROW<a INT, b STRING>', [1, 'x'])).toEqual([1, 'x'])
    expect(coerce('ROW<`constructor` STRING>', {})).toEqual([null])
    expect(coerce('ROW<`__proto__` STRING>', JSON.parse('{"__proto__":"x"}'))).toEqual(['x'])
    expect(fault('ROW<a INT>', [1, 2])).toContain('does not have the 1 fields')
  })

  test('JSON is compact text with its digits and its order of members', () => {
    expect(coerce('JSON', '{"b": [1.00, 12345678901234567890], "__proto__": {"x": "\\u0041 \\n"}}')).toBe(
      '{"b":[1.00,12345678901234567890],"__proto__":{"x":"A \\n"}}',
    )
    expect(coerce('JSON', { b: 1n, a: new LosslessNumber('1.10'), c: undefined })).toBe('{"b":1,"a":1.10}')
    expect(coerce('JSON', [1, 'x'])).toBe('[1,"x"]')
    expect(coerce('JSON', true)).toBe('true')
    expect(fault('JSON', 'plain words')).toBe('is text that is not JSON')
    expect(fault('JSON', { a: Number.NaN })).toBe('holds a number that JSON cannot say')
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000))
    expect(fault('JSON', deep)).toBe('is nested too deeply')
  })

  test('a UUID has one form', () => {
    const uuid = '0d1f7c1e-3c39-4a57-9f0a-6f2f0f5e2a11'
    for (const raw of [
      uuid,
      uuid.toUpperCase(),
      `{${uuid}}`,
      uuid.replaceAll('-', ''),
      Buffer.from(uuid.replaceAll('-', ''), 'hex'),
    ]) {
      expect(coerce('UUID', raw)).toBe(uuid)
    }
    expect(fault('UUID', 'x')).toBe('is not a UUID')
  })
})
