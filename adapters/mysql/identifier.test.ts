import { expect, test } from 'vitest'
import { identifierFault, parseQualifiedName, quoteIdentifier, quoteQualified } from './identifier.ts'

test('C1 names are quoted, whatever is in them', () => {
  expect(quoteIdentifier('order')).toBe('`order`')
  expect(quoteIdentifier('a`b.c')).toBe('`a``b.c`')
  expect(quoteQualified({ database: 'My Shop', name: 'orders' })).toBe('`My Shop`.`orders`')
})

test('C1 a name that the server would bend is refused', () => {
  for (const name of ['', 'a\0', 'a ', '\u{1f600}', 'x'.repeat(65)]) expect(identifierFault(name)).toBeTypeOf('string')
  for (const name of ['order', 'ä', ' a', 'x'.repeat(64)]) expect(identifierFault(name)).toBeUndefined()
})

test('a qualified name is read with and without backticks', () => {
  expect(parseQualifiedName('orders')).toEqual({ database: undefined, name: 'orders' })
  expect(parseQualifiedName('shop.orders')).toEqual({ database: 'shop', name: 'orders' })
  expect(parseQualifiedName('`a.b`.`c``d`')).toEqual({ database: 'a.b', name: 'c`d' })
  for (const text of ['', 'a.b.c', '.a', '`a']) expect(parseQualifiedName(text)).toBeUndefined()
})
