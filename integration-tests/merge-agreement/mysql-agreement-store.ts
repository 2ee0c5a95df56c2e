import type { Connection } from 'mysql2/promise'
import { quoteIdentifier } from '../../adapters/mysql/identifier.ts'
import { mysql } from '../../adapters/mysql/index.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { AgreementStore } from './check-agreement.ts'

export function mysqlAgreementStore(reader: Connection, url: string): AgreementStore {
  return {
    connector: mysql,
    client: undefined,
    url,
    run: (text) => reader.query(text),
    empty: (table) => reader.query(`DELETE FROM ${quoteIdentifier(table)}`),
    storedRows: async ({ name, merge: { columns } }) => {
      const list = columns.map((column) => `CONVERT(CAST(${quoteIdentifier(column.name)} AS CHAR) USING utf8mb4)`)
      const sql = `SELECT ${list.join(', ')} FROM ${quoteIdentifier(name)}`
      const [rows] = await reader.query({ sql, rowsAsArray: true })
      return (rows as (string | null)[][]).map((row) =>
        columns.map(({ type }, position) => {
          const text = row[position]
          if (typeof text !== 'string') return null
          return createCoercion(type)(type.name === 'TIMESTAMP_LTZ' ? `${text}Z` : text)
        }),
      )
    },
  }
}
