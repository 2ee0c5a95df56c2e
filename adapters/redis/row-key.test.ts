import fc from 'fast-check'
import { expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { rowKey } from './row-key.ts'
import { targetOf } from './target.ts'

async function target(columns: string, options = '') {
  const ddl = `CREATE TABLE t (${columns}) WITH ('connector' = 'redis', 'url' = 'redis://h'${options})`
  const [domain] = await planTables({ tables: ddl })
  return targetOf(must(domain?.plan.tables[0], 'one table'))
}

test('C1 the name of a row is its prefix and its key', async () => {
  const { template, plan } = await target('id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED')
  expect(rowKey(template, plan.merge, [7n])).toBe('t:7')
  const tagged = await target(
    'shop STRING, id INT, PRIMARY KEY (id, shop) NOT ENFORCED',
    ", 'key.prefix' = 'o/', 'key.hash-tag' = 'shop'",
  )
  expect(rowKey(tagged.template, tagged.plan.merge, ['a b', 1])).toBe('o/{a%20b}:1')
})

test('C1 rows of different keys never share a name', async () => {
  const { template, plan } = await target('a STRING, b STRING, PRIMARY KEY (a, b) NOT ENFORCED')
  const text = fc.string({ unit: fc.constantFrom('a', ':', '%', '{', '}', '3A', ' ', '\n', 'é') })
  fc.assert(
    fc.property(fc.tuple(text, text), fc.tuple(text, text), (one, other) => {
      const isSame = one[0] === other[0] && one[1] === other[1]
      expect(rowKey(template, plan.merge, one) === rowKey(template, plan.merge, other)).toBe(isSame)
    }),
  )
})

test('a hash tag of another column is refused', async () => {
  await expect(target('id INT, v INT, PRIMARY KEY (id) NOT ENFORCED', ", 'key.hash-tag' = 'v'")).rejects.toMatchObject({
    code: 'PLAN_REFUSED',
  })
})
