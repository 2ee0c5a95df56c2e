import { expect, test } from 'vitest'
import { must } from '../../src/assert.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { clickhouse } from './index.ts'

/** The files are what `explain` and `ddl` print. */
const examples: Readonly<Record<string, string>> = {
  'whole-rows': `CREATE TABLE orders (id BIGINT, status STRING, amount DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'source.changelog-mode' = 'retract')`,
  'compound-sequence': `CREATE TABLE orders (shop STRING, id BIGINT NOT NULL, status STRING NOT NULL, day DATE, version BIGINT,
      PRIMARY KEY (shop, id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'table-name' = 'sales.orders', 'source.changelog-mode' = 'retract',
          'sequence.field' = 'day,version')`,
  'append-only': `CREATE TABLE history (at TIMESTAMP_LTZ(6), delta INT)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'source.changelog-mode' = 'insert-only', 'sink.accept-duplicates' = 'true')`,
  collapsing: `CREATE TABLE orders (id BIGINT, status STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'engine' = 'collapsing', 'sign-column' = 'sign',
          'source.changelog-mode' = 'retract', 'sink.accept-duplicates' = 'true')`,
  'versioned-collapsing': `CREATE TABLE orders (id BIGINT, status STRING, version BIGINT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'engine' = 'versioned-collapsing', 'sequence.field' = 'version',
          'source.changelog-mode' = 'retract', 'sink.accept-duplicates' = 'true')`,
  'sequence-groups': `CREATE TABLE orders (id BIGINT, status STRING, paid DECIMAL(12, 2), version BIGINT, at TIMESTAMP(3), note STRING,
      PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'engine' = 'aggregating', 'merge-engine' = 'partial-update',
          'fields.version,at.sequence-group' = 'status,paid', 'source.changelog-mode' = 'retract')`,
  aggregation: `CREATE TABLE totals (shop STRING, total DECIMAL(12, 2), n INT, largest DOUBLE, last STRING, open BOOLEAN,
      PRIMARY KEY (shop) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'engine' = 'aggregating', 'merge-engine' = 'aggregation',
          'fields.default-aggregate-function' = 'sum', 'fields.largest.aggregate-function' = 'max',
          'fields.last.aggregate-function' = 'last_value', 'fields.open.aggregate-function' = 'bool_or',
          'source.changelog-mode' = 'insert-only', 'sink.accept-duplicates' = 'true')`,
  'change-log': `CREATE TABLE orders (id BIGINT, status STRING NOT NULL, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', 'sink.append-changelog' = 'true', 'sink.accept-duplicates' = 'true')`,
}

test.each(Object.entries(examples))('C1 the statements of %s are as they were', async (name, ddl) => {
  const [domain] = await planTables({ tables: ddl })
  const plan = must(domain?.plan.tables[0], 'one table')
  const created = clickhouse.createTable(plan).map((text) => ({ purpose: 'created if it is missing', text }))
  const parts = [...created, ...clickhouse.statements(plan)].map(({ purpose, text }) => `-- ${purpose}\n${text};\n`)
  const readers = clickhouse.readers(plan).map((line) => `-- readers: ${line}\n`)
  await expect([...parts, ...readers].join('\n')).toMatchFileSnapshot(`./__golden__/${name}.sql`)
})

const retracts = "'source.changelog-mode' = 'retract', 'sink.accept-duplicates' = 'true'"

test.each([
  ['a function', "'merge-engine' = 'aggregation', 'fields.v.aggregate-function' = 'max'", 'CAPABILITY_MISSING'],
  ['a sequence of text', "'sequence.field' = 'v'", 'CAPABILITY_MISSING'],
  ['the first arrival', "'sequence.field' = 'n', 'sequence.tie' = 'first-arrival'", 'CAPABILITY_MISSING'],
  ['the first row', "'merge-engine' = 'first-row'", 'CAPABILITY_MISSING'],
  ['exactly-once', "'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'x'", 'CAPABILITY_MISSING'],
  ['pairs of an upsert stream', "'engine' = 'collapsing', 'source.changelog-mode' = 'upsert'", 'PLAN_REFUSED'],
  ['versions without a sequence', `'engine' = 'versioned-collapsing', ${retracts}`, 'PLAN_REFUSED'],
  [
    'a sequence that nothing compares',
    `'engine' = 'collapsing', 'sequence.field' = 'n', ${retracts}`,
    'CAPABILITY_MISSING',
  ],
  ['a gate over a change log', "'sink.append-changelog' = 'true', 'sequence.field' = 'n'", 'PLAN_REFUSED'],
  ['whole rows that are to be merged', "'engine' = 'aggregating', 'source.changelog-mode' = 'upsert'", 'PLAN_REFUSED'],
  [
    'a removal of merged rows',
    "'engine' = 'aggregating', 'merge-engine' = 'partial-update', 'partial-update.remove-record-on-delete' = 'true'",
    'PLAN_REFUSED',
  ],
  [
    'a function of a group that goes by order',
    `'engine' = 'aggregating', 'merge-engine' = 'partial-update', 'fields.n.sequence-group' = 'v',
     'fields.v.aggregate-function' = 'last_value'`,
    'PLAN_REFUSED',
  ],
  ["a column that is the engine's", "'version-column' = 'v'", 'PLAN_REFUSED'],
])('%s is refused by code', async (_title, options, code) => {
  const tables = `CREATE TABLE t (id INT, v STRING, n INT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'clickhouse', 'url' = 'http://h', ${options})`
  await expect(planTables({ tables })).rejects.toMatchObject({ code })
})
