import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, test } from 'vitest'
import { createMysqlDatabase, type MysqlDatabase } from '../services/mysql-database.ts'
import { describeEachMysql } from '../stores.ts'
import type { AgreementCase } from './agreement-cases.ts'
import { checkAgreement } from './check-agreement.ts'
import { mysqlAgreementStore } from './mysql-agreement-store.ts'

/** Whole rows of rules that one statement keeps, so that no other way is taken. */
const cases: readonly AgreementCase[] = [
  {
    title: 'sequence groups with aggregates',
    columns: 'a STRING, n INT, c1 DATE, su BIGINT, mx DECIMAL(6, 2), c STRING, k BIGINT, free STRING',
    options: {
      'merge-engine': 'partial-update',
      'fields.n,c1.sequence-group': 'a,su,mx',
      'fields.k.sequence-group': 'c',
      'fields.su.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'fields.mx.ignore-retract': 'true',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'aggregation',
    columns:
      'ti TINYINT, de DECIMAL(6, 2), mx BIGINT, mn DATE, lv STRING, ln STRING, fn STRING, ba BOOLEAN, bo BOOLEAN, t TIMESTAMP(6)',
    options: {
      'merge-engine': 'aggregation',
      'source.changelog-mode': 'unknown',
      'fields.ti.aggregate-function': 'sum',
      'fields.de.aggregate-function': 'sum',
      'fields.mx.aggregate-function': 'max',
      'fields.mn.aggregate-function': 'min',
      'fields.t.aggregate-function': 'max',
      'fields.lv.aggregate-function': 'last_value',
      'fields.ln.aggregate-function': 'last_non_null_value',
      'fields.fn.aggregate-function': 'first_non_null_value',
      'fields.ba.aggregate-function': 'bool_and',
      'fields.bo.aggregate-function': 'bool_or',
      'sink.accept-duplicates': 'true',
    },
  },
  {
    title: 'partial-update, nulls overwrite',
    columns: 'a STRING, b INT, c DOUBLE',
    options: { 'merge-engine': 'partial-update', 'partial-update.null-overwrites': 'true' },
  },
]

describeEachMysql('one statement leaves what apply makes of the changes', (server) => {
  let database: MysqlDatabase
  let admin: Connection
  beforeAll(async () => {
    database = await createMysqlDatabase(server)
    admin = await createConnection(database.url)
  })
  afterAll(async () => {
    await admin.end()
    await database.drop()
  })

  for (const [at, one] of cases.entries()) {
    test(`A1 G3 ${one.title}`, async () => {
      const store = { ...mysqlAgreementStore(admin, database.url), wholeRows: true }
      await checkAgreement(store, one, 40, `by_upsert_${at}`)
    })
  }
})
