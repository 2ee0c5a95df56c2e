import { type Connection, createConnection } from 'mysql2/promise'
import pg from 'pg'
import { afterAll, beforeAll, test } from 'vitest'
import { createMysqlDatabase, type MysqlDatabase } from '../services/mysql-database.ts'
import { createDatabase, type PostgresDatabase } from '../services/postgres-database.ts'
import { databaseUrl, openReader, type RedisReader } from '../services/redis-database.ts'
import { describeEachMysql, describeEachPostgres, describeStore } from '../stores.ts'
import { agreementCases } from './agreement-cases.ts'
import { type AgreementStore, checkAgreement } from './check-agreement.ts'
import { mysqlAgreementStore } from './mysql-agreement-store.ts'
import { postgresAgreementStore } from './postgres-agreement-store.ts'
import { redisAgreementStore } from './redis-agreement-store.ts'

const title = 'the store holds what apply makes of the changes'

describeEachPostgres(title, (server) => {
  let database: PostgresDatabase
  let client: pg.Client
  beforeAll(async () => {
    database = await createDatabase(server)
    client = new pg.Client(database.url)
    await client.connect()
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })
  testAgreement(
    () =>
      postgresAgreementStore({
        client: undefined,
        url: database.url,
        sql: async (text) => (await client.query<unknown[]>({ text, rowMode: 'array' })).rows,
      }),
    60,
  )
})

describeEachMysql(title, (server) => {
  let database: MysqlDatabase
  let reader: Connection
  beforeAll(async () => {
    database = await createMysqlDatabase(server)
    reader = await createConnection({ uri: database.url, charset: 'utf8mb4_bin' })
  })
  afterAll(async () => {
    await reader.end()
    await database.drop()
  })
  testAgreement(() => mysqlAgreementStore(reader, database.url), 30)
})

for (const name of ['redis', 'valkey'] as const) {
  describeStore(name, title, ({ redis: server }) => {
    if (server === undefined) return
    const url = databaseUrl(server)
    let reader: RedisReader
    beforeAll(async () => {
      reader = await openReader(server, url)
    })
    afterAll(() => reader.close())
    testAgreement(() => redisAgreementStore(reader, url), 60)
  })
}

function testAgreement(store: () => AgreementStore, runs: number): void {
  for (const one of agreementCases) {
    test(`A1 ${one.title}`, async () => {
      await checkAgreement(store(), one, runs)
    })
  }
}
