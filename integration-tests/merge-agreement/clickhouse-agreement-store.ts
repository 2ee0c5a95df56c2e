import type { ClickHouseClient } from '@clickhouse/client'
import { quoteIdentifier } from '../../adapters/clickhouse/identifier.ts'
import { clickhouse } from '../../adapters/clickhouse/index.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { AgreementStore } from './check-agreement.ts'

/** Of each key the row that counts, tombstones included, which FINAL would leave out. */
export function clickhouseAgreementStore(reader: ClickHouseClient, url: string): AgreementStore {
  return {
    connector: clickhouse,
    client: undefined,
    url,
    wholeRows: true,
    run: async (query) => await reader.command({ query }),
    empty: async (table) => await reader.command({ query: `TRUNCATE TABLE ${quoteIdentifier(table)}` }),
    storedRows: async ({ name, merge: { columns, key } }) => {
      const list = columns.map((column) => `toString(${quoteIdentifier(column.name)})`)
      const keys = key.map((at) => quoteIdentifier(columns[at]?.name ?? '')).join(', ')
      const query =
        `SELECT ${list.join(', ')} FROM (SELECT * FROM ${quoteIdentifier(name)} ` +
        `ORDER BY __tidegate_version DESC, ${newestBlock}, _part_offset DESC LIMIT 1 BY ${keys})`
      const answer = await reader.query({ query, format: 'JSONCompactEachRow' })
      return ((await answer.json()) as (string | null)[][]).map((row) =>
        columns.map(({ type }, position) => {
          const text = row[position]
          return typeof text === 'string' ? createCoercion(type)(text) : null
        }),
      )
    },
  }
}

/** Parts are named `all_<first block>_<last block>_<level>`: as text, block 10 would come before block 9. */
const newestBlock = "toInt64(splitByChar('_', _part)[2]) DESC"
