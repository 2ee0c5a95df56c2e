import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseArrayLiteral } from '../../src/row/array-literal.ts'
import { arrayLiteral } from './array-literal.ts'

test('every list of texts comes back as it was', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'NULL', '{', '"', '\\', ' , '))
  fc.assert(
    fc.property(fc.array(fc.option(text)), (values) => {
      const literal = arrayLiteral({ name: 'VARCHAR', length: undefined }, values)
      expect(parseArrayLiteral(literal)).toEqual(values)
    }),
  )
})

test('bytes and far years are written in the form of PostgreSQL', () => {
  expect(arrayLiteral({ name: 'VARBINARY', length: undefined }, [Uint8Array.of(0, 255)])).toBe('{"\\\\x00ff"}')
  expect(arrayLiteral({ name: 'DATE' }, ['2024-02-29', '+012345-01-01', '0000-12-31', '-000043-03-15'])).toBe(
    '{"2024-02-29","12345-01-01","0001-12-31 BC","0044-03-15 BC"}',
  )
})
