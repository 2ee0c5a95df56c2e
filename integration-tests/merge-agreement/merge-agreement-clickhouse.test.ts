import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { afterAll, beforeAll, test } from 'vitest'
import { type ClickhouseDatabase, createClickhouseDatabase } from '../services/clickhouse-database.ts'
import { describeStore } from '../stores.ts'
import { aggregatingCases } from './aggregating-cases.ts'
import { agreementCases } from './agreement-cases.ts'
import { checkAgreement, expectRefusal } from './check-agreement.ts'
import { aggregatingAgreementStore, clickhouseAgreementStore } from './clickhouse-agreement-store.ts'

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

    for (const [at, one] of aggregatingCases.entries()) {
      test(`A1 merged by the engine: ${one.title}`, async () => {
        // a group is replaced as a whole
        const wholeRows = one.title.startsWith('sequence group')
        await checkAgreement(aggregatingAgreementStore(reader, database.url, wholeRows), one, 12, `merged_${at}`)
      })
    }

    for (const one of agreementCases) {
      test(`A1 ${one.title}`, async () => {
        const store = clickhouseAgreementStore(reader, database.url)
        if (kept.has(one.title)) await checkAgreement(store, one, 15)
        else await expectRefusal(store, one)
      })
    }
  })
}
