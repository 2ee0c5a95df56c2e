import { expect, test } from 'vitest'
import { must } from '../../../src/assert.ts'
import { planTables } from '../../../src/sink/create-sink.ts'
import { mysql } from '../index.ts'

/** Each shows another way in which rows are written; the files are what `explain` and `ddl` print. */
const examples: Readonly<Record<string, string>> = {
  'whole-rows': `CREATE TABLE orders (id BIGINT, status STRING, amount DECIMAL(12, 2), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'source.changelog-mode' = 'retract')`,
  'compound-key-without-columns': `CREATE TABLE follows (who BIGINT, whom BIGINT, PRIMARY KEY (whom, who) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'table-name' = 'social.follows', 'source.changelog-mode' = 'upsert')`,
  'append-only': `CREATE TABLE history (at TIMESTAMP_LTZ(6), delta INT)
    WITH ('connector' = 'mysql', 'source.changelog-mode' = 'insert-only', 'sink.accept-duplicates' = 'true')`,
  'sequence-with-tombstones': `CREATE TABLE orders (id BIGINT, status STRING, day DATE, version BIGINT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'source.changelog-mode' = 'retract',
          'sequence.field' = 'day,version', 'sink.tombstone.retention' = '7 d')`,
  'sequence-by-text-soft-deletes': `CREATE TABLE orders (id BIGINT, status STRING, version STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'source.changelog-mode' = 'upsert', 'sequence.field' = 'version',
          'sequence.tie' = 'first-arrival', 'sink.delete.mode' = 'soft', 'sink.delete.column' = 'gone')`,
  'first-row': `CREATE TABLE seen (id BIGINT, at TIMESTAMP(3), PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'first-row', 'source.changelog-mode' = 'insert-only')`,
  'partial-update': `CREATE TABLE profiles (id BIGINT, name STRING, mail STRING, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'partial-update', 'source.changelog-mode' = 'upsert',
          'partial-update.remove-record-on-delete' = 'true')`,
  'sequence-groups': `CREATE TABLE orders (
      order_id BIGINT, status STRING, amount DECIMAL(12, 2), attr STRING, order_ts BIGINT, attr_ts BIGINT,
      PRIMARY KEY (order_id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'partial-update', 'source.changelog-mode' = 'upsert',
          'fields.order_ts.sequence-group' = 'status,amount', 'fields.attr_ts.sequence-group' = 'attr',
          'partial-update.remove-record-on-sequence-group' = 'order_ts')`,
  aggregation: `CREATE TABLE totals (
      id BIGINT, n BIGINT, factor DECIMAL(18, 4), highest STRING, tags ARRAY<STRING>, note STRING, first_seen DATE,
      PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'aggregation', 'source.changelog-mode' = 'unknown',
          'fields.n.aggregate-function' = 'sum', 'fields.factor.aggregate-function' = 'product',
          'fields.highest.aggregate-function' = 'max', 'fields.tags.aggregate-function' = 'collect',
          'fields.tags.distinct' = 'true', 'fields.note.aggregate-function' = 'last_value',
          'fields.first_seen.aggregate-function' = 'first_non_null_value', 'sink.accept-duplicates' = 'true')`,
  'groups-by-upsert': `CREATE TABLE orders (
      order_id BIGINT, status STRING, amount DECIMAL(12, 2), attr STRING, day DATE, order_ts BIGINT, attr_ts BIGINT, note STRING,
      PRIMARY KEY (order_id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'partial-update', 'source.changelog-mode' = 'retract',
          'fields.day,order_ts.sequence-group' = 'status,amount', 'fields.attr_ts.sequence-group' = 'attr',
          'fields.amount.aggregate-function' = 'sum', 'sink.accept-duplicates' = 'true')`,
  'aggregation-by-upsert': `CREATE TABLE totals (
      id BIGINT, n BIGINT, highest DECIMAL(18, 4), lowest DATE, note STRING, opened STRING, done BOOLEAN,
      PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'aggregation', 'source.changelog-mode' = 'insert-only',
          'fields.n.aggregate-function' = 'sum', 'fields.highest.aggregate-function' = 'max',
          'fields.lowest.aggregate-function' = 'min', 'fields.note.aggregate-function' = 'last_non_null_value',
          'fields.opened.aggregate-function' = 'first_non_null_value', 'fields.done.aggregate-function' = 'bool_and',
          'sink.accept-duplicates' = 'true')`,
  'aggregation-by-sequence': `CREATE TABLE states (id BIGINT, state STRING, opened STRING, version BIGINT, PRIMARY KEY (id) NOT ENFORCED)
    WITH ('connector' = 'mysql', 'merge-engine' = 'aggregation', 'source.changelog-mode' = 'insert-only',
          'sequence.field' = 'version', 'fields.opened.aggregate-function' = 'first_value')`,
}

test.each(Object.entries(examples))('C1 the statements of %s are as they were', async (name, ddl) => {
  const [domain] = await planTables({ tables: ddl })
  const plan = must(domain?.plan.tables[0], 'one table')
  const created = mysql.createTable(plan).map((text) => ({ purpose: 'created if it is missing', text }))
  const parts = [...created, ...mysql.statements(plan)].map(({ purpose, text }) => `-- ${purpose}\n${text};\n`)
  await expect(parts.join('\n')).toMatchFileSnapshot(`../__golden__/${name}.sql`)
})
