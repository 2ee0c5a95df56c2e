import { describe, expect, test } from 'vitest'
import { formatChangelog, parseChangelog } from '../changelog-text.ts'
import { declaredTable, tableDdl } from '../conformance-table.ts'
import { model } from '../model.ts'
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
      const text = formatChangelog(
        table.schema,
        result.rows.map((row) => ({ kind: '+I', row })),
      )
      const expected = formatChangelog(
        table.schema,
        parseChangelog(table.schema, rows.map((row) => `+I ${row}`).join(' | ')),
      )
      expect(sorted(text)).toEqual(sorted(expected))
      expect(result.rejected.map(({ code }) => code)).toEqual(rejected ?? [])
    })
  }
})

function sorted(text: string): string[] {
  return text.split(' | ').toSorted()
}
