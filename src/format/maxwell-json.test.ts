import { expect, test } from 'vitest'
import { brief, decodeAll } from '../testing/decode-all.ts'
import { detectFormat } from './registry.ts'

const decode = (...messages: object[]) => decodeAll('maxwell-json', messages)

test('inserts, updates and deletes, with old values completed from the new row', () => {
  expect(
    brief(
      decode(
        { type: 'insert', data: { id: 1, q: 4, r: null } },
        { type: 'update', data: { id: 1, q: 5, r: 'x' }, old: { q: 4, r: null } },
        { type: 'delete', data: { id: 1, q: 5 } },
        { type: 'bootstrap-insert', data: { id: 2 } },
      ),
    ),
  ).toEqual([
    '+I {"id":1,"q":4,"r":null}',
    '-U {"id":1,"q":4,"r":null}',
    '+U {"id":1,"q":5,"r":"x"}',
    '-D {"id":1,"q":5}',
    '+I {"id":2}',
  ])
})

test('K6 primary_key_columns show a change of key', () => {
  const message = { type: 'update', data: { id: 2 }, old: { id: 1 }, primary_key_columns: ['id'] }
  expect(brief(decode(message))).toEqual(['-D {"id":1}', '+I {"id":2}'])
})

test('B2 xid is the group, and ends with commit or with the next xid', () => {
  const row = (xid: number | undefined, commit?: boolean) => ({ type: 'insert', data: { id: 1 }, xid, commit })
  const elements = decode(row(7), row(7, true), row(8), row(9, true), row(undefined))
  expect(elements.map((element) => [element.type ?? 'change', 'group' in element ? element.group : undefined])).toEqual(
    [
      ['change', '7'],
      ['change', '7'],
      ['group-end', '7'],
      ['change', '8'],
      ['group-end', '8'],
      ['change', '9'],
      ['group-end', '9'],
      ['change', undefined],
    ],
  )
})

test('what is no row is reported or passed, never lost', () => {
  const at = { topic: 'maxwell', partition: 0, offset: 1 }
  expect(decode({ ...at, value: { type: 'bootstrap-start', database: 'd', table: 't' } })).toMatchObject([
    { type: 'position' },
  ])
  expect(decode({ type: 'table-alter', database: 'd', table: 't', sql: 'ALTER' })).toMatchObject([
    { type: 'schema-change', table: 'd.t', description: 'ALTER' },
  ])
  expect(() => decode({ type: 'odd', data: {} })).toThrow('has a "type" that Maxwell does not know')
  expect(() => decode({ type: 'insert' })).toThrow('has no object in "data"')
})

test('is recognised', () => {
  const value = { type: 'insert', data: { id: 1 }, database: 'd', table: 't', ts: 1 }
  expect(detectFormat([{ value }]).name).toBe('maxwell-json')
})
