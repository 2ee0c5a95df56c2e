import { expect, test } from 'vitest'
import { columnNameFault, identifierFault, parseQualifiedName, quoteIdentifier, quoteLiteral } from './identifier.ts'

test('C1 names are quoted so that nothing in them ends the quotes', () => {
  expect(quoteIdentifier('select')).toBe('"select"')
  expect(quoteIdentifier('a"; DROP TABLE x; --')).toBe('"a""; DROP TABLE x; --"')
  expect(quoteLiteral("it's")).toBe("'it''s'")
  expect(quoteLiteral('a\\b')).toBe("E'a\\\\b'")
})

test('C1 names that PostgreSQL would change or refuse are refused', () => {
  expect(identifierFault('x'.repeat(63))).toBeUndefined()
  expect(identifierFault('x'.repeat(64))).toContain('64 bytes')
  expect(identifierFault('é'.repeat(32))).toContain('64 bytes')
  expect(identifierFault('')).toBe('is empty')
  expect(identifierFault('a\u0000b')).toContain('NUL')
  expect(identifierFault('a\ud800')).toContain('surrogate')
  expect(identifierFault('Größe 😀')).toBeUndefined()
  expect(columnNameFault('ctid')).toContain('system column')
  expect(columnNameFault('CTID')).toBeUndefined()
})

test('a table name has at most two parts, quoted where dots are in them', () => {
  expect(parseQualifiedName('orders')).toEqual({ schema: undefined, name: 'orders' })
  expect(parseQualifiedName('Sales.Orders')).toEqual({ schema: 'Sales', name: 'Orders' })
  expect(parseQualifiedName('"a.b"."c""d"')).toEqual({ schema: 'a.b', name: 'c"d' })
  for (const bad of ['', '.', 'a.', '.b', 'a.b.c', '"a', '"a"b', 'a"b"'])
    expect(parseQualifiedName(bad)).toBeUndefined()
})
