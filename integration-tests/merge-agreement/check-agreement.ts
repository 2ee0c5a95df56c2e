import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect } from 'vitest'
import { must } from '../../src/assert.ts'
import type { RejectedChange, WriteBatch } from '../../src/connector/batch.ts'
import type { Connector, SinkWriter } from '../../src/connector/connector.ts'
import { createMergeFunction } from '../../src/merge/create-merge-function.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { LiftInput } from '../../src/merge/merge-function.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Row } from '../../src/row/row.ts'
import { createRowKeyCodec, type FoldKey } from '../../src/row/row-key.ts'
import { rowKinds } from '../../src/row/row-kind.ts'
import type { Value } from '../../src/row/value.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { fewValues } from '../../src/testing/value-arbitrary.ts'
import { type AgreementCase, agreementCases } from './agreement-cases.ts'

/** A store whose writer is compared with `apply`. */
export interface AgreementStore {
  readonly connector: Connector
  /** A client to hand in; undefined: the url is used. */
  readonly client: unknown
  readonly url: string
  /** The store replaces whole rows: the changes lack no columns. */
  readonly wholeRows?: boolean | undefined
  run(statement: string): Promise<unknown>
  empty(table: string): Promise<unknown>
  /** All stored rows, hidden columns included, by the positions of the plan. */
  storedRows(plan: TablePlan): Promise<readonly Row[]>
}

/** Any sequence of changes leaves in the store what `apply` of the merge function makes of them, hidden columns included. */
export async function checkAgreement(
  store: AgreementStore,
  one: AgreementCase,
  numRuns: number,
  table = `agree_${agreementCases.indexOf(one)}`,
): Promise<void> {
  const domain = must((await planned(store, one, table))[0], 'one table, one domain')
  const plan = must(domain.plan.tables[0], 'one table')
  for (const statement of store.connector.createTable(plan)) await store.run(statement)
  const writer = await store.connector.open({
    plan: domain.plan,
    tables: [plan],
    client: store.client,
    lanes: 1,
    inFlightPerLane: 1,
    signal: new AbortController().signal,
  })
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(batchArbitrary(plan, store.wholeRows === true), { minLength: 1, maxLength: 12 }),
        async (batches) => {
          await store.empty(table)
          await runBatches(store, plan, writer, batches)
        },
      ),
      { numRuns },
    )
  } finally {
    await writer.close()
  }
}

/** The plan of the case is refused, because of what the store or its layout lacks. */
export async function expectRefusal(store: AgreementStore, one: AgreementCase): Promise<void> {
  const refused = expect.objectContaining({ code: expect.stringMatching(/^(CAPABILITY_MISSING|PLAN_REFUSED)$/) })
  await expect(planned(store, one, 'agree_refused')).rejects.toEqual(refused)
}

async function planned({ connector, url }: AgreementStore, { columns, options }: AgreementCase, table: string) {
  const given = { connector: connector.name, url, 'source.changelog-mode': 'unknown', ...options }
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

function batchArbitrary(plan: TablePlan, wholeRows: boolean): fc.Arbitrary<RandomBatch> {
  const records = fc.array(recordArbitrary(plan, wholeRows), { minLength: 1, maxLength: 6 })
  return fc.record({ records, fold: fc.boolean() })
}

function recordArbitrary({ schema, merge }: TablePlan, wholeRows: boolean): fc.Arbitrary<ChangelogRecord> {
  const cells = schema.columns.map(({ type }, position): fc.Arbitrary<Value | null | undefined> => {
    if (merge.key.includes(position)) return fc.integer({ min: 1, max: 3 })
    const isOrder = merge.rules[position]?.kind === 'sequence'
    return fc.oneof(
      { weight: 6, arbitrary: fewValues(type) },
      { weight: isOrder ? 1 : 2, arbitrary: fc.constant(null) },
      { weight: wholeRows ? 0 : isOrder ? 1 : 2, arbitrary: fc.constant(undefined) },
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
    const asComparable = (rows: Iterable<Row>): unknown[][] => [...rows].map((row) => comparable(plan, row)).sort(byKey)
    expect(asComparable(await store.storedRows(plan))).toEqual(asComparable(state.values()))
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
    id: `${randomUUID()}-${index}`,
    lane: 0,
    positions: new Map(),
    tables: [{ table: 0, truncate: false, waves }],
    commit: true,
    rowCount: waves.flat().length,
    byteCount: 0,
  }
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
