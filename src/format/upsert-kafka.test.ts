import { expect, test } from 'vitest'
import { brief, decodeAll } from '../testing/decode-all.ts'

test('key columns may be in the key alone, with a prefix if one is given', () => {
  const record = { key: { id: 1 }, value: { a: 2 } }
  expect(brief(decodeAll('upsert-kafka', [record]))).toEqual(['+U {"id":1,"a":2}'])
  const options = { 'key.fields-prefix': 'k_' }
  expect(brief(decodeAll('upsert-kafka', [record], { options }))).toEqual(['+U {"k_id":1,"a":2}'])
})

test('a key that is no object belongs to the only key column', () => {
  const records = [
    { topic: 't', key: 'ab', value: { a: 1 } },
    { topic: 't', key: 'ab', value: null },
  ]
  expect(brief(decodeAll('upsert-kafka', records, { primaryKey: ['id'] }))).toEqual([
    '+U {"id":"ab","a":1}',
    '-D {"id":"ab"}',
  ])
  expect(() => decodeAll('upsert-kafka', records, { primaryKey: ['x', 'y'] })).toThrow(
    'line 2 is a delete that names no key',
  )
})

test('values may be text in the record, and an empty one is a delete', () => {
  const records = [
    { partition: 0, offset: 1, key: '{"id":1}', value: '{"id":1,"a":2}' },
    { partition: 0, offset: 2, key: '{"id":1}', value: '' },
  ]
  expect(brief(decodeAll('upsert-kafka', records))).toEqual(['+U {"id":1,"a":2}', '-D {"id":1}'])
})

test('a raw key is text, whatever it looks like', () => {
  const given = { options: { 'key.format': 'raw' }, primaryKey: ['id'] }
  const records = [
    { topic: 't', key: '1.0', value: { a: 1 } },
    { topic: 't', key: Buffer.from('1e5'), value: null },
  ]
  expect(brief(decodeAll('upsert-kafka', records, given))).toEqual(['+U {"id":"1.0","a":1}', '-D {"id":"1e5"}'])
})
