import { describe, expect, test } from 'vitest'
import type { Value } from '../../row/value.ts'
import { parseChangelog, parseChanges } from '../changelog-text.ts'
import { declaredTable, tableDdl } from '../conformance-table.ts'
import { model } from '../model.ts'
import type { ModelTable } from '../model-rules.ts'
import { rowDifferences } from '../row-difference.ts'
import { aggregateCases } from './aggregate-cases.ts'
import { groupCases } from './group-cases.ts'
import { rowKindCases } from './row-kind-cases.ts'
import { sequenceCases } from './sequence-cases.ts'

const cases = [...rowKindCases, ...sequenceCases, ...groupCases, ...aggregateCases]

describe('the model agrees with what the cases of the conformance suite expect', () => {
  test('no two cases have the same id', () => {
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
  })

  for (const { id, title, columns, options, changelog, rows, rejected } of cases) {
    test(`${title} (${id})`, () => {
      const table = declaredTable(tableDdl('t', columns, { connector: 'memory', ...options }))
      const result = model(table, parseChangelog(table.schema, changelog))
      const expected = rows.map((row) => rowOf(table, row))
      expect(rowDifferences(table, expected, result.rows)).toEqual([])
      expect(result.rejected.map(({ code }) => code)).toEqual(rejected ?? [])
    })
  }
})

function rowOf(table: ModelTable, text: string): Record<string, Value | null> {
  return Object.assign({}, ...parseChanges(table.schema, `+I ${text}`).map(({ row }) => row))
}
