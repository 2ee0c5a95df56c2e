import type { ClickHouseClient } from '@clickhouse/client'
import { engineOf } from '../../adapters/clickhouse/engine/engine-of.ts'
import { quoteIdentifier } from '../../adapters/clickhouse/identifier.ts'
import { clickhouse } from '../../adapters/clickhouse/index.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { Row } from '../../src/row/row.ts'
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
    storedRows: async (plan) => {
      const { name, merge } = plan
      const keys = merge.key.map((at) => quoteIdentifier(merge.columns[at]?.name ?? '')).join(', ')
      const newest =
        `(SELECT * FROM ${quoteIdentifier(name)} ` +
        `ORDER BY __tidegate_version DESC, ${newestBlock}, _part_offset DESC LIMIT 1 BY ${keys})`
      return await readRows(reader, plan, newest)
    },
  }
}

/** Of each key what its parts make together. `wholeRows`: see `AgreementStore`. */
export function aggregatingAgreementStore(reader: ClickHouseClient, url: string, wholeRows: boolean): AgreementStore {
  return {
    ...clickhouseAgreementStore(reader, url),
    wholeRows,
    storedRows: async (plan) => await readRows(reader, plan, `${quoteIdentifier(plan.name)} FINAL`),
  }
}

async function readRows(reader: ClickHouseClient, plan: TablePlan, from: string): Promise<readonly Row[]> {
  const { columns } = plan.merge
  const engine = engineOf(plan)
  const list = columns.map(({ name }, at) => `toString(${engine.expression?.(plan, at) ?? quoteIdentifier(name)})`)
  const answer = await reader.query({ query: `SELECT ${list.join(', ')} FROM ${from}`, format: 'JSONCompactEachRow' })
  return ((await answer.json()) as (string | null)[][]).map((row) =>
    columns.map(({ type }, position) => {
      const text = row[position]
      return typeof text === 'string' ? createCoercion(type)(text) : null
    }),
  )
}

/** Parts are named `all_<first block>_<last block>_<level>`: as text, block 10 would come before block 9. */
const newestBlock = "toInt64(splitByChar('_', _part)[2]) DESC"
