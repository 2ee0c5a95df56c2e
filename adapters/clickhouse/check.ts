import type { CheckFinding } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Connection } from './client.ts'
import type { Engine } from './engine/engine.ts'
import { quoteQualified } from './identifier.ts'
import { columnDefinition, createTable } from './statements.ts'
import type { Target } from './target.ts'

/** A table as the server's own tables tell. */
export interface CatalogTable {
  readonly engine: string
  readonly sortingKey: string
  readonly engineFull: string
  /** Types by name. */
  readonly columns: ReadonlyMap<string, string>
}

/** Undefined: there is no such table, or it is not to be seen. */
export async function readCatalog(connection: Connection, { name }: Target): Promise<CatalogTable | undefined> {
  const where = (column: string): string => `${column} = k[2] AND database = if(k[1] = '', currentDatabase(), k[1])`
  const keys = [[name.database ?? '', name.name]]
  const from = 'ARRAY JOIN {keys: Array(Array(String))} AS k'
  const tables = await connection.rows(
    `SELECT engine, sorting_key, engine_full FROM system.tables ${from} WHERE ${where('name')}`,
    keys,
  )
  const [found] = tables
  if (found === undefined) return undefined
  const columns = await connection.rows(`SELECT name, type FROM system.columns ${from} WHERE ${where('table')}`, keys)
  return {
    engine: String(found[0]),
    sortingKey: String(found[1]),
    engineFull: String(found[2]),
    columns: new Map(columns.map(([column, type]) => [String(column), String(type)])),
  }
}

/** Every difference of a target to its plan, at once. */
export function compareTarget(target: Target, catalog: CatalogTable | undefined): readonly CheckFinding[] {
  const subject = quoteQualified(target.name)
  if (catalog === undefined) {
    if (target.plan.createTable)
      return [{ severity: 'ok', subject, message: 'does not exist, and is made when a sink opens' }]
    const fix = createTable(target.plan)
      .map((statement) => `${statement};`)
      .join('\n')
    return [{ severity: 'error', subject, message: 'does not exist, or the user may not see it', fix }]
  }
  const findings = [
    ...engineFindings(target, catalog, subject),
    ...columnFindings(target, catalog, subject),
    ...repeatFindings(target, catalog, subject),
  ]
  return findings.some(({ severity }) => severity === 'error')
    ? findings
    : [{ severity: 'ok', subject, message: 'fits the plan' }, ...findings]
}

function engineFindings({ plan, engine }: Target, catalog: CatalogTable, subject: string): CheckFinding[] {
  const bare = catalog.engine.replace(/^(Replicated|Shared)/, '')
  if (bare !== engine.name) {
    // where nothing is replaced, any engine that takes rows will do
    if (engine.reading === undefined) {
      return [{ severity: 'warning', subject, message: `is kept by ${catalog.engine}, and rows are only appended` }]
    }
    const wanted = `${engine.name}(${engine.parameters(plan).join(', ')})`
    const message = `is kept by ${catalog.engine}, and ${wanted} is wanted`
    const fix = 'make a table as `tidegate ddl` prints it, and copy the rows'
    return [{ severity: 'error', subject, message, fix }]
  }
  return [...parameterFindings(plan, engine, catalog, subject), ...sortingFindings(plan, engine, catalog, subject)]
}

/** Does the server keep the tokens of the last inserts, and drop one that comes again? */
export function dropsRepeats({ engine, engineFull }: CatalogTable): boolean {
  if (/^(Replicated|Shared)/.test(engine)) return true
  return Number(/non_replicated_deduplication_window = (\d+)/.exec(engineFull)?.[1] ?? 0) > 0
}

function repeatFindings({ engine }: Target, catalog: CatalogTable, subject: string): CheckFinding[] {
  if (!engine.countsRepeats || dropsRepeats(catalog)) return []
  const message =
    'does not recognise an insert that is sent again: after a lost answer the sink ends with COMMIT_UNKNOWN'
  const fix = `ALTER TABLE ${subject} MODIFY SETTING non_replicated_deduplication_window = 1000;`
  return [{ severity: 'warning', subject, message, fix }]
}

function parameterFindings(
  plan: TablePlan,
  engine: Engine,
  { engineFull }: CatalogTable,
  subject: string,
): CheckFinding[] {
  const wanted = engine.parameters(plan)
  const found = namesIn(new RegExp(`${engine.name}\\((.*?)\\)`).exec(engineFull)?.[1] ?? '').filter(
    // a replicated table has its path and replica in front
    (name) => !name.startsWith("'"),
  )
  if (wanted.join() === found.join()) return []
  const message = `goes by (${found.join(', ')}), and by (${wanted.join(', ')}) is wanted`
  return [{ severity: 'error', subject, message }]
}

function sortingFindings(
  plan: TablePlan,
  engine: Engine,
  { sortingKey }: CatalogTable,
  subject: string,
): CheckFinding[] {
  if (engine.reading === undefined) return []
  const key = engine.sortedBy(plan)
  // several columns stand in parentheses, also where the engine has added one behind them
  const sorted = namesIn(sortingKey).map((name) => name.replace(/^\(+|\)+$/g, ''))
  // the version of a VersionedCollapsingMergeTree is part of its sorting key without a word
  const own = new Set(engine.parameters(plan))
  const told = sorted.filter((name) => !own.has(name))
  if (told.length === key.length && key.every((name) => told.includes(name))) return []
  const message = `is sorted by (${sorted.join(', ')}), and rows are told apart by (${key.join(', ')})`
  return [{ severity: 'error', subject, message }]
}

function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim().replaceAll('`', ''))
    .filter((name) => name !== '')
}

function columnFindings(target: Target, { columns }: CatalogTable, table: string): CheckFinding[] {
  const wanted = target.columns.map((column) => ({ ...column, definition: columnDefinition(column) }))
  return wanted.flatMap(({ name, type, definition }): CheckFinding[] => {
    const found = columns.get(name)
    const subject = `column ${name}`
    if (found === undefined) {
      return [
        {
          severity: 'error',
          subject,
          message: 'does not exist',
          fix: `ALTER TABLE ${table} ADD COLUMN ${definition};`,
        },
      ]
    }
    // the body of an insert says nothing of types: the column must be just what is written
    if (plain(found) === plain(type)) return []
    return [
      {
        severity: 'error',
        subject,
        message: `is ${found}, and is written as ${type}`,
        fix: `ALTER TABLE ${table} MODIFY COLUMN ${definition};`,
      },
    ]
  })
}

function plain(type: string): string {
  return type
    .replace(/^LowCardinality\((.*)\)$/, '$1')
    .replaceAll(' ', '')
    .replace(/^(Nullable\()?UInt8/, '$1Bool')
}
