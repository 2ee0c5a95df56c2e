import { expect, test } from 'vitest'
import { declaredTable, tableDdl } from './conformance-table.ts'
import { rowDifferences } from './row-difference.ts'

const table = declaredTable(
  tableDdl('t', 'id INT, j JSON, x DOUBLE, c ARRAY<INT>, PRIMARY KEY (id) NOT ENFORCED', {
    connector: 'memory',
    'merge-engine': 'aggregation',
    'fields.x.aggregate-function': 'sum',
    'fields.c.aggregate-function': 'collect',
  }),
)
const row = { id: 1, j: '{"a":1,"b":[1,2]}', x: 0.3, c: [1, 2, 2] }

test('rows in another order are the same rows', () => {
  const other = { ...row, id: 2 }
  expect(rowDifferences(table, [row, other], [other, row])).toEqual([])
})

test('JSON is equal by content, sums of DOUBLE within a tolerance, collected elements in any order', () => {
  const same = { id: 1, j: '{ "b": [1, 2], "a": 1 }', x: 0.1 + 0.2, c: [2, 1, 2] }
  expect(rowDifferences(table, [row], [same])).toEqual([])
})

test('a difference names the row that is missing and the one that is there instead', () => {
  expect(rowDifferences(table, [row], [{ ...row, c: [1, 2] }])).toEqual([
    `missing: { id: 1, j: '{"a":1,"b":[1,2]}', x: 0.3, c: [ 1, 2, 2 ] }`,
    `not expected: { id: 1, j: '{"a":1,"b":[1,2]}', x: 0.3, c: [ 1, 2 ] }`,
  ])
  expect(rowDifferences(table, [row, row], [row])).toHaveLength(1)
  expect(rowDifferences(table, [row], [{ ...row, x: null }])).toHaveLength(2)
})
