import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, test } from 'vitest'
import { type ClickhouseDatabase, createClickhouseDatabase } from '../services/clickhouse-database.ts'
import { describeStore } from '../stores.ts'
import type { AgreementCase } from './agreement-cases.ts'
import { checkAgreement } from './check-agreement.ts'
import { aggregatingAgreementStore } from './clickhouse-agreement-store.ts'

const engine = { engine: 'aggregating' }

/** What an AggregatingMergeTree keeps. */
const cases: readonly AgreementCase[] = [
  {
    title: 'sequence groups',
    columns: 'a STRING, b INT, g INT, c DECIMAL(6, 2), h BIGINT, k TIMESTAMP(3), free STRING',
    options: {
      ...engine,
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,b',
      'fields.h,k.sequence-group': 'c',
    },
  },
  {
    title: 'partial-update',
    columns: 'a STRING, b INT',
    options: { ...engine, 'merge-engine': 'partial-update' },
  },
  {
    title: 'partial-update, nulls overwrite',
    columns: 'a STRING, b INT',
    options: { ...engine, 'merge-engine': 'partial-update', 'partial-update.null-overwrites': 'true' },
  },
  {
    title: 'sequence group with aggregates',
    columns: 'g INT, a STRING, su BIGINT, mx INT, ba BOOLEAN',
    options: {
      ...engine,
      'merge-engine': 'partial-update',
      'fields.g.sequence-group': 'a,su,mx,ba',
      'fields.su.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.ba.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'sums',
    columns: 'su INT, de DECIMAL(6, 2), bi BIGINT',
    options: {
      ...engine,
      'merge-engine': 'aggregation',
      'fields.default-aggregate-function': 'sum',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'functions that take no retract',
    columns: 'mx STRING, mn DECIMAL(6, 2), fv STRING, fn INT, lv STRING, ln DATE, ba BOOLEAN, bo BOOLEAN',
    options: {
      ...engine,
      'merge-engine': 'aggregation',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.fv.aggregate-function': 'first_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
    },
  },
]

for (const name of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(name, 'an AggregatingMergeTree holds what apply makes of the changes', ({ clickhouse: server }) => {
    if (server === undefined) return
    let database: ClickhouseDatabase
    let reader: ClickHouseClient
    beforeAll(async () => {
      database = await createClickhouseDatabase(server)
      reader = createClient({ url: database.url })
    })
    afterAll(async () => {
      await reader.close()
      await database.drop()
    })

    for (const [at, one] of cases.entries()) {
      test(`A1 ${one.title}`, async () => {
        // a group is replaced as a whole
        const wholeRows = one.title.startsWith('sequence group')
        await checkAgreement(aggregatingAgreementStore(reader, database.url, wholeRows), one, 12, `merged_${at}`)
      })
    }
  })
}
