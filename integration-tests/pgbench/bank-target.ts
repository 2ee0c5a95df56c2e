import { parseScript } from '../../src/ddl/parse-script.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { compareCodePoints } from '../../src/row/value.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { clickhouseHarness } from '../conformance/clickhouse-harness.ts'
import { mysqlHarness } from '../conformance/mysql-harness.ts'
import { postgresHarness } from '../conformance/postgres-harness.ts'
import { redisHarness } from '../conformance/redis-harness.ts'
import { searchHarness } from '../conformance/search-harness.ts'
import type { StoreStatus } from '../stores.ts'
import { type PgbenchTable, pgbenchTableNames, pgbenchTables } from './pgbench.ts'

/** pgbench's four tables in one of the stores, read by somebody who knows nothing of tidegate. */
export class BankTarget {
  readonly store: string
  readonly #harness: Harness
  readonly #tables: ReadonlyMap<PgbenchTable, TableDefinition>

  private constructor(store: string, harness: Harness, tables: ReadonlyMap<PgbenchTable, TableDefinition>) {
    this.store = store
    this.#harness = harness
    this.#tables = tables
  }

  /** Names of the tables begin with `prefix`; several targets may be in one sink. */
  static async create(status: StoreStatus, prefix: string): Promise<BankTarget> {
    const harness = harnessOf(status)
    const tables = new Map<PgbenchTable, TableDefinition>()
    for (const table of pgbenchTableNames) {
      const [bare] = parseScript(`CREATE TABLE ${prefix}_${table} (${pgbenchTables[table]}) WITH ()`).tables
      if (bare === undefined) throw new Error('a script of one table has one')
      const options = { ...(await harness.prepare(bare)), ...bankOptions, ...ownOptions(table) }
      tables.set(table, { ...bare, options })
    }
    return new BankTarget(status.name, harness, tables)
  }

  /** One CREATE TABLE for each table. */
  get ddl(): string {
    return [...this.#tables].map(([table, { name, options }]) => createTable(table, name, options)).join('\n')
  }

  /** Each row as a line, in order. */
  async lines(table: PgbenchTable): Promise<readonly string[]> {
    const definition = this.#tables.get(table)
    if (definition === undefined) throw new Error(`there is no table ${table}`)
    const rows = await this.#harness.snapshot(definition)
    const names = definition.schema.columns.map(({ name }) => name)
    return rows.map((row) => bankLine(names.map((name) => row[name]))).sort(compareCodePoints)
  }

  async drop(): Promise<void> {
    await this.#harness.dispose()
  }
}

const bankOptions = { format: 'pgoutput', 'sink.buffer-flush.max-rows': '500', 'sink.buffer-flush.interval': '200 ms' }

function ownOptions(table: PgbenchTable): Readonly<Record<string, string>> {
  const source = { 'source.table': table }
  if (table !== 'pgbench_history') return source
  return { ...source, 'source.changelog-mode': 'insert-only', 'sink.accept-duplicates': 'true' }
}

function createTable(table: PgbenchTable, name: string, options: Readonly<Record<string, string>>): string {
  const lines = Object.entries(options).map(([option, value]) => `  '${option}' = '${value}'`)
  return `CREATE TABLE ${name} (\n  ${pgbenchTables[table]}\n) WITH (\n${lines.join(',\n')}\n);\n`
}

/** Values of a row in the same form whatever store they come from: blanks at the end of a CHAR are not compared. */
export function bankLine(values: readonly unknown[]): string {
  return values.map((value) => (value === null || value === undefined ? 'NULL' : valueText(String(value)))).join('|')
}

function valueText(text: string): string {
  const moment = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(?:\.(\d+))?$/.exec(text)
  if (moment === null) return text.trimEnd()
  return `${moment[1]} ${moment[2]}.${(moment[3] ?? '').padEnd(6, '0')}`
}

export function canBeBank({ missing, postgres, mysql, clickhouse, redis, search }: StoreStatus): boolean {
  return missing === undefined && [postgres, mysql, clickhouse, redis, search].some((access) => access !== undefined)
}

function harnessOf({ name, postgres, mysql, clickhouse, redis, search }: StoreStatus): Harness {
  if (postgres !== undefined) return postgresHarness(postgres)
  if (mysql !== undefined) return mysqlHarness(mysql)
  if (clickhouse !== undefined) return clickhouseHarness(clickhouse)
  if (redis !== undefined) return redisHarness(redis)
  if (search !== undefined) return searchHarness(search)
  throw new Error(`${name} is no server`)
}
