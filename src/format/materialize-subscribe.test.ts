import { expect, test } from 'vitest'
import type { Change } from '../changelog/element.ts'
import { brief, decodeAll } from '../testing/decode-all.ts'

const row = (time: number, diff: number, columns: object) => ({ mz_timestamp: String(time), mz_diff: diff, ...columns })
const progress = (time: number) => ({ mz_timestamp: String(time), mz_progressed: true, mz_diff: null, k: null })
const decode = (inputs: object[], primaryKey?: string[], options = {}) =>
  decodeAll('materialize-subscribe', inputs, { primaryKey, options })

test('B2 a timestamp is held until a later row or a progress row closes it', () => {
  expect(brief(decode([row(1, 1, { k: 'a' })]))).toEqual([])
  expect(brief(decode([row(1, 1, { k: 'a' }), row(2, 1, { k: 'b' })]))).toEqual(['+I {"k":"a"}', 'group-end'])
  expect(brief(decode([row(1, 1, { k: 'a' }), progress(1)]))).toEqual(['watermark'])
  expect(brief(decode([row(1, 1, { k: 'a' }), progress(2)]))).toEqual(['+I {"k":"a"}', 'group-end', 'watermark'])
})

test('the position is the newest closed timestamp', () => {
  const elements = decode([row(5, 1, { k: 'a' }), progress(9)])
  expect(elements.map(({ position }) => position?.offset)).toEqual([undefined, '5', '8'])
})

test('equal rows cancel out, and a multiplicity counts', () => {
  const inputs = [
    row(1, 2, { k: 'a' }),
    row(1, -1, { k: 'a' }),
    row(1, 1, { k: 'b' }),
    row(1, -1, { k: 'b' }),
    progress(2),
  ]
  expect(brief(decode(inputs))).toEqual(['+I {"k":"a"}', 'group-end', 'watermark'])
  expect(brief(decode([row(1, 3, { k: 'a' }), progress(2)])).slice(0, 3)).toEqual(Array(3).fill('+I {"k":"a"}'))
})

test('K6 the two rows of a key become an update, in whichever order they came', () => {
  const inputs = [row(1, 1, { k: 'a', v: 2 }), row(1, -1, { k: 'a', v: 1 }), progress(2)]
  const keyed = decode(inputs, ['k'])
  expect(brief(keyed).slice(0, 2)).toEqual(['-U {"k":"a","v":1}', '+U {"k":"a","v":2}'])
  expect(keyed.slice(0, 2).map((element) => (element as Change).pair)).toEqual([1, 1])
  expect(brief(decode(inputs, undefined, { key: 'k' }))[0]).toBe('-U {"k":"a","v":1}')
})

test('without a key all retractions of a timestamp go first', () => {
  const inputs = [row(1, 1, { k: 'a', v: 2 }), row(1, -1, { k: 'a', v: 1 }), progress(2)]
  expect(brief(decode(inputs)).slice(0, 2)).toEqual(['-D {"k":"a","v":1}', '+I {"k":"a","v":2}'])
})

test('ENVELOPE UPSERT', () => {
  const state = (mz_state: string, columns: object) => ({ mz_timestamp: 1, mz_state, ...columns })
  expect(brief(decode([state('upsert', { k: 'a', v: 1 }), state('delete', { k: 'b', v: null }), progress(2)]))).toEqual(
    ['+U {"k":"a","v":1}', '-D {"k":"b","v":null}', 'group-end', 'watermark'],
  )
  expect(() => decode([state('key_violation', { k: 'a', v: null })])).toThrow('is a key violation')
})

test('ENVELOPE DEBEZIUM', () => {
  const state = (mz_state: string, before: unknown, after: unknown) => ({
    ...{ mz_timestamp: 1, mz_state, k: 'a', before_v: before, after_v: after },
  })
  const elements = decode([state('insert', null, 1), state('upsert', 1, 2), state('delete', 2, null)])
  expect(brief(elements)).toEqual([
    '+I {"k":"a","v":1}',
    '-U {"k":"a","v":1}',
    '+U {"k":"a","v":2}',
    '-D {"k":"a","v":2}',
  ])
  expect(elements).toMatchObject(Array(4).fill({ group: '1' }))
})

test('timestamps beyond 2^53 and faults', () => {
  const late = '{"mz_timestamp":9007199254740993,"mz_diff":1,"k":"a"}'
  const close = '{"mz_timestamp":9007199254740994,"mz_progressed":true}'
  expect(decodeAll('materialize-subscribe', [late, close])).toMatchObject([{ group: '9007199254740993' }, {}, {}])
  expect(() => decode([row(2, 1, {}), row(1, 1, {})])).toThrow('goes back behind a timestamp')
  expect(() => decode([row(1, 0.5, {})])).toThrow('no whole number in "mz_diff"')
  expect(() => decode([row(1, 1e9, {})])).toThrow('beyond 100000')
  expect(() => decode([{ mz_diff: 1 }])).toThrow('no whole number in "mz_timestamp"')
})
