import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { must } from '../../src/assert.ts'
import { createDatabase, type PostgresAccess, type PostgresDatabase } from '../services/postgres-database.ts'

/** A database of the test file's own, with a connection beside the sinks'. */
export interface TestDatabase {
  readonly url: string
  readonly adminUrl: string
  /** Rows by column name, every value as text or null. */
  rows(text: string): Promise<Record<string, string | null>[]>
  run(...statements: readonly string[]): Promise<void>
}

/** Makes the database before the tests of the current `describe` and drops it after them. */
export function useDatabase(server: PostgresAccess): TestDatabase {
  let database: PostgresDatabase | undefined
  let client: pg.Client | undefined
  beforeAll(async () => {
    database = await createDatabase(server)
    client = new pg.Client({ connectionString: database.url, types: { getTypeParser: () => asText } })
    client.on('error', () => undefined)
    await client.connect()
  })
  afterAll(async () => {
    await client?.end()
    await database?.drop()
  })
  return {
    get url() {
      return must(database, 'within a test').url
    },
    get adminUrl() {
      return must(database, 'within a test').adminUrl
    },
    rows: async (text) => (await must(client, 'within a test').query<Record<string, string | null>>(text)).rows,
    run: async (...statements) => {
      for (const statement of statements) await must(client, 'within a test').query(statement)
    },
  }
}

function asText(value: string | Buffer): string {
  return String(value)
}
