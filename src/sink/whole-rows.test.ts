import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDataType } from '../ddl/parse-data-type.ts'
import type { RowKind } from '../row/row-kind.ts'
import { createSchema } from '../row/schema.ts'
import { WholeRows } from './whole-rows.ts'

const schema = createSchema(
  ['id', 'a'].map((name) => ({ name, type: parseDataType('INT'), nullable: true })),
  ['id'],
)

/** What becomes of changes of one key, each `+2` or `-2` for a row with that value. */
function outcomes(changes: readonly string[], rows = new WholeRows(schema)): string[] {
  return changes.map((change) => {
    const kind: RowKind = change.startsWith('+') ? '+I' : '-D'
    const taken = rows.take({ kind, row: [1, Number(change.slice(1))], key: 1, image: 'full' }, 10)
    if (taken.outcome !== 'record') return taken.outcome
    return `${taken.input.kind}${String(taken.input.row[1])}`
  })
}

test('O2 a delete takes the row that it names, and what came before that is shown again', () => {
  expect(outcomes(['+1', '+2', '-1', '-2'])).toEqual(['+I1', '+I2', 'ignored', '-D2'])
  expect(outcomes(['+1', '+2', '-2', '-1'])).toEqual(['+I1', '+I2', '+U1', '-D1'])
})

test('O2 a delete that comes before its row waits for it', () => {
  expect(outcomes(['-1', '+2', '+1', '+1'])).toEqual(['ignored', '+I2', 'ignored', '+I1'])
})

test('O2 a change that lacks columns cannot be matched', () => {
  const taken = new WholeRows(schema).take({ kind: '-D', row: [1, undefined], key: 1, image: 'key' }, 10)
  expect(taken).toMatchObject({ outcome: 'rejected', code: 'ROW_INVALID' })
})

test('O2 what is left of a key does not depend on the order of its changes', () => {
  const history = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(history, fc.infiniteStream(fc.nat()), (values, order) => {
      // each row is taken back when the next one comes
      const changes = values.flatMap((value, at) => (at === 0 ? [`+${value}`] : [`-${values[at - 1]}`, `+${value}`]))
      const shuffled = changes.map((change) => ({ change, at: order.next().value as number }))
      shuffled.sort((a, b) => a.at - b.at)
      const shown = outcomes(shuffled.map(({ change }) => change)).findLast((outcome) => outcome !== 'ignored')
      expect(shown?.slice(2)).toBe(String(values.at(-1)))
    }),
  )
})
