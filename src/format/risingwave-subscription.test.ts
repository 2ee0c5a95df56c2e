import { expect, test } from 'vitest'
import type { Change } from '../changelog/element.ts'
import { brief, decodeAll } from '../testing/decode-all.ts'
import { detectFormat } from './registry.ts'

const row = (op: unknown, rw_timestamp: string | null, id: number) => ({ id, op, rw_timestamp })
const decode = (...rows: object[]) => decodeAll('risingwave-subscription', rows)

test('B2 rows of one timestamp are a group, those of the snapshot have none', () => {
  const elements = decode(
    row('Insert', null, 1),
    row('Insert', '10', 2),
    row('Delete', '10', 1),
    row('Insert', '20', 3),
  )
  expect(brief(elements)).toEqual([
    '+I {"id":1}',
    '+I {"id":2}',
    '-D {"id":1}',
    'group-end',
    '+I {"id":3}',
    'group-end',
  ])
  expect(elements.map((element) => 'group' in element && element.group)).toEqual([
    undefined,
    '10',
    '10',
    '10',
    '20',
    '20',
  ])
  expect(elements.map(({ position }) => position?.offset)).toEqual([
    undefined,
    undefined,
    undefined,
    '10',
    undefined,
    '20',
  ])
})

test('K6 UpdateDelete and the UpdateInsert behind it are a pair', () => {
  const elements = decode(row('UpdateDelete', '10', 1), row('UpdateInsert', '10', 1), row('UpdateDelete', '10', 2))
  expect(brief(elements)).toEqual(['-U {"id":1}', '+U {"id":1}', '-U {"id":2}', 'group-end'])
  expect(elements.slice(0, 3).map((element) => (element as Change).pair)).toEqual([1, 1, undefined])
})

test('older servers number the operations', () => {
  expect(brief(decode(row(1, '1', 1), row(4, '1', 1), row(3, '1', 1), row(2, '1', 1))).slice(0, 4)).toEqual([
    '+I {"id":1}',
    '-U {"id":1}',
    '+U {"id":1}',
    '-D {"id":1}',
  ])
})

test('faults and detection', () => {
  expect(() => decode(row('Odd', '1', 1))).toThrow('has an "op" that RisingWave does not know')
  expect(detectFormat([{ value: row('Insert', null, 1) }]).name).toBe('risingwave-subscription')
})
