import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSchema } from '../../src/row/schema.ts'
import { createKeyTemplate, defaultTemplate, encodePart, templateProblems } from './key-template.ts'
import { UnsendableValue } from './type-mapping.ts'

const text = { name: 'VARCHAR', length: undefined } as const
const schema = createSchema(
  [
    { name: 'a', type: text, nullable: false },
    { name: 'b', type: text, nullable: false },
    { name: 'x>y', type: { name: 'BIGINT' }, nullable: false },
  ],
  ['a', 'b', 'x>y'],
)

test('a key is the name of the table and the values of the key columns', () => {
  const template = createKeyTemplate(defaultTemplate('orders', ['a', 'b', 'x>y']), schema)
  expect(template.keyOf(['eu', 'é 1', 7n])).toBe('orders:eu:é%201:7')
  expect(template.keyOf(['a:b', '{c}%', -1n])).toBe('orders:a%3Ab:%7Bc%7D%25:-1')
  expect(template.prefix).toBe('orders:')
})

test('braces of the template are a hash tag, which no value can break', () => {
  const template = createKeyTemplate('orders:{<a>}:<b>', schema)
  expect(template.keyOf(['}{', '}', 0n])).toBe('orders:{%7D%7B}:%7D')
})

test('different values never share a key, and a key gives its values back', () => {
  const template = createKeyTemplate('t:<a>|<b>', schema)
  const anyText = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('%', ':', '|', '2', '5', 'C', 'é', '{', '\u0000') }),
  )
  fc.assert(
    fc.property(anyText, anyText, (a, b) => {
      expect(template.partsOf(template.keyOf([a, b, 0n]))).toEqual([a, b])
    }),
  )
})

test('keys of other tables do not match', () => {
  const orders = createKeyTemplate('orders:<a>', schema)
  expect(orders.partsOf('orders:1')).toEqual(['1'])
  for (const key of ['orders:items:1', 'orders', 'xorders:1', 'orders:1{']) expect(orders.partsOf(key)).toBeUndefined()
})

test('half of a surrogate pair is refused', () => {
  expect(() => encodePart('a\uD800')).toThrow(UnsendableValue)
})

test('a template that would mix up rows is refused', () => {
  const messages = (template: string): string[] =>
    templateProblems(template, ['a', 'b'], ['a', 'b']).map(({ message }) => message)
  expect(messages('t:<a>:<b>')).toEqual([])
  expect(messages('t:<a><b>')).toEqual(['has two values with nothing between them that a value can never hold'])
  expect(messages('t:<a>-<b>')).toHaveLength(1)
  expect(messages('t:<a>')).toEqual(['lacks b: different rows would share a key'])
  expect(messages('t:<a>:<b>:<c>')).toEqual(["names c, which can't be a part of it"])
  expect(messages('<a>:<b>')).toEqual(['begins with a value: the keys of the table could not be found'])
  expect(messages('t:<a:<b>')).not.toEqual([])
})
