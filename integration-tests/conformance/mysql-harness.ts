import { createPool } from 'mysql2/promise'
import { quoteIdentifier } from '../../adapters/mysql/identifier.ts'
import { mysql } from '../../adapters/mysql/index.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Column } from '../../src/row/schema.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { createMysqlDatabase, type MysqlAccess, onMysql } from '../services/mysql-database.ts'
import { onFirstUse } from './on-first-use.ts'

/** The connector on a server, by url; the database is made for the first case and dropped after the last. */
export function mysqlHarness(server: MysqlAccess): Harness {
  const reader = onFirstUse(async () => {
    const database = await createMysqlDatabase(server)
    const pool = createPool({ uri: database.url, charset: 'utf8mb4_bin', connectionLimit: 2 })
    const query = async (sql: string): Promise<RowObject[]> => {
      const connection = await pool.getConnection()
      try {
        await connection.query("SET time_zone = '+00:00'")
        const [rows] = await connection.query(sql)
        return rows as RowObject[]
      } finally {
        connection.release()
      }
    }
    return { database, pool, query }
  })
  return {
    connector: mysql,
    prepare: async () => {
      const { database } = await reader.use()
      return { connector: 'mysql', url: database.url, 'sink.create-table': 'if-not-exists' }
    },
    snapshot: async (table) => await visibleRows(table, (await reader.use()).query),
    sever: async () => {
      const { database } = await reader.use()
      await onMysql(server.adminUrl, async (client) => {
        const text = 'SELECT id FROM information_schema.processlist WHERE db = ? AND id <> connection_id()'
        const [rows] = await client.query(text, [database.name])
        for (const { id, ID } of rows as { id?: number; ID?: number }[]) {
          await client.query(`KILL ${Number(id ?? ID)}`).catch(() => {})
        }
      })
    },
    dispose: async () => {
      await reader.end(async ({ pool, database }) => {
        await pool.end().catch(() => {})
        await database.drop()
      })
    },
  }
}

/** What `SELECT` on the table shows to somebody who leaves out the rows with the flag set. */
async function visibleRows(table: TableDefinition, query: (sql: string) => Promise<RowObject[]>): Promise<RowObject[]> {
  const name = table.options['table-name'] ?? table.name
  const found = await query(
    `SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ${literal(name)}`,
  )
  if (found.length === 0) return []
  const hasFlag = found.some((column) => column['name'] === flagColumn)
  const list = table.schema.columns.map((column, index) => `${asText(column)} AS c${index}`).join(', ')
  const rows = await query(
    `SELECT ${list} FROM ${quoteIdentifier(name)}${hasFlag ? ` WHERE ${flagColumn} IS NOT TRUE` : ''}`,
  )
  return rows.map((row) =>
    Object.fromEntries(table.schema.columns.map((column, index) => [column.name, rawValue(column, row[`c${index}`])])),
  )
}

const flagColumn = '__tidegate_deleted'

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`
}

/** Text is exact, whatever the driver would make of the type; save that of a double, which MySQL 9 rounds. */
function asText({ name, type }: Column): string {
  const column = quoteIdentifier(name)
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return `TO_BASE64(${column})`
    case 'TIMESTAMP_LTZ':
      return `CONCAT(CAST(${column} AS CHAR), 'Z')`
    case 'FLOAT':
    case 'DOUBLE':
      return `(${column} + 0e0)`
    default:
      return `CONVERT(CAST(${column} AS CHAR) USING utf8mb4)`
  }
}

function rawValue({ type }: Column, text: unknown): unknown {
  const nested = type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW'
  return nested && typeof text === 'string' ? parseExact(text) : text
}
