import { quoteIdentifier } from '../../adapters/postgres/identifier.ts'
import { postgres } from '../../adapters/postgres/index.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { AgreementStore } from './check-agreement.ts'

export interface PostgresAccess {
  readonly client: unknown
  readonly url: string
  /** Runs SQL and gives the rows by position. */
  readonly sql: (text: string) => Promise<readonly (readonly unknown[])[]>
}

export function postgresAgreementStore({ client, url, sql }: PostgresAccess): AgreementStore {
  return {
    connector: postgres,
    client,
    url,
    run: sql,
    empty: (table) => sql(`DELETE FROM ${quoteIdentifier(table)}`),
    storedRows: async ({ name, merge: { columns } }) => {
      const list = columns.map((column) => `${quoteIdentifier(column.name)}::text`)
      const rows = await sql(`SELECT ${list.join(', ')} FROM ${quoteIdentifier(name)}`)
      return rows.map((row) =>
        columns.map(({ type }, position) => {
          const text = row[position]
          return typeof text === 'string' ? createCoercion(type, { bytes: 'postgres' })(text) : null
        }),
      )
    },
  }
}
