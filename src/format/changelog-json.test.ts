import { expect, test } from 'vitest'
import type { Change } from '../changelog/element.ts'
import { brief, decodeAll } from '../testing/decode-all.ts'

const decode = (...lines: (string | object)[]) => decodeAll('changelog-json', lines)
const pairs = (lines: object[]) => decode(...lines).map((element) => (element as Change).pair)

test('K6 a -U and the +U that is the next record are one pair, whatever their keys', () => {
  const before = { op: '-U', data: { id: 1 } }
  const after = { op: '+U', data: { id: 2 } }
  expect(pairs([before, after, before, after])).toEqual([1, 1, 2, 2])
  expect(pairs([before, { op: '+I', data: { id: 2 } }])).toEqual([undefined, undefined])
  expect(pairs([before, before, after])).toEqual([undefined, 1, 1])
  expect(pairs([after, before])).toEqual([undefined, undefined])
})

test('K6 halves from different subtasks, tables or groups are no pair', () => {
  const half = (op: string, more: object) => ({ op, data: { id: 1 }, ...more })
  for (const member of ['subtask', 'table', 'group']) {
    expect(pairs([half('-U', { [member]: 1 }), half('+U', { [member]: 2 })])).toEqual([undefined, undefined])
    expect(pairs([half('-U', { [member]: 1 }), half('+U', { [member]: 1 })])).toEqual([1, 1])
  }
})

test('a control line ends the wait of a -U', () => {
  const elements = decode({ op: '-U', data: { id: 1 } }, { watermark: 5 }, { op: '+U', data: { id: 1 } })
  expect(brief(elements)).toEqual(['-U {"id":1}', 'watermark', '+U {"id":1}'])
  expect(elements.map((element) => (element as Change).pair)).toEqual([undefined, undefined, undefined])
})

test('recordings and dead letters are read with kind and row in place of op and data', () => {
  expect(brief(decode({ op: '+I', row: { id: 1 }, subtask: 0 }, { kind: '-D', row: { id: 1 }, reason: 'x' }))).toEqual([
    '+I {"id":1}',
    '-D {"id":1}',
  ])
  expect(brief(decode({ op: 'UPDATE_AFTER', data: { id: 1 } }))).toEqual(['+U {"id":1}'])
})

test('table, group and position are taken over', () => {
  const line = { op: '+I', data: {}, table: 's.t', group: 7, position: { partition: 'p', offset: 3 } }
  expect(decode(line)).toEqual([
    { kind: '+I', row: {}, table: 's.t', group: '7', position: { partition: 'p', offset: 3 }, record: 1 },
  ])
  expect(decode({ op: '+I', data: {}, position: '0/1F8' })[0]?.record).toBe(1)
  expect(decode({ op: '+I', data: {}, position: '0/1F8' })).toMatchObject([
    { position: { partition: '', offset: '0/1F8' } },
  ])
  expect(decode('{"op":"+I","data":{},"position":12345678901234567890}')).toMatchObject([
    { position: { partition: '', offset: '12345678901234567890' } },
  ])
  expect(decode({ op: '+I', data: {}, position: { file: 'a', at: 2 } })).toMatchObject([
    { position: { partition: '', offset: { file: 'a', at: 2 } } },
  ])
})

test('control lines become control elements', () => {
  expect(decode({ groupEnd: 7 }, { watermark: '2025-01-01' }, { truncate: 's.t' }, { truncate: true })).toEqual([
    { type: 'group-end', group: '7', position: undefined, record: 1 },
    { type: 'watermark', timestamp: '2025-01-01', position: undefined, record: 2 },
    { type: 'truncate', table: 's.t', group: undefined, position: undefined, record: 3 },
    { type: 'truncate', table: undefined, group: undefined, position: undefined, record: 4 },
  ])
})

test('columns named as control lines stay columns', () => {
  expect(brief(decode({ op: '+I', data: { watermark: 1, truncate: 2 } }))).toEqual(['+I {"watermark":1,"truncate":2}'])
})

test('faults name the line and what is missing, and show no value', () => {
  expect(() => decode({ op: '+I', data: {} }, { op: 'x', data: {} })).toThrow('line 2 has no row kind in "op"')
  expect(() => decode({ op: '+I', data: 'secret' })).toThrow(/^line 1 has no object in "data"$/)
  expect(() => decode({ watermark: {} })).toThrow('neither a number nor a time')
  expect(() => decode('[1]')).toThrow('is not a JSON object')
})

test.each([
  { truncate: false },
  { truncate: null },
  { truncate: '' },
  { truncate: { table: 'orders' } },
  { truncate: ['orders'] },
  { truncate: 1 },
  { groupEnd: null },
  { groupEnd: {} },
  { groupEnd: '' },
  { watermark: 'garbage' },
  { watermark: null },
])('a control line that does not fit is malformed: %j', (line) => {
  expect(() => decode(line)).toThrow(/has a "(truncate|groupEnd|watermark)" that/)
})
