import { join } from 'node:path'
import { expect, test } from 'vitest'
import { memory } from '../../adapters/memory/index.ts'
import type { Connector } from '../connector/connector.ts'
import { parseScript } from '../ddl/parse-script.ts'
import { text } from '../options/option.ts'
import { readTables, sourceOf } from '../sink/plan-tables.ts'
import { type Explanation, explain } from './explain.ts'
import { explainText } from './explain-text.ts'
import type { SourceInput } from './plan-input.ts'
import { draftSink } from './plan-sink.ts'

/** A store of SQL's kind, so that the golden texts do not change with the statements of a real one. */
const store: Connector = {
  ...memory,
  name: 'store',
  options: {
    url: text({ description: 'Where.' }),
    password: text({ description: 'The password.', secret: true }),
  },
  capabilities: () => ({
    ...memory.capabilities(),
    volatile: false,
    tombstoneLife: 'until you remove it',
  }),
  targetName: ({ name }) => `"${name}"`,
  statements: () => [
    { purpose: 'whole rows', text: 'UPSERT …\nWHERE …' },
    { purpose: 'deletes', text: 'DELETE …' },
  ],
}

async function explained(ddl: string, source: SourceInput = {}): Promise<Explanation> {
  const [set] = await readTables(parseScript(ddl).tables, [store])
  if (set === undefined) throw new Error('there is no table')
  const { plan, refusal } = draftSink(store, set.inputs, sourceOf(set.inputs, source))
  return explain(store, plan, refusal)
}

const golden = (name: string) => join(import.meta.dirname, 'fixtures', `explain-${name}.txt`)

const columns = 'id BIGINT, status STRING, amount DECIMAL(12, 2) NOT NULL, ts TIMESTAMP(3)'
const debezium = { format: 'debezium-json', mode: 'retract' } as const

interface Golden {
  readonly name: string
  readonly ddl: string
  readonly source?: SourceInput
}

const goldens: readonly Golden[] = [
  {
    name: 'gated-upsert',
    ddl: `CREATE TABLE orders (${columns}, computed AS amount * 2, PRIMARY KEY (id) NOT ENFORCED) WITH (
      'connector' = 'store', 'url' = 'store://ada:hunter2@host/db', 'password' = 'hunter2', 'sequence.field' = 'ts',
      'sink.buffer-flush.max-rows' = '100', 'batch.size' = '100', 'scan.startup.mode' = 'latest-offset')`,
    source: debezium,
  },
  {
    name: 'partial-update',
    ddl: `CREATE TABLE orders (${columns}, n INT, tags ARRAY<STRING>, tag_ts BIGINT, tag_no INT, note STRING, PRIMARY KEY (id) NOT ENFORCED) WITH (
      'connector' = 'store', 'merge-engine' = 'partial-update',
      'fields.ts.sequence-group' = 'status,amount,n', 'fields.n.aggregate-function' = 'sum',
      'fields.tag_ts,tag_no.sequence-group' = 'tags', 'fields.tags.aggregate-function' = 'collect', 'fields.tags.distinct' = 'true',
      'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'orders-1')`,
    source: { format: 'changelog-json' },
  },
  {
    name: 'aggregation',
    ddl: `CREATE TABLE totals (id BIGINT, top INT, last STRING, first STRING, ts BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH (
      'connector' = 'store', 'merge-engine' = 'aggregation', 'sequence.field' = 'ts',
      'fields.top.aggregate-function' = 'max', 'fields.top.ignore-retract' = 'true',
      'fields.first.aggregate-function' = 'first_value', 'fields.first.ignore-retract' = 'true',
      'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = './rejected.ndjson', 'sink.parallelism' = '2')`,
    source: { format: 'upsert-kafka', mode: 'upsert' },
  },
  {
    name: 'append-and-group',
    ddl: `CREATE TABLE history (id BIGINT, delta INT) WITH ('connector' = 'store', 'source.changelog-mode' = 'insert-only',
      'sink.flush.align' = 'group', 'sink.accept-duplicates' = 'true', 'sink.buffer-flush.interval' = '0');
     CREATE TABLE accounts (id BIGINT, balance INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'store',
      'sink.flush.align' = 'group', 'sink.buffer-flush.interval' = '0', 'source.table' = 'public.accounts')`,
    source: { format: 'pgoutput', mode: 'retract', groupEnd: 'marker' },
  },
  {
    name: 'refused',
    ddl: `CREATE TABLE orders (${columns}, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'store', 'merge-engine' = 'aggregation',
      'fields.status.aggregate-function' = 'listagg', 'fields.amount.aggregate-function' = 'max', 'sink.upsert-key' = 'status')`,
    source: debezium,
  },
]

test.each(goldens)('explain says what it always said: $name', async ({ name, ddl, source }) => {
  await expect(explainText(await explained(ddl, source))).toMatchFileSnapshot(golden(name))
})

test('C2 secrets are masked, in the text and in the data', async () => {
  const { ddl } = goldens[0] as Golden
  const explanation = await explained(ddl)
  expect(explainText(explanation) + JSON.stringify(explanation)).not.toContain('hunter2')
})

test('steps are in the tokens of Flink, and the data holds the same as the text', async () => {
  const { ddl } = goldens[0] as Golden
  const { tables } = await explained(ddl, debezium)
  expect(tables[0]).toMatchObject({
    input: { format: 'debezium-json', mode: 'retract', upsertKey: null },
    steps: [
      { name: 'decode', in: '[I,UB,UA,D]' },
      { name: 'pair' },
      { name: 'fold', out: '[I,UA,D]' },
      { name: 'merge', in: '[I,UA,D]', runs: 'store' },
    ],
    columns: [
      { name: 'id', rule: 'primary key', storeType: 'BIGINT' },
      { name: 'status', rule: 'replaced with the row, unless older by ts' },
      { name: 'amount' },
      { name: 'ts', rule: 'sequence: an older row is dropped' },
      { name: '__tidegate_deleted', hidden: true },
    ],
  })
})

test('a refused plan names every problem with its way out, and promises nothing', async () => {
  const { ddl } = goldens[4] as Golden
  const { refused, tables } = await explained(ddl, debezium)
  expect(refused?.code).toBe('PLAN_REFUSED')
  expect(refused?.problems.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['status', 'amount', 'sink.upsert-key']),
  )
  expect(refused?.problems.every(({ fix }) => fix !== undefined)).toBe(true)
  expect(tables[0]).toMatchObject({ statements: [], promises: [] })
})

test('a table in memory merges in the core', async () => {
  const [set] = await readTables(
    parseScript("CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory')").tables,
  )
  if (set === undefined) throw new Error('there is no table')
  const { plan } = draftSink(memory, set.inputs)
  expect(explain(memory, plan).tables[0]?.columns).toMatchObject([{ runs: 'core' }])
})
