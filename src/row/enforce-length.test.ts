import { expect, test } from 'vitest'
import { parseDataType } from '../ddl/parse-data-type.ts'
import { enforceLength, type LengthEnforcer } from './enforce-length.ts'
import type { Value } from './value.ts'

const enforce = (type: string, value: Value, mode: LengthEnforcer) => enforceLength(parseDataType(type), value, mode)

test('error refuses what is too long, counted in code points or bytes', () => {
  expect(enforce('VARCHAR(2)', '😀😀', 'error')).toBe('😀😀')
  expect(() => enforce('VARCHAR(2)', 'abc', 'error')).toThrow('has 3 characters, VARCHAR(2) holds 2')
  expect(() => enforce('CHAR(1)', 'ab', 'error')).toThrow('CHAR(1)')
  expect(() => enforce('VARBINARY(1)', new Uint8Array(2), 'error')).toThrow('has 2 bytes')
  expect(enforce('CHAR(3)', 'a', 'error')).toBe('a')
})

test('trim_pad cuts between code points, and fills CHAR with blanks and BINARY with zeros', () => {
  expect(enforce('VARCHAR(1)', '😀😀', 'trim_pad')).toBe('😀')
  expect(enforce('CHAR(3)', '😀', 'trim_pad')).toBe('😀  ')
  expect(enforce('VARCHAR(3)', 'a', 'trim_pad')).toBe('a')
  expect(enforce('BINARY(3)', new Uint8Array([7]), 'trim_pad')).toEqual(new Uint8Array([7, 0, 0]))
  expect(enforce('VARBINARY(1)', new Uint8Array([7, 8]), 'trim_pad')).toEqual(new Uint8Array([7]))
})

test('ignore leaves the check to the store, and types without a length always pass', () => {
  expect(enforce('VARCHAR(1)', 'abc', 'ignore')).toBe('abc')
  expect(enforce('STRING', 'abc', 'error')).toBe('abc')
  expect(enforce('INT', 5, 'error')).toBe(5)
})
