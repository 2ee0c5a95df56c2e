import { expect, test } from 'vitest'
import { TidegateError } from '../errors.ts'
import { parseRecord } from './parse-record.ts'

test('text, bytes and objects are values; null, nothing and empty ones are tombstones', () => {
  expect(parseRecord({ value: '{"a":1}' }).value).toEqual({ a: 1 })
  expect(parseRecord({ value: Buffer.from('{"a":"é"}') }).value).toEqual({ a: 'é' })
  expect(parseRecord({ value: { a: 1 } }).value).toEqual({ a: 1 })
  for (const value of [null, '', new Uint8Array()]) expect(parseRecord({ value }).value).toBeNull()
})

test.each([
  [
    'kafkajs',
    {
      topic: 't',
      partition: 1,
      message: { key: Buffer.from('{"k":1}'), value: Buffer.from('{"a":1}'), offset: '5', headers: {} },
    },
  ],
  [
    'confluent',
    {
      topic: 't',
      partition: 1,
      offset: 5,
      key: Buffer.from('{"k":1}'),
      value: Buffer.from('{"a":1}'),
      size: 7,
      timestamp: 1,
    },
  ],
  [
    'kcat -J',
    { topic: 't', partition: 1, offset: 5, tstype: 'create', ts: 1, broker: 1, key: '{"k":1}', payload: '{"a":1}' },
  ],
])('an envelope of %s is taken off', (_, value) => {
  const { key, value: inner, position } = parseRecord({ value, record: 3, offset: 3 })
  expect({ key, inner }).toEqual({ key: { k: 1 }, inner: { a: 1 } })
  expect(`${position?.partition} ${String(position?.offset)}`).toBe('t-1 5')
})

test('an envelope without an offset stands where its line stands', () => {
  expect(parseRecord({ value: '{"key":{"k":1},"value":null}', offset: 3 })).toMatchObject({
    value: null,
    position: { partition: '', offset: 3 },
  })
})

test('a row that has columns named key and value is no envelope', () => {
  for (const row of [{ key: 1, value: 2, other: 3 }, { topic: 'x', value: 1, name: 'y' }, { value: 1 }]) {
    expect(parseRecord({ value: row }).value).toBe(row)
  }
})

test('a key that is no JSON stays text', () => {
  expect(parseRecord({ value: '{}', key: 'ab-c' }).key).toBe('ab-c')
  expect(parseRecord({ value: '{}', key: Buffer.from('7') }).key).toBe(7)
})

test.each([
  ['{"a":', 'line 7 is not JSON: it ends in the middle'],
  ['{"a":"secret', 'line 7 is not JSON: it ends in the middle'],
  ['{"a":1}x', 'line 7 is not JSON (column 8)'],
  ['{"id":12345678901234567890,"a":secret}', 'line 7 is not JSON (column 32)'],
  ['+I[1, secret]', "line 7 is not JSON (column 1); this is what Flink's print connector shows"],
  ['[{"a":1},', 'write one object a line, not an array'],
  [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 'line 7 is not valid UTF-8'],
])('%s is refused, saying where and showing nothing', (value, message) => {
  const parse = () => parseRecord({ value, record: 7 })
  expect(parse).toThrow(message)
  expect(parse).toThrow(TidegateError)
  expect(parse).not.toThrow('secret')
})

test('a replacement character that the input holds itself is no fault', () => {
  expect(parseRecord({ value: Buffer.from('{"a":"\ufffd"}') }).value).toEqual({ a: '\ufffd' })
})

test('without a line number the position says where', () => {
  expect(() => parseRecord({ value: 'x', topic: 't', partition: 0, offset: 9 })).toThrow('offset 9 of t-0 is not JSON')
})

test('nesting that overflows the stack is refused', () => {
  const deep = `${'['.repeat(100_000)}12345678901234567890${']'.repeat(100_000)}`
  expect(() => parseRecord({ value: deep, record: 1 })).toThrow('is nested too deeply')
})
