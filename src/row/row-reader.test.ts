import fc from 'fast-check'
import { expect, test } from 'vitest'
import { stringifyRow } from './json-value.ts'
import { createRowReader, imageOf } from './row-reader.ts'
import { type Column, createSchema } from './schema.ts'
import { ValueFault } from './value-fault.ts'

const names = ['id', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'plain']
const text = { name: 'VARCHAR', length: undefined } as const
const column = (name: string, nullable = true): Column => ({ name, type: text, nullable })
const schema = createSchema(
  names.map((name) => column(name)),
  ['id'],
)
const reader = createRowReader(schema)

test('columns named as members of every object are columns like any other', () => {
  expect(reader.read({ id: 'a' })).toEqual(['a', undefined, undefined, undefined, undefined, undefined])
  const row = reader.read(
    JSON.parse('{"id":"a","__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h"}'),
  )
  expect(row).toEqual(['a', 'p', 'c', 't', 'h', undefined])
  expect(stringifyRow(schema, row)).toBe(
    '{"id":"a","__proto__":"p","constructor":"c","toString":"t","hasOwnProperty":"h"}',
  )
})

test('a row that is written is read back as it was, absent columns included', () => {
  const anyRow = fc.dictionary(fc.constantFrom(...names), fc.option(fc.string()), { noNullPrototype: false })
  fc.assert(
    fc.property(anyRow, (object) => {
      const row = reader.read(object)
      expect(reader.read(JSON.parse(stringifyRow(schema, row)))).toEqual(row)
      expect(row.map((value) => value === undefined)).toEqual(names.map((name) => !Object.hasOwn(object, name)))
    }),
  )
})

test('absent, undefined and null are told apart', () => {
  expect(reader.read({ id: undefined, plain: null })).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    null,
  ])
})

test('members that are no column are told, and not written', () => {
  const seen: string[] = []
  reader.read({ id: 'a', other: 1, more: undefined }, (name) => seen.push(name))
  reader.read(JSON.parse('{"id":"a","plain":"b"}'), (name) => seen.push(name))
  expect(seen).toEqual(['other', 'more'])
})

test('one fault names every column that cannot take its value, and shows none of them', () => {
  const numbers = createSchema(
    ['a', 'b', 'c'].map((name) => ({ name, type: { name: 'INT' }, nullable: true })),
    [],
  )
  const read = () => createRowReader(numbers).read({ a: 'secret', b: 1, c: 1.5 })
  expect(read).toThrow(ValueFault)
  expect(read).toThrow('column a is not a whole number; column c is not a whole number')
})

test('a reader is kept by schema and encoding', () => {
  const encoding = { date: 'days' } as const
  expect(createRowReader(schema, encoding)).toBe(createRowReader(schema, encoding))
  expect(createRowReader(schema, { date: 'days' })).not.toBe(createRowReader(schema, encoding))
  expect(createRowReader(schema)).toBe(reader)
})

test('the image is full, key or partial by what is there', () => {
  const pair = createSchema([column('k'), column('v'), column('w')], ['k'])
  expect(imageOf(pair, ['a', 'b', null])).toBe('full')
  expect(imageOf(pair, ['a', undefined, undefined])).toBe('key')
  expect(imageOf(pair, ['a', undefined, 'c'])).toBe('partial')
  expect(imageOf(pair, [undefined, 'b', undefined])).toBe('partial')
  expect(imageOf(createSchema([column('k')], ['k']), ['a'])).toBe('full')
})

test('the nulls of a delete that tells only its key are no values', () => {
  const pair = createSchema([column('k'), column('v'), column('w')], ['k'])
  const filled = ['a', null, null]
  expect(imageOf(pair, filled, '-D')).toBe('key')
  expect(filled).toEqual(['a', undefined, undefined])
  const withValue = ['a', null, 'x']
  expect(imageOf(pair, withValue, '-D')).toBe('full')
  expect(withValue).toEqual(['a', null, 'x'])
  const update = ['a', null, null]
  expect(imageOf(pair, update, '+U')).toBe('full')
  expect(update).toEqual(['a', null, null])
  expect(imageOf(pair, [null, null, null], '-D')).toBe('full')
})
