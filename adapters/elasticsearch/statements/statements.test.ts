import { expect, test } from 'vitest'
import { must } from '../../../src/assert.ts'
import { createMergeFunction } from '../../../src/merge/create-merge-function.ts'
import { createRowReader } from '../../../src/row/row-reader.ts'
import { planTables } from '../../../src/sink/create-sink.ts'
import { elasticsearchDialect } from '../dialect.ts'
import { elasticsearch } from '../index.ts'
import { planTarget } from '../target.ts'
import { createActionEncoder } from './action.ts'

/** Each shows another way in which rows are written; the files are what `explain` and `ddl` print. */
const examples: Readonly<Record<string, string>> = {
  'whole-rows': `CREATE TABLE orders (id BIGINT, status STRING, amount DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'source.changelog-mode' = 'upsert')`,
  'append-only': `CREATE TABLE history (\`at\` TIMESTAMP_LTZ(6), delta INT)
    WITH ('connector' = 'elasticsearch', 'source.changelog-mode' = 'insert-only', 'sink.accept-duplicates' = 'true')`,
  'first-row': `CREATE TABLE seen (id BIGINT, \`at\` TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'merge-engine' = 'first-row', 'source.changelog-mode' = 'insert-only')`,
  'sequence-with-tombstones': `CREATE TABLE orders (id BIGINT, status STRING, day DATE, version BIGINT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'source.changelog-mode' = 'retract',
          'sequence.field' = 'day,version', 'sink.tombstone.retention' = '7 d')`,
  'external-versions-by-day': `CREATE TABLE orders (id BIGINT, day DATE, status STRING, version BIGINT NOT NULL, PRIMARY KEY (id, day) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'index' = 'orders-{day|yyyy-MM}', 'versioning' = 'external', 'sequence.field' = 'version',
          'source.changelog-mode' = 'upsert', 'sink.delete.without-sequence' = 'error')`,
  'sequence-groups': `CREATE TABLE orders (
      order_id BIGINT, status STRING, amount DECIMAL(12, 2), attr STRING, order_ts BIGINT, attr_ts BIGINT,
      PRIMARY KEY (order_id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'merge-engine' = 'partial-update', 'source.changelog-mode' = 'upsert',
          'fields.order_ts.sequence-group' = 'status,amount', 'fields.attr_ts.sequence-group' = 'attr',
          'partial-update.remove-record-on-sequence-group' = 'order_ts')`,
  aggregation: `CREATE TABLE totals (
      id BIGINT, n BIGINT, factor DECIMAL(18, 4), highest STRING, tags ARRAY<STRING>, note STRING, first_seen DATE,
      PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'merge-engine' = 'aggregation', 'source.changelog-mode' = 'unknown',
          'fields.n.aggregate-function' = 'sum', 'fields.factor.aggregate-function' = 'product',
          'fields.highest.aggregate-function' = 'max', 'fields.tags.aggregate-function' = 'collect',
          'fields.tags.distinct' = 'true', 'fields.note.aggregate-function' = 'last_value',
          'fields.first_seen.aggregate-function' = 'first_non_null_value', 'sink.accept-duplicates' = 'true')`,
}

test.each(Object.entries(examples))('C1 the requests of %s are as they were', async (name, ddl) => {
  const plan = await planOf(ddl)
  const parts = elasticsearch.statements(plan).map(({ purpose, text }) => `# ${purpose}\n${text}\n`)
  const [created = ''] = elasticsearch.createTable(plan)
  await expect([created, ...parts].join('\n')).toMatchFileSnapshot(`../__golden__/${name}.txt`)
})

test('C1 what a record brings goes in as values, never as script text or names', async () => {
  const nasty = `'); ctx.op = "delete"; //\n"}}`
  const lines = await linesOf(
    `CREATE TABLE t (id STRING, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'elasticsearch', 'sequence.field' = 's')`,
    { id: nasty, v: nasty, s: 9007199254740993n },
  )
  const [address = '', body = '', ...rest] = lines.split('\n')
  expect(rest).toEqual([''])
  expect(JSON.parse(address)).toEqual({ update: { _index: 't', _id: nasty, retry_on_conflict: 5 } })
  expect(body).toContain('"s":9007199254740993')
  expect(JSON.parse(body)).toMatchObject({
    script: { params: { op: 'upsert', replace: true, row: { id: nasty, v: nasty } } },
  })
})

test('C1 names of columns are quoted in scripts', async () => {
  const ddl = `CREATE TABLE t (id INT, \`it's \\ "x"\` INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'elasticsearch', 'sequence.field' = 'it''s \\ "x"')`
  const script = elasticsearch.statements(await planOf(ddl)).at(-1)?.text ?? ''
  expect(script).toContain(`'it\\'s \\\\ "x"'`)
})

test('G1 a TIMESTAMP is its units of the last digit as a version', async () => {
  const ddl = `CREATE TABLE t (id INT, s TIMESTAMP(6) NOT NULL, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'elasticsearch', 'versioning' = 'external', 'sequence.field' = 's', 'source.changelog-mode' = 'insert-only')`
  const lines = await linesOf(ddl, { id: 1, s: '2026-01-01T00:00:00.000001' })
  expect(lines).toContain('"version":1767225600000001,"version_type":"external_gte"')
})

async function planOf(ddl: string) {
  const [domain] = await planTables({ tables: ddl })
  return must(domain?.plan.tables[0], 'one table')
}

async function linesOf(ddl: string, row: Readonly<Record<string, unknown>>): Promise<string> {
  const plan = await planOf(ddl)
  const image = createRowReader(plan.schema).read(row)
  const lifted = createMergeFunction(plan.merge).lift({ kind: '+I', row: image, key: 1, image: 'full' })
  if (lifted.outcome !== 'change') throw new Error(lifted.outcome)
  const made = createActionEncoder(plan, planTarget(elasticsearchDialect, plan)).encode(lifted.change, 'row')
  if ('reason' in made) throw new Error(made.reason)
  return made.lines
}
