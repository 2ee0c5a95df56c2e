import { expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { compareIndex } from './check.ts'
import { elasticsearchDialect } from './dialect.ts'
import type { IndexMapping, IndexState } from './index-state.ts'
import { mappings } from './statements/create-index.ts'
import { planTarget } from './target.ts'

async function findingsFor(change: (mapping: IndexMapping) => IndexMapping, state: Partial<IndexState> = {}) {
  const ddl = `CREATE TABLE t (id BIGINT, \`a.b\` STRING, d DECIMAL(8, 2), ts TIMESTAMP(6), s INT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'sequence.field' = 's')`
  const [domain] = await planTables({ tables: ddl })
  const plan = must(domain?.plan.tables[0], 'one table')
  const made = change(mappings(plan) as IndexMapping)
  const there = {
    mappings: new Map([['t', made]]),
    hasTemplate: false,
    hasReadersAlias: true,
    sample: undefined,
    ...state,
  }
  return compareIndex(plan, planTarget(elasticsearchDialect, plan), there).map(
    ({ severity, subject }) => `${severity} ${subject}`,
  )
}

const withField = (name: string, mapping: { type: string } | undefined) => (made: IndexMapping) => {
  const { [name]: _, ...rest } = made.properties ?? {}
  return { ...made, properties: mapping === undefined ? rest : { ...rest, [name]: mapping } }
}

test('R2 an index as ddl makes it fits', async () => {
  expect(await findingsFor((made) => made)).toEqual(['ok t'])
})

test('R2 a dotted name is found as a path', async () => {
  const nested = (made: IndexMapping): IndexMapping => {
    const { 'a.b': field, ...rest } = made.properties ?? {}
    return { ...made, properties: { ...rest, a: { properties: { b: field } } as never } }
  }
  expect(await findingsFor(nested)).toEqual(['ok t'])
})

test.each([
  ['id', { type: 'integer' }, 'error t field id'],
  ['id', { type: 'double' }, 'warning t field id'],
  ['a.b', { type: 'text' }, undefined],
  ['a.b', { type: 'long' }, 'error t field a.b'],
  ['d', { type: 'scaled_float' }, 'warning t field d'],
  ['ts', { type: 'date' }, 'warning t field ts'],
  ['s', { type: 'long' }, undefined],
  ['s', { type: 'short' }, 'error t field s'],
  ['__tidegate_deleted', { type: 'keyword' }, 'error t field __tidegate_deleted'],
  ['d', undefined, 'error t field d'],
])('G7 field %s as %j', async (name, mapping, finding) => {
  const findings = await findingsFor(withField(name, mapping))
  expect(findings.filter((one) => !one.startsWith('ok'))).toEqual(finding === undefined ? [] : [finding])
})

test('G1 what keeps rules from holding is an error', async () => {
  expect(await findingsFor((made) => ({ ...made, _source: { enabled: false } }))).toContain('error t index t')
  expect(await findingsFor((made) => ({ ...made, _routing: { required: true } }))).toContain('error t index t')
  expect(await findingsFor((made) => ({ ...made, _meta: { tidegate: { versioning: 'external' } } }))).toContain(
    'error t index t',
  )
  expect(await findingsFor((made) => ({ ...made, _meta: undefined }))).toContain('warning t index t')
  expect(await findingsFor((made) => made, { mappings: new Map() })).toEqual(['error t'])
  expect(await findingsFor((made) => made, { hasReadersAlias: false })).toContain('warning t alias t_live')
})
