import { type Connection, createConnection } from 'mysql2/promise'
import { afterAll, beforeAll } from 'vitest'
import { must } from '../../src/assert.ts'
import { createMysqlDatabase, type MysqlAccess, type MysqlDatabase } from '../services/mysql-database.ts'

/** A database of the test file's own, with a connection beside the sinks'. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  /** Rows by column name, every value as text or null. */
  rows(text: string): Promise<Record<string, string | null>[]>
  run(...statements: readonly string[]): Promise<void>
}

/** Makes the database before the tests of the current `describe` and drops it after them. */
export function useDatabase(server: MysqlAccess): TestDatabase {
  let database: MysqlDatabase | undefined
  let client: Connection | undefined
  beforeAll(async () => {
    database = await createMysqlDatabase(server)
    // texts as the server writes them
    client = await createConnection({ uri: database.url, charset: 'utf8mb4_bin', typeCast: (field) => field.string() })
    client.on('error', () => undefined)
  })
  afterAll(async () => {
    await client?.end()
    await database?.drop()
  })
  const query = async (sql: string): Promise<unknown> => (await must(client, 'within a test').query(sql))[0]
  return {
    get name() {
      return must(database, 'within a test').name
    },
    get url() {
      return must(database, 'within a test').url
    },
    rows: async (sql) => {
      const rows = (await query(sql)) as Record<string, string | null>[]
      return rows.map((row) => ({ ...row }))
    },
    run: async (...statements) => {
      for (const sql of statements) await query(sql)
    },
  }
}
