import fc from 'fast-check'
import { expect } from 'vitest'
import { quoteIdentifier } from '../../adapters/postgres/identifier.ts'
import { postgres } from '../../adapters/postgres/index.ts'
import { createTable } from '../../adapters/postgres/statements/create-table.ts'
import { must } from '../../src/assert.ts'
import type { RejectedChange, WriteBatch } from '../../src/connector/batch.ts'
import type { SinkWriter } from '../../src/connector/connector.ts'
import { createMergeFunction } from '../../src/merge/create-merge-function.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { LiftInput } from '../../src/merge/merge-function.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Row } from '../../src/row/row.ts'
import { createRowKeyCodec, type FoldKey } from '../../src/row/row-key.ts'
import { rowKinds } from '../../src/row/row-kind.ts'
import type { Value } from '../../src/row/value.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { fewValues } from '../../src/testing/value-arbitrary.ts'

/** Runs SQL and gives the rows as text by position. */
export type RunSql = (text: string) => Promise<readonly (readonly unknown[])[]>

export interface AgreementStore {
  readonly sql: RunSql
  /** A client to hand in; undefined: the url is used. */
  readonly client: unknown
  readonly url: string
}

export interface AgreementCase {
  readonly title: string
  readonly columns: string
  readonly options?: Readonly<Record<string, string>>
}

/** The merge rules whose statements are compared with `apply`, each with the smallest table that shows it. */
export const agreementCases: readonly AgreementCase[] = [
  { title: 'deduplicate', columns: 'a STRING, b INT' },
  { title: 'deduplicate, soft deletes', columns: 'a STRING, b INT', options: { 'sink.delete.mode': 'soft' } },
  { title: 'deduplicate, tombstones', columns: 'a STRING, b INT', options: { 'sink.delete.mode': 'tombstone' } },
  { title: 'sequence.field', columns: 'a STRING, s INT', options: { 'sequence.field': 's' } },
  {
    title: 'columns named like what the statements ask for',
    columns: 'version STRING, `version?` INT, `sequence` INT, `#` INT, `deleted?` STRING',
    options: { 'sequence.field': 'sequence' },
  },
  {
    title: 'sequence.field, compound and first arrival',
    columns: 'a STRING, s STRING, r BIGINT',
    options: { 'sequence.field': 's,r', 'sequence.tie': 'first-arrival' },
  },
  {
    title: 'sequence.field, descending',
    columns: 'a STRING, s DECIMAL(6,2), r INT',
    options: { 'sequence.field': 's,r', 'sequence.field.sort-order': 'descending' },
  },
  {
    title: 'sequence.field, soft deletes',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.delete.mode': 'soft' },
  },
  {
    title: 'sequence.field, hard deletes',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.delete.mode': 'hard', 'sink.tombstone.retention': '0' },
  },
  {
    title: 'sequence.field, swept tombstones',
    columns: 'a STRING, s INT',
    options: { 'sequence.field': 's', 'sink.tombstone.retention': '1h' },
  },
  { title: 'first-row', columns: 'a STRING, b INT', options: { 'merge-engine': 'first-row' } },
  { title: 'partial-update', columns: 'a STRING, b INT', options: { 'merge-engine': 'partial-update' } },
  {
    title: 'partial-update, nulls overwrite',
    columns: 'a STRING, b INT',
    options: { 'merge-engine': 'partial-update', 'partial-update.null-overwrites': 'true' },
  },
  {
    title: 'partial-update, remove-record-on-delete',
    columns: 'a STRING, b INT',
    options: { 'merge-engine': 'partial-update', 'partial-update.remove-record-on-delete': 'true' },
  },
  {
    title: 'partial-update, remove-record-on-delete with tombstones',
    columns: 'a STRING, b INT',
    options: {
      'merge-engine': 'partial-update',
      'partial-update.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
    },
  },
  {
    title: 'partial-update by sequence.field',
    columns: 'a STRING, b INT, s INT',
    options: { 'merge-engine': 'partial-update', 'sequence.field': 's' },
  },
  {
    title: 'partial-update by sequence.field, remove-record-on-delete',
    columns: 'a STRING, b INT, s INT',
    options: {
      'merge-engine': 'partial-update',
      'sequence.field': 's',
      'partial-update.remove-record-on-delete': 'true',
    },
  },
  {
    title: 'partial-update by sequence.field, first arrival, tombstones',
    columns: 'a STRING, b INT, s INT',
    options: {
      'merge-engine': 'partial-update',
      'sequence.field': 's',
      'sequence.tie': 'first-arrival',
      'partial-update.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
    },
  },
  {
    title: 'sequence groups',
    columns: 'a STRING, b INT, g INT, c STRING, h INT, k INT, free STRING',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,b',
      'fields.h,k.sequence-group': 'c',
    },
  },
  {
    title: 'sequence groups that remove the record',
    columns: 'a STRING, g INT, c STRING, h INT',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a',
      'fields.h.sequence-group': 'c',
      'partial-update.remove-record-on-sequence-group': 'g',
    },
  },
  {
    title: 'sequence groups that remove the record for good',
    columns: 'a STRING, g INT, c STRING, h INT',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a',
      'fields.h.sequence-group': 'c',
      'partial-update.remove-record-on-sequence-group': 'g,h',
      'sink.delete.mode': 'hard',
      'sink.tombstone.retention': '0',
    },
  },
  {
    title: 'sequence group with aggregates',
    columns: 'g INT, h INT, su BIGINT, pr DECIMAL(18,2), lv STRING, ln STRING, co ARRAY<INT>',
    options: {
      'merge-engine': 'partial-update',
      'fields.g,h.sequence-group': 'su,pr,lv,ln,co',
      'fields.su.aggregate-function': 'sum',
      'fields.pr.aggregate-function': 'product',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.co.aggregate-function': 'collect',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'sequence group with aggregates that take no retract',
    columns: 'g INT, mx INT, mn STRING, fv STRING, fn STRING, ba BOOLEAN, bo BOOLEAN',
    options: {
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'mx,mn,fv,fn,ba,bo',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
    },
  },
  {
    title: 'aggregation by arrival',
    columns:
      'su INT, de DECIMAL(6,2), pr DECIMAL(18,2), pi INT, lv STRING, ln STRING, co ARRAY<STRING>, cs ARRAY<STRING>',
    options: {
      'merge-engine': 'aggregation',
      'fields.su.aggregate-function': 'sum',
      'fields.de.aggregate-function': 'sum',
      'fields.pr.aggregate-function': 'product',
      'fields.pi.aggregate-function': 'product',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.co.aggregate-function': 'collect',
      'fields.cs.aggregate-function': 'collect',
      'fields.cs.distinct': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by arrival, functions that take no retract',
    columns: 'mx STRING, mn DECIMAL(6,2), fv STRING, fn INT, ba BOOLEAN, bo BOOLEAN, li STRING, ld STRING',
    options: {
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
      'fields.li.aggregate-function': 'listagg',
      'fields.ld.aggregate-function': 'listagg',
      'fields.ld.distinct': 'true',
      'fields.ld.list-agg-delimiter': '|',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by arrival, retracts ignored',
    columns: 'mx STRING, su BIGINT, fv STRING',
    options: {
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'fields.su.aggregate-function': 'sum',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fv.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field',
    columns: 's INT, su BIGINT, lv STRING, ln STRING',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's',
      'fields.su.aggregate-function': 'sum',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field, descending and first arrival',
    columns: 's INT, r INT, lv STRING, ln STRING, fv STRING, fn STRING',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's,r',
      'sequence.tie': 'first-arrival',
      'sequence.field.sort-order': 'descending',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
    },
  },
  {
    title: 'aggregation, remove-record-on-delete',
    columns: 's INT, su BIGINT, ln STRING',
    options: {
      'merge-engine': 'aggregation',
      'aggregation.remove-record-on-delete': 'true',
      'fields.su.aggregate-function': 'sum',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation by sequence.field, remove-record-on-delete with tombstones',
    columns: 's INT, su BIGINT, ln STRING, mx INT',
    options: {
      'merge-engine': 'aggregation',
      'sequence.field': 's',
      'aggregation.remove-record-on-delete': 'true',
      'sink.delete.mode': 'tombstone',
      'fields.su.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'sink.accept-duplicates': 'true',
    },
  },
]

/** Any sequence of changes leaves in the store what `apply` of the merge function makes of them, hidden columns included. */
export async function checkAgreement(store: AgreementStore, one: AgreementCase, numRuns: number): Promise<void> {
  const table = `agree_${agreementCases.indexOf(one)}`
  const plan = await planOf(one, table, store.url)
  for (const statement of createTable(plan)) await store.sql(statement)
  const writer = await postgres.open({
    plan: must((await planned(one, table, store.url))[0], 'one table, one domain').plan,
    tables: [plan],
    client: store.client,
    lanes: 1,
    inFlightPerLane: 1,
    signal: new AbortController().signal,
  })
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(batchArbitrary(plan), { minLength: 1, maxLength: 12 }), async (batches) => {
        await store.sql(`DELETE FROM ${quoteIdentifier(table)}`)
        await runBatches(store, plan, writer, batches)
      }),
      { numRuns },
    )
  } finally {
    await writer.close()
  }
}

async function planOf(one: AgreementCase, table: string, url: string): Promise<TablePlan> {
  const [domain] = await planned(one, table, url)
  return must(domain?.plan.tables[0], 'one table')
}

async function planned({ columns, options }: AgreementCase, table: string, url: string) {
  const given = { connector: 'postgres', url, 'source.changelog-mode': 'unknown', ...options }
  const lines = Object.entries(given).map(([name, value]) => `'${name}' = '${value}'`)
  const ddl = `CREATE TABLE ${table} (id INT, ${columns}, PRIMARY KEY (id) NOT ENFORCED) WITH (${lines.join(', ')})`
  return await planTables({ tables: ddl })
}

type ChangelogRecord = Pick<LiftInput, 'kind' | 'row' | 'image'>

interface RandomBatch {
  readonly records: readonly ChangelogRecord[]
  /** Records of one key are folded into one change where `compose` can. */
  readonly fold: boolean
}

function batchArbitrary(plan: TablePlan): fc.Arbitrary<RandomBatch> {
  return fc.record({ records: fc.array(recordArbitrary(plan), { minLength: 1, maxLength: 6 }), fold: fc.boolean() })
}

function recordArbitrary({ schema, merge }: TablePlan): fc.Arbitrary<ChangelogRecord> {
  const cells = schema.columns.map(({ type }, position): fc.Arbitrary<Value | null | undefined> => {
    if (merge.key.includes(position)) return fc.integer({ min: 1, max: 3 })
    const isOrder = merge.rules[position]?.kind === 'sequence'
    return fc.oneof(
      { weight: 6, arbitrary: fewValues(type) },
      { weight: isOrder ? 1 : 2, arbitrary: fc.constant(null) },
      { weight: isOrder ? 1 : 2, arbitrary: fc.constant(undefined) },
    )
  })
  return fc.tuple(fc.constantFrom(...rowKinds), fc.tuple(...cells)).map(([kind, row]) => ({
    kind,
    row,
    image: row.every((value) => value !== undefined) ? 'full' : 'partial',
  }))
}

async function runBatches(
  store: AgreementStore,
  plan: TablePlan,
  writer: SinkWriter,
  batches: readonly RandomBatch[],
): Promise<void> {
  const merge = createMergeFunction(plan.merge)
  const keys = createRowKeyCodec(plan.schema)
  const state = new Map<FoldKey, Row>()
  for (const [index, batch] of batches.entries()) {
    const waves = wavesOf(batch, merge, keys)
    const refused = new Set<MergeChange>()
    const blocked = new Set<FoldKey>()
    for (const change of waves.flat()) {
      const applied = blocked.has(change.key) ? undefined : merge.apply(state.get(change.key), change)
      if (applied === undefined || applied.outcome === 'rejected') {
        refused.add(change)
        blocked.add(change.key)
      } else if (applied.row === undefined) state.delete(change.key)
      else state.set(change.key, applied.row)
    }
    const rejected: RejectedChange[] = []
    await writer.write(writeBatch(index, waves), {
      signal: new AbortController().signal,
      reject: (some) => {
        rejected.push(...some)
        return Promise.resolve()
      },
    })
    expect(new Set(rejected.map(({ change }) => change))).toEqual(refused)
    expect(await storedRows(store, plan)).toEqual([...state.values()].map((row) => comparable(plan, row)).sort(byKey))
  }
}

function wavesOf(
  { records, fold }: RandomBatch,
  merge: ReturnType<typeof createMergeFunction>,
  keys: ReturnType<typeof createRowKeyCodec>,
): MergeChange[][] {
  const changes = new Map<FoldKey, MergeChange[]>()
  for (const record of records) {
    const key = must(keys.keyOf(record.row), 'a key')
    const lifted = merge.lift({ ...record, key })
    if (lifted.outcome !== 'change') continue
    const ofKey = changes.get(key) ?? []
    changes.set(key, ofKey)
    const last = ofKey.at(-1)
    const composed = fold && last !== undefined ? merge.compose(last, lifted.change) : 'cannot'
    if (composed === 'cannot') ofKey.push(lifted.change)
    else if (composed !== 'stale') ofKey[ofKey.length - 1] = composed
  }
  const sorted = [...changes.entries()].sort(([a], [b]) => Number(a) - Number(b)).map(([, ofKey]) => ofKey)
  const depth = Math.max(0, ...sorted.map((ofKey) => ofKey.length))
  return Array.from({ length: depth }, (_, wave) => sorted.flatMap((ofKey) => ofKey.slice(wave, wave + 1)))
}

function writeBatch(index: number, waves: MergeChange[][]): WriteBatch {
  return {
    id: `batch-${index}`,
    lane: 0,
    positions: new Map(),
    tables: [{ table: 0, truncate: false, waves }],
    commit: true,
    rowCount: waves.flat().length,
    byteCount: 0,
  }
}

async function storedRows({ sql }: AgreementStore, plan: TablePlan): Promise<unknown[][]> {
  const { columns } = plan.merge
  const list = columns.map(({ name }) => `${quoteIdentifier(name)}::text`)
  const rows = await sql(`SELECT ${list.join(', ')} FROM ${quoteIdentifier(plan.name)}`)
  return rows
    .map((row) =>
      comparable(
        plan,
        columns.map(({ type }, position) => {
          const text = row[position]
          return typeof text === 'string' ? createCoercion(type, { bytes: 'postgres' })(text) : null
        }),
      ),
    )
    .sort(byKey)
}

/** As plain values; when a row became a tombstone is the store's to know, and a collected array has no order. */
function comparable({ merge }: TablePlan, row: Row): unknown[] {
  return merge.columns.map(({ type }, position) => {
    if (position === merge.deletedAt) return 'some time'
    const value = toJsonValue(type, row[position] ?? null)
    return Array.isArray(value) ? value.toSorted() : value
  })
}

function byKey(a: readonly unknown[], b: readonly unknown[]): number {
  return Number(a[0]) - Number(b[0])
}
