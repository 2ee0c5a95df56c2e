import type { CheckFinding } from '../../src/connector/connector.ts'
import type { Connection } from './client.ts'
import { quoteIdentifier, quoteQualified } from './identifier.ts'
import { columnDefinition, columnType, createTable, versionType } from './statements.ts'
import { type Target, versionColumn } from './target.ts'

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
  const findings = [...engineFindings(target, catalog, subject), ...columnFindings(target, catalog, subject)]
  return findings.some(({ severity }) => severity === 'error')
    ? findings
    : [{ severity: 'ok', subject, message: 'fits the plan' }, ...findings]
}

function engineFindings({ plan: { merge }, version }: Target, catalog: CatalogTable, subject: string): CheckFinding[] {
  const { engine, sortingKey, engineFull } = catalog
  if (version === undefined) {
    if (/^(Replicated|Shared)?MergeTree$/.test(engine)) return []
    return [{ severity: 'warning', subject, message: `is kept by ${engine}, and rows without a key are only appended` }]
  }
  const findings: CheckFinding[] = []
  if (!/^(Replicated|Shared)?ReplacingMergeTree$/.test(engine)) {
    const message = `is kept by ${engine}: a ReplacingMergeTree is wanted, with ${versionColumn} and the flag of deleted rows`
    findings.push({
      severity: 'error',
      subject,
      message,
      fix: 'make a table as `tidegate ddl` prints it, and copy the rows',
    })
  } else {
    const flag = merge.columns[merge.deletedFlag ?? -1]?.name ?? ''
    const names = /ReplacingMergeTree\((.*?)\)/.exec(engineFull)?.[1] ?? ''
    if (!names.includes(versionColumn) || !names.includes(flag)) {
      const message = `replaces by (${names}), and by (${versionColumn}, ${flag}) is wanted`
      findings.push({ severity: 'error', subject, message })
    }
  }
  const key = merge.key.map((at) => merge.columns[at]?.name ?? '')
  const sorted = sortingKey
    .replace(/^\((.*)\)$/, '$1')
    .split(',')
    .map((name) => name.trim().replaceAll('`', ''))
  if (sorted.length !== key.length || key.some((name) => !sorted.includes(name))) {
    const message = `is sorted by (${sorted.join(', ')}), and rows are told apart by (${key.join(', ')})`
    findings.push({ severity: 'error', subject, message })
  }
  return findings
}

function columnFindings(target: Target, { columns }: CatalogTable, table: string): CheckFinding[] {
  const { merge } = target.plan
  const wanted = merge.columns.map((column, at) => ({
    name: column.name,
    type: columnType(merge, at),
    definition: columnDefinition(target, at),
  }))
  if (target.version !== undefined) {
    const type = versionType(target.version)
    wanted.push({ name: versionColumn, type, definition: `${quoteIdentifier(versionColumn)} ${type}` })
  }
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
