import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type DataType, formatDataType } from '../row/data-type.ts'
import { parseColumnType, parseDataType } from './parse-data-type.ts'

describe('every type of Flink SQL is read', () => {
  test.each([
    ['BOOLEAN', 'BOOLEAN'],
    ['tinyint', 'TINYINT'],
    ['SMALLINT', 'SMALLINT'],
    ['INT', 'INT'],
    ['INTEGER', 'INT'],
    ['BIGINT', 'BIGINT'],
    ['FLOAT', 'FLOAT'],
    ['DOUBLE', 'DOUBLE'],
    ['DOUBLE PRECISION', 'DOUBLE'],
    ['DECIMAL', 'DECIMAL(10, 0)'],
    ['DEC(5)', 'DECIMAL(5, 0)'],
    ['NUMERIC(38, 38)', 'DECIMAL(38, 38)'],
    ['CHAR', 'CHAR(1)'],
    ['CHAR(3)', 'CHAR(3)'],
    // without a length VARCHAR and VARBINARY are unbounded in Flink's DDL, CHAR and BINARY are of length 1
    ['VARCHAR', 'STRING'],
    ['VARCHAR(2147483647)', 'STRING'],
    ['VARCHAR(20)', 'VARCHAR(20)'],
    ['STRING', 'STRING'],
    ['BINARY', 'BINARY(1)'],
    ['VARBINARY', 'BYTES'],
    ['VARBINARY(8)', 'VARBINARY(8)'],
    ['BYTES', 'BYTES'],
    ['DATE', 'DATE'],
    ['TIME', 'TIME(0)'],
    ['TIME(3) WITHOUT TIME ZONE', 'TIME(3)'],
    ['TIMESTAMP', 'TIMESTAMP(6)'],
    ['TIMESTAMP(9) WITHOUT TIME ZONE', 'TIMESTAMP(9)'],
    ['TIMESTAMP WITH LOCAL TIME ZONE', 'TIMESTAMP_LTZ(6)'],
    ['TIMESTAMP(3) WITH LOCAL TIME ZONE', 'TIMESTAMP_LTZ(3)'],
    ['TIMESTAMP_LTZ', 'TIMESTAMP_LTZ(6)'],
    ['TIMESTAMP_LTZ(0)', 'TIMESTAMP_LTZ(0)'],
    ['JSON', 'JSON'],
    ['UUID', 'UUID'],
    ['ARRAY<ARRAY<INT NOT NULL> NOT NULL>', 'ARRAY<ARRAY<INT>>'],
    ['INT ARRAY', 'ARRAY<INT>'],
    ['INT NOT NULL ARRAY NOT NULL ARRAY', 'ARRAY<ARRAY<INT>>'],
    ['MAP<STRING, ROW<a INT>>', 'MAP<STRING, ROW<`a` INT>>'],
    ["ROW<a INT 'first', b STRING COMMENT 'second', `c d` DATE>", 'ROW<`a` INT, `b` STRING, `c d` DATE>'],
    ['ROW(a INT, b ROW(c INT))', 'ROW<`a` INT, `b` ROW<`c` INT>>'],
  ])('%s', (text, expected) => {
    expect(formatDataType(parseDataType(text))).toBe(expected)
  })
})

test('nullability is that of the whole type', () => {
  const nullable = (text: string) => parseColumnType(text).nullable
  expect(nullable('INT')).toBe(true)
  expect(nullable('INT NULL')).toBe(true)
  expect(nullable('INT NOT NULL')).toBe(false)
  expect(nullable('ARRAY<INT NOT NULL>')).toBe(true)
  expect(nullable('INT NOT NULL ARRAY')).toBe(true)
  expect(nullable('INT ARRAY NOT NULL')).toBe(false)
})

test('NOT NULL inside a type is reported, since nothing checks it', () => {
  const inside = (text: string) => parseColumnType(text).innerNotNull
  expect(inside('ROW<a ARRAY<INT NOT NULL>> NOT NULL')).toBe(true)
  expect(inside('MAP<INT, STRING NOT NULL>')).toBe(true)
  expect(inside('INT NOT NULL ARRAY')).toBe(true)
  expect(inside('ROW<a ARRAY<INT>> NOT NULL')).toBe(false)
})

test('a type is the whole of the text', () => {
  expect(() => parseDataType('INT, STRING')).toThrow(/^line 1:4: expected the end, found ","/)
  expect(() => parseDataType('')).toThrow(/^line 1:1: expected/)
})

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 })

const scalar: fc.Arbitrary<DataType> = fc.oneof(
  fc
    .constantFrom('BOOLEAN', 'TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'FLOAT', 'DOUBLE', 'DATE', 'JSON', 'UUID')
    .map((type) => ({ name: type }) as DataType),
  fc
    .tuple(fc.integer({ min: 1, max: 38 }), fc.nat(38))
    .map(([precision, scale]): DataType => ({ name: 'DECIMAL', precision, scale: Math.min(precision, scale) })),
  fc
    .tuple(fc.constantFrom('CHAR', 'BINARY'), fc.integer({ min: 1, max: 300 }))
    .map(([type, length]) => ({ name: type, length }) as DataType),
  fc
    .tuple(fc.constantFrom('VARCHAR', 'VARBINARY'), fc.option(fc.integer({ min: 1, max: 300 }), { nil: undefined }))
    .map(([type, length]) => ({ name: type, length }) as DataType),
  fc
    .tuple(fc.constantFrom('TIME', 'TIMESTAMP', 'TIMESTAMP_LTZ'), fc.nat(9))
    .map(([type, precision]) => ({ name: type, precision }) as DataType),
)

const { type: anyType } = fc.letrec<{ type: DataType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3 },
    scalar,
    tie('type').map((element): DataType => ({ name: 'ARRAY', element })),
    fc.tuple(tie('type'), tie('type')).map(([key, value]): DataType => ({ name: 'MAP', key, value })),
    fc
      .uniqueArray(name, { minLength: 1, maxLength: 3 })
      .chain((names) => fc.tuple(...names.map((field) => tie('type').map((type) => ({ name: field, type })))))
      .map((fields): DataType => ({ name: 'ROW', fields })),
  ),
}))

test('a type that is written as Flink does reads back as the same type', () => {
  fc.assert(
    fc.property(anyType, (type) => {
      expect(parseDataType(formatDataType(type))).toEqual(type)
    }),
  )
})
