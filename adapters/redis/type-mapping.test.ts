import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DataType } from '../../src/row/data-type.ts'
import { compareValues, equalValues, type Value } from '../../src/row/value.ts'
import { fewValues } from '../../src/testing/value-arbitrary.ts'
import { UnsendableValue, valueCodec } from './type-mapping.ts'

const types: readonly DataType[] = [
  { name: 'BOOLEAN' },
  { name: 'TINYINT' },
  { name: 'INT' },
  { name: 'BIGINT' },
  { name: 'DOUBLE' },
  { name: 'DECIMAL', precision: 20, scale: 5 },
  { name: 'VARCHAR', length: undefined },
  { name: 'VARBINARY', length: undefined },
  { name: 'DATE' },
  { name: 'TIME', precision: 6 },
  { name: 'TIMESTAMP', precision: 9 },
  { name: 'TIMESTAMP_LTZ', precision: 3 },
  { name: 'ARRAY', element: { name: 'BIGINT' } },
  { name: 'UUID' },
]

test.each(types)('C1 values of $name come back exactly', (type) => {
  const { encode, decode } = valueCodec(type)
  fc.assert(
    fc.property(fewValues(type), (value) => {
      expect(equalValues(type, decode(Buffer.from(encode(value) as string)), value)).toBe(true)
    }),
  )
})

test('C1 values stand as people read them, and bytes as bytes', () => {
  const stored = (type: DataType, value: Value): unknown => valueCodec(type).encode(value)
  expect(stored({ name: 'BOOLEAN' }, true)).toBe('true')
  expect(stored({ name: 'BIGINT' }, 9007199254740993n)).toBe('9007199254740993')
  expect(stored({ name: 'DECIMAL', precision: 5, scale: 2 }, '-0.10')).toBe('-0.10')
  expect(stored({ name: 'VARBINARY', length: undefined }, Uint8Array.of(0, 255))).toEqual(Buffer.of(0, 255))
  expect(stored({ name: 'ARRAY', element: { name: 'BIGINT' } }, [9007199254740993n, null])).toBe(
    '["9007199254740993",null]',
  )
  expect(compareValues({ name: 'DOUBLE' }, valueCodec({ name: 'DOUBLE' }).decode(Buffer.from('Infinity')), 1e308)).toBe(
    1,
  )
})

test('C1 half of a surrogate pair has no form', () => {
  expect(() => valueCodec({ name: 'VARCHAR', length: undefined }).encode('a\uD800b')).toThrow(UnsendableValue)
})
