import { expect, test } from 'vitest'
import { brief, decodeAll } from '../testing/decode-all.ts'
import { detectFormat } from './registry.ts'

const decode = (...messages: object[]) => decodeAll('ogg-json', messages)

test('inserts, updates, deletes and truncates', () => {
  const table = 'S.T'
  const elements = decode(
    { table, op_type: 'I', after: { id: 1, q: 4 } },
    { table, op_type: 'U', before: { id: 1, q: 4 }, after: { id: 1, q: 5 } },
    { table, op_type: 'D', before: { id: 1, q: 5 } },
    { table, op_type: 'T' },
  )
  expect(brief(elements)).toEqual([
    '+I {"id":1,"q":4}',
    '-U {"id":1,"q":4}',
    '+U {"id":1,"q":5}',
    '-D {"id":1,"q":5}',
    'truncate',
  ])
  expect(elements).toMatchObject(Array(5).fill({ table }))
})

test('what a compressed update leaves out is taken from before', () => {
  const message = { op_type: 'U', before: { id: 1, q: 4, r: 'x' }, after: { id: 1, q: 5 } }
  expect(brief(decode(message))[1]).toBe('+U {"id":1,"q":5,"r":"x"}')
})

test('an empty before gives no -U', () => {
  expect(brief(decode({ op_type: 'U', before: {}, after: { id: 1 } }))).toEqual(['+U {"id":1}'])
})

test('K6 primary_keys show a change of key', () => {
  const message = { op_type: 'U', before: { ID: 1 }, after: { ID: 2 }, primary_keys: ['ID'] }
  expect(brief(decode(message))).toEqual(['-D {"ID":1}', '+I {"ID":2}'])
})

test('faults and detection', () => {
  expect(() => decode({ op_type: 'D' })).toThrow('has no object in "before"')
  expect(() => decode({ op_type: 'X' })).toThrow('has an "op_type" that GoldenGate does not know')
  expect(detectFormat([{ value: { op_type: 'I', after: { id: 1 } } }]).name).toBe('ogg-json')
})
