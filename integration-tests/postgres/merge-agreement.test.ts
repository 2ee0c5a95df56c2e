import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { createDatabase, type PostgresDatabase } from '../services/postgres-database.ts'
import { describeEachPostgres } from '../stores.ts'
import { type AgreementStore, agreementCases, checkAgreement } from './merge-agreement.ts'

describeEachPostgres('the statements leave what apply makes of the changes', (server) => {
  let database: PostgresDatabase
  let client: pg.Client
  let store: AgreementStore

  beforeAll(async () => {
    database = await createDatabase(server)
    client = new pg.Client(database.url)
    await client.connect()
    store = {
      client: undefined,
      url: database.url,
      sql: async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
    }
  })

  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  for (const one of agreementCases) {
    test(`A1 ${one.title}`, async () => {
      await checkAgreement(store, one, 60)
    })
  }
})
