import type { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { postgres } from '../../adapters/postgres/index.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Column } from '../../src/row/schema.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { createDatabase, type PostgresAccess } from '../services/postgres-database.ts'
import { onFirstUse } from './on-first-use.ts'

/** The connector on a server, by url; the database is made for the first case and dropped after the last. */
export function postgresHarness(server: PostgresAccess): Harness {
  const reader = onFirstUse(async () => {
    const database = await createDatabase(server)
    const pool = new pg.Pool({ connectionString: database.url, max: 2, options: '-c timezone=UTC' })
    return { database, pool }
  })
  return {
    connector: postgres,
    prepare: async () => {
      const { database } = await reader.use()
      return { connector: 'postgres', url: database.url, 'sink.create-table': 'if-not-exists' }
    },
    snapshot: async (table) => {
      const { pool } = await reader.use()
      return await visibleRows(table, async (text, values) => (await pool.query<RowObject>(text, values)).rows)
    },
    sever: async () => {
      const { pool } = await reader.use()
      await pool.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tidegate'")
    },
    dispose: async () => {
      await reader.end(async ({ database, pool }) => {
        await pool.end()
        await database.drop()
      })
    },
  }
}

/** The connector on PGlite, which is handed in and read through the same handle. */
export function pgliteHarness(pglite: PGlite): Harness {
  return {
    connector: postgres,
    client: pglite,
    prepare: async () => ({ connector: 'postgres', 'sink.create-table': 'if-not-exists' }),
    snapshot: async (table) =>
      await visibleRows(table, async (text, values) => (await pglite.query<RowObject>(text, values)).rows),
    dispose: async () => await pglite.close(),
  }
}

type Query = (text: string, values: unknown[]) => Promise<readonly RowObject[]>

/** What `select` on the table shows to somebody who leaves out the rows with the flag set. */
async function visibleRows(table: TableDefinition, query: Query): Promise<RowObject[]> {
  const name = quoted(table.options['table-name'] ?? table.name)
  const columns = await query(
    'select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0',
    [name],
  )
  if (columns.length === 0) return []
  const hasFlag = columns.some((column) => column['name'] === flagColumn)
  const list = table.schema.columns.map((column, index) => `${asText(column)} as c${index}`).join(', ')
  const rows = await query(`select ${list} from ${name}${hasFlag ? ` where ${flagColumn} is not true` : ''}`, [])
  return rows.map((row) =>
    Object.fromEntries(table.schema.columns.map((column, index) => [column.name, rawValue(column, row[`c${index}`])])),
  )
}

const flagColumn = '__tidegate_deleted'

/** Text is exact, whatever the driver would make of the type. */
function asText({ name, type }: Column): string {
  const column = quoted(name)
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return `encode(${column}, 'base64')`
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      // in the form of ISO 8601
      return `to_json(${column}) #>> '{}'`
    case 'ARRAY':
      return `to_json(${column})::text`
    default:
      return `${column}::text`
  }
}

function rawValue({ type }: Column, text: unknown): unknown {
  const nested = type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW'
  return nested && typeof text === 'string' ? parseExact(text) : text
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
