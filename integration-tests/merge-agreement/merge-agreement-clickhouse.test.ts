import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, test } from 'vitest'
import { type ClickhouseDatabase, createClickhouseDatabase } from '../services/clickhouse-database.ts'
import { describeStore } from '../stores.ts'
import { agreementCases } from './agreement-cases.ts'
import { checkAgreement, expectRefusal } from './check-agreement.ts'
import { clickhouseAgreementStore } from './clickhouse-agreement-store.ts'

/** What the engines of ClickHouse keep; every other case is refused at plan time. */
const kept: ReadonlySet<string> = new Set([
  'deduplicate',
  'deduplicate, tombstones',
  'sequence.field',
  'columns named like what the statements ask for',
  'sequence.field, descending',
])

for (const name of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(name, 'the store holds what apply makes of the changes', ({ clickhouse: server }) => {
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

    for (const one of agreementCases) {
      test(`A1 ${one.title}`, async () => {
        const store = clickhouseAgreementStore(reader, database.url)
        if (kept.has(one.title)) await checkAgreement(store, one, 15)
        else await expectRefusal(store, one)
      })
    }
  })
}
