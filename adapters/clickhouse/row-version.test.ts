import fc from 'fast-check'
import { expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import { compareNullable } from '../../src/row/value.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { ArrivalNumbers, versionBytes, versionOf } from './row-version.ts'

async function plan(columns: string, options: string): Promise<MergePlan> {
  const ddl = `CREATE TABLE t (id INT, ${columns}, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', ${options})`
  const [domain] = await planTables({ tables: ddl })
  return must(domain?.plan.tables[0], 'one table').merge
}

const bigint = fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }))
const decimal = fc.option(
  fc.integer({ min: -99_999, max: 99_999 }).map((units) => (units / 100).toFixed(2).replace(/^-0\.00$/, '0.00')),
)
const timestamp = fc.option(
  fc
    .integer({ min: -2_000_000_000, max: 9_000_000_000 })
    .map((seconds) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000`),
)

test.each(['ascending', 'descending'])('G4 versions are in the order of the sequences, %s', async (order) => {
  const merge = await plan(
    'a BIGINT, b DECIMAL(5, 2), c TIMESTAMP(3)',
    `'sequence.field' = 'a,b,c', 'sequence.field.sort-order' = '${order}'`,
  )
  expect(versionBytes(merge)).toBe(32)
  const row = fc.tuple(
    fc.constant(1),
    fc.oneof(bigint, fc.constant(7n)),
    fc.oneof(decimal, fc.constant('1.00')),
    timestamp,
  )
  fc.assert(
    fc.property(row, row, (one, other) => {
      let expected = 0
      for (const at of [1, 2, 3] as const) {
        const type = must(merge.columns[at], 'a column').type
        const [a, b] = [one[at], other[at]]
        const compared = Math.sign(compareNullable(type, a, b))
        expected = order === 'descending' && a !== null && b !== null ? -compared : compared
        if (expected !== 0) break
      }
      const [a, b] = [versionOf(merge, one), versionOf(merge, other)]
      expect(a < b ? -1 : a > b ? 1 : 0).toBe(expected === 0 ? 0 : expected)
      expect(a >= 0n && a < 2n ** 256n).toBe(true)
    }),
  )
})

test('one column takes 128 bits, and what does not fit into 256 is refused', async () => {
  expect(versionBytes(await plan('s BIGINT', "'sequence.field' = 's'"))).toBe(16)
  await expect(plan('a BIGINT, b BIGINT, c BIGINT, d BIGINT', "'sequence.field' = 'a,b,c,d'")).rejects.toMatchObject({
    code: 'PLAN_REFUSED',
    message: expect.stringContaining('does not fit into 256 bits'),
  })
})

test('arrivals are numbered above the clock and above what is stored', () => {
  const later = (BigInt(Date.now()) + 10_000_000n) << 20n
  expect(new ArrivalNumbers(later).next()).toBe(later + 1n)
  const numbers = new ArrivalNumbers(0n)
  const [one, two] = [numbers.next(), numbers.next()]
  expect(two).toBe(one + 1n)
  expect(one < 2n ** 64n).toBe(true)
})
