import { expect, test } from 'vitest'
import { brief, decodeAll } from '../testing/decode-all.ts'

const decode = (message: object, options: Record<string, string> = {}) =>
  decodeAll('canal-json', [message], { options })

test('old values belong to their own row, and an explicit null there was null', () => {
  const message = {
    type: 'UPDATE',
    data: [
      { id: '1', q: '5', r: 'x' },
      { id: '2', q: '6', r: 'y' },
    ],
    old: [{ q: '4' }, { r: null }],
  }
  expect(brief(decode(message))).toEqual([
    '-U {"id":"1","q":"4","r":"x"}',
    '+U {"id":"1","q":"5","r":"x"}',
    '-U {"id":"2","q":"6","r":null}',
    '+U {"id":"2","q":"6","r":"y"}',
  ])
})

test('K6 a change of key is a delete and an insert where the key is known', () => {
  const message = { type: 'UPDATE', data: [{ id: '2', a: 'x' }], old: [{ id: '1' }] }
  const keyed = decode({ ...message, pkNames: ['id'] })
  expect(brief(keyed)).toEqual(['-D {"id":"1","a":"x"}', '+I {"id":"2","a":"x"}'])
  expect(keyed).toMatchObject([{ pair: 1 }, { pair: 1 }])
  expect(brief(decodeAll('canal-json', [message], { primaryKey: ['id'] }))[0]).toBe('-D {"id":"1","a":"x"}')
  const unknown = decode(message)
  expect(brief(unknown)).toEqual(['-U {"id":"1","a":"x"}', '+U {"id":"2","a":"x"}'])
  expect(unknown).toMatchObject([{ pair: 1 }, { pair: 1 }])
})

test('several rows of a message share its position, complete only with the last', () => {
  const record = { topic: 't', partition: 0, offset: 4, value: { type: 'INSERT', data: [{ id: 1 }, { id: 2 }] } }
  const position = { partition: 't-0', offset: 4 }
  expect(decode(record)).toEqual([
    { kind: '+I', row: { id: 1 }, table: undefined, position, record: 1, more: true },
    { kind: '+I', row: { id: 2 }, table: undefined, position, record: 1 },
  ])
})

test('databases and tables are taken by whole-name patterns, the others only move the position', () => {
  const message = { type: 'INSERT', data: [{ id: 1 }], database: 'shop', table: 'orders' }
  expect(decode(message, { 'database.include': 'sho.', 'table.include': 'orders|items' })).toHaveLength(1)
  expect(decode(message, { 'table.include': 'order' })).toEqual([])
  expect(() => decode(message, { 'table.include': '(' })).toThrow('is no regular expression')
})

test('statements are reported, and messages without rows pass', () => {
  expect(decode({ type: 'ALTER', isDdl: true, sql: 'ALTER TABLE t', data: null })).toMatchObject([
    { type: 'schema-change', description: 'ALTER TABLE t' },
  ])
  expect(decode({ type: 'QUERY', data: null })).toEqual([])
  expect(() => decode({ type: 'ODD', data: null })).toThrow('has a "type" that Canal does not know')
  expect(() => decode({ type: 'INSERT', data: { id: 1 } })).toThrow('has no array of objects in "data"')
})
