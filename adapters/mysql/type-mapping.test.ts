import { expect, test } from 'vitest'
import type { DataType } from '../../src/row/data-type.ts'
import { columnCodec, keyType, typeMapping, UnsendableValue } from './type-mapping.ts'

test('C1 every type has a column that holds its values, or none', () => {
  const native = (type: DataType) => typeMapping.nativeType(type)?.replace(/ CHARACTER SET.*/, '')
  expect(native({ name: 'DECIMAL', precision: 38, scale: 18 })).toBe('DECIMAL(38,18)')
  expect(native({ name: 'DECIMAL', precision: 38, scale: 31 })).toBeUndefined()
  expect(native({ name: 'VARCHAR', length: undefined })).toBe('LONGTEXT')
  expect(native({ name: 'VARCHAR', length: 40 })).toBe('VARCHAR(40)')
  expect(native({ name: 'TIMESTAMP', precision: 6 })).toBe('DATETIME(6)')
  expect(native({ name: 'TIMESTAMP', precision: 9 })).toBeUndefined()
  expect(native({ name: 'FLOAT' })).toBe('DOUBLE')
})

test('C1 the text columns of a key share the length of an index', () => {
  expect(keyType({ name: 'VARCHAR', length: undefined }, 1)).toMatch(/^VARCHAR\(700\)/)
  expect(keyType({ name: 'VARCHAR', length: undefined }, 2)).toMatch(/^VARCHAR\(350\)/)
  expect(keyType({ name: 'VARBINARY', length: undefined }, 1)).toBe('VARBINARY(2800)')
  expect(keyType({ name: 'BIGINT' }, 0)).toBe('BIGINT')
})

test('C1 what the store has no place for is refused, and not repeated', () => {
  const refused: readonly (readonly [DataType, unknown])[] = [
    [{ name: 'DOUBLE' }, Number.NaN],
    [{ name: 'VARCHAR', length: undefined }, 'secret \ud800'],
    [{ name: 'DATE' }, '+012026-01-01'],
    [{ name: 'TIMESTAMP_LTZ', precision: 3 }, '-000001-01-01T00:00:00.000Z'],
  ]
  for (const [type, value] of refused) {
    const encode = () => columnCodec(type).encode(value as string)
    expect(encode).toThrow(UnsendableValue)
    expect(encode).not.toThrow(/secret/)
  }
  expect(columnCodec({ name: 'TIMESTAMP_LTZ', precision: 3 }).encode('2026-01-01T00:00:00.001Z')).toBe(
    '2026-01-01T00:00:00.001',
  )
  expect(columnCodec({ name: 'VARBINARY', length: undefined }).encode(Uint8Array.of(0, 255))).toBe('AP8=')
})

test('G7 blanks at the end of a key do not count, in a sequence they are compared by tidegate', () => {
  expect(typeMapping.keyNormalizer({ name: 'VARCHAR', length: undefined })?.('a  ')).toBe('a')
  expect(typeMapping.keyNormalizer({ name: 'BIGINT' })).toBeUndefined()
  expect(columnCodec({ name: 'VARCHAR', length: undefined }).isOrdered).toBe(false)
  expect(columnCodec({ name: 'BIGINT' }).isOrdered).toBe(true)
  expect(typeMapping.sequenceFault({ name: 'TIMESTAMP', precision: 9 })).toMatch(/microseconds/)
})
