import { expect, test } from 'vitest'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { bind, bindNative, type StoreType, typeMapping } from './type-mapping.ts'

const every: readonly DataType[] = [
  { name: 'BOOLEAN' },
  { name: 'TINYINT' },
  { name: 'SMALLINT' },
  { name: 'INT' },
  { name: 'BIGINT' },
  { name: 'FLOAT' },
  { name: 'DOUBLE' },
  { name: 'DECIMAL', precision: 38, scale: 18 },
  { name: 'CHAR', length: 3 },
  { name: 'VARCHAR', length: 10 },
  { name: 'VARCHAR', length: undefined },
  { name: 'BINARY', length: 2 },
  { name: 'VARBINARY', length: undefined },
  { name: 'DATE' },
  { name: 'TIME', precision: 6 },
  { name: 'TIMESTAMP', precision: 3 },
  { name: 'TIMESTAMP_LTZ', precision: 6 },
  { name: 'ARRAY', element: { name: 'INT' } },
  { name: 'ARRAY', element: { name: 'ARRAY', element: { name: 'INT' } } },
  { name: 'MAP', key: { name: 'VARCHAR', length: undefined }, value: { name: 'INT' } },
  { name: 'ROW', fields: [{ name: 'a', type: { name: 'INT' } }] },
  { name: 'JSON' },
  { name: 'UUID' },
]

test.each(every.map((type) => [formatDataType(type), type] as const))(
  '%s can be written into the type that is created for it',
  (_, type) => {
    expect(bindNative(type)).toHaveProperty('binding')
  },
)

test('a type that would lose digits has no column', () => {
  expect(typeMapping.nativeType({ name: 'TIMESTAMP', precision: 9 })).toBeUndefined()
  expect(typeMapping.nativeType({ name: 'ARRAY', element: { name: 'TIME', precision: 7 } })).toBeUndefined()
  expect(typeMapping.sequenceFault({ name: 'TIMESTAMP_LTZ', precision: 9 })).toContain('microseconds')
  expect(typeMapping.sequenceFault({ name: 'JSON' })).toContain('no order')
  expect(typeMapping.sequenceFault({ name: 'BIGINT' })).toBeUndefined()
})

const store = (name: string, modifier = -1, kind: StoreType['kind'] = 'base'): StoreType => ({ name, kind, modifier })
const numeric = (precision: number, scale: number): StoreType => store('numeric', ((precision << 16) | scale) + 4)

test.each([
  [{ name: 'BIGINT' }, store('integer'), true],
  [{ name: 'BIGINT' }, store('numeric'), true],
  [{ name: 'BIGINT' }, store('double precision'), false],
  [{ name: 'INT' }, store('text'), false],
  [{ name: 'DOUBLE' }, store('real'), false],
  [{ name: 'DECIMAL', precision: 10, scale: 2 }, numeric(10, 2), true],
  [{ name: 'DECIMAL', precision: 10, scale: 2 }, numeric(5, 3), true],
  [{ name: 'DECIMAL', precision: 10, scale: 2 }, numeric(12, 1), false],
  [{ name: 'DECIMAL', precision: 10, scale: 2 }, store('numeric'), true],
  [{ name: 'TIMESTAMP', precision: 3 }, store('timestamp without time zone', 3), true],
  [{ name: 'TIMESTAMP', precision: 6 }, store('timestamp without time zone', 3), false],
  [{ name: 'TIMESTAMP', precision: 3 }, store('timestamp with time zone'), false],
  [{ name: 'VARCHAR', length: undefined }, store('app.mood', -1, 'enum'), true],
  [{ name: 'VARCHAR', length: undefined }, store('timestamp with time zone'), false],
  [{ name: 'VARCHAR', length: undefined }, store('bigint'), false],
  [{ name: 'ARRAY', element: { name: 'INT' } }, store('bigint[]'), true],
  [{ name: 'ARRAY', element: { name: 'INT' } }, store('jsonb'), true],
  [{ name: 'ARRAY', element: { name: 'ARRAY', element: { name: 'INT' } } }, store('integer[]'), false],
  [{ name: 'JSON' }, store('json'), true],
  [{ name: 'JSON' }, store('text'), false],
] as const)('%j fits %j: %s', (type, target, fits) => {
  expect('binding' in bind(type, target)).toBe(fits)
})

test('K2 blanks at the end of a CHAR are no part of a key', () => {
  expect(typeMapping.keyNormalizer({ name: 'CHAR', length: 5 })?.('ab   ')).toBe('ab')
  expect(typeMapping.keyNormalizer({ name: 'VARCHAR', length: 5 })).toBeUndefined()
})
