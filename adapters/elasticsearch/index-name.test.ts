import { expect, test } from 'vitest'
import { createSchema } from '../../src/row/schema.ts'
import { createIndexTarget, indexNameFault, indexPatternFault } from './index-name.ts'

test.each(['Orders', 'a b', 'a*', '-a', '_a', '+a', '.', '..', '', 'a:b', 'a#', 'a,b', 'x'.repeat(256), '\ud800'])(
  'C1 %j is no name of an index',
  (name) => {
    expect(indexNameFault(name)).toBeTypeOf('string')
  },
)

test.each(['orders', '.hidden', 'a-b_c.d', 'ünïcödé', '{day}', 'o-{day|yyyy.MM}-{id}'])('C1 %j is taken', (pattern) => {
  expect(indexPatternFault(pattern)).toBeUndefined()
})

test.each([
  ['{day', 'brace'],
  ['o-{now()|yyyy}', 'now()'],
  ['o-{day|MMM}', 'date format'],
  ['O-{day}', 'capital'],
])('C1 the pattern %s is refused', (pattern, why) => {
  expect(indexPatternFault(pattern)).toContain(why)
})

const schema = createSchema(
  [
    { name: 'id', type: { name: 'BIGINT' }, nullable: false },
    { name: 'at', type: { name: 'TIMESTAMP_LTZ', precision: 3 }, nullable: false },
    { name: 'v', type: { name: 'VARCHAR', length: undefined }, nullable: true },
  ],
  ['id', 'at'],
)

test('C1 a row goes to the index that its key names, or to none', () => {
  const faults: string[] = []
  const target = createIndexTarget('o-{at|yyyy-MM-dd-HH}-{id}', schema, (message) => faults.push(message))
  expect(faults).toEqual([])
  expect(target.pattern).toBe('o-*-*')
  expect(target.indexOf([7n, '2026-03-29T01:30:00.000Z', null])).toBe('o-2026-03-29-01-7')
  expect(createIndexTarget('{id}', schema, () => {}).indexOf([-7n, '', null])).toBeUndefined()
})

test('C1 columns outside the key, unknown ones and dates of no date are refused', () => {
  const faults: string[] = []
  for (const pattern of ['{v}', '{w}', '{id|yyyy}'])
    createIndexTarget(pattern, schema, (message) => faults.push(message))
  expect(faults).toEqual([
    'goes by v, which is outside the primary key: a row whose value changes would leave its old document behind',
    'names w, which is no written column of the table',
    'takes a date from id, which is none',
  ])
})
