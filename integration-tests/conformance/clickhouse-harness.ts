import { createClient } from '@clickhouse/client'
import { quoteIdentifier } from '../../adapters/clickhouse/identifier.ts'
import { clickhouse } from '../../adapters/clickhouse/index.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Column } from '../../src/row/schema.ts'
import type { Harness } from '../../src/testing/harness.ts'

let databaseCount = 0

/** The connector on a server, by url, in a database of its own; rows are read with FINAL, as a reader has to. */
export function clickhouseHarness({ url }: { readonly url: string }): Harness {
  const database = `tidegate_${process.pid}_${Date.now()}_${++databaseCount}`
  const client = createClient({ url })
  const made = client.command({ query: `CREATE DATABASE ${database}` })
  made.catch(() => {})
  const query = async (text: string): Promise<RowObject[]> => {
    const answer = await client.query({ query: text, format: 'JSONEachRow' })
    return (await answer.json()) as RowObject[]
  }
  return {
    connector: clickhouse,
    prepare: async () => {
      await made
      return { connector: 'clickhouse', url, 'database-name': database, 'sink.create-table': 'if-not-exists' }
    },
    snapshot: async (table) => {
      const name = table.options['table-name'] ?? table.name
      const target = `${database}.${quoteIdentifier(name)}`
      const [found] = await query(`EXISTS TABLE ${target}`)
      if (Number(found?.['result']) !== 1) return []
      const list = table.schema.columns.map((column, index) => `${asText(column)} AS out_${index}`).join(', ')
      const rows = await query(`SELECT ${list} FROM ${target}${table.schema.primaryKey.length === 0 ? '' : ' FINAL'}`)
      return rows.map((row) =>
        Object.fromEntries(
          table.schema.columns.map((column, index) => [column.name, rawValue(column, row[`out_${index}`])]),
        ),
      )
    },
    dispose: async () => {
      await client.command({ query: `DROP DATABASE IF EXISTS ${database}` }).catch(() => {})
      await client.close()
    },
  }
}

/** Text is exact, whatever the client would make of the type. */
function asText({ name, type }: Column): string {
  const column = quoteIdentifier(name)
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return `base64Encode(${column})`
    case 'TIMESTAMP_LTZ':
      return `concat(toString(${column}), 'Z')`
    default:
      return `toString(${column})`
  }
}

function rawValue({ type }: Column, text: unknown): unknown {
  const nested = type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW'
  return nested && typeof text === 'string' ? parseExact(text) : text
}
