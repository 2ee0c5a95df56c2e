import { must } from '../../src/assert.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { identifierFault, type QualifiedName, quoteIdentifier, quoteQualified } from './identifier.ts'
import { type Target, targetOf, versionColumn } from './target.ts'
import { textOf, typeMapping } from './type-mapping.ts'

/** The rows of a flush; the body is RowBinary, in the order of the columns. */
export function insertStatement({ plan, name, version }: Target): string {
  const columns = plan.merge.columns.map((column) => quoteIdentifier(column.name))
  if (version !== undefined) columns.push(quoteIdentifier(versionColumn))
  return `INSERT INTO ${quoteQualified(name)} (${columns.join(', ')}) FORMAT RowBinary`
}

/** The stored rows of some keys, tombstones included: the parameter holds a list of texts a key. */
export function selectByKey({ plan: { merge }, name }: Target): string {
  const key = merge.key.map((at) => must(merge.columns[at], 'a key column'))
  const parts = key.map(({ type }, index) => {
    const text = `arrayElement(k, ${index + 1})`
    if (type.name === 'BINARY' || type.name === 'VARBINARY') return `base64Decode(${text})`
    const native = must(typeMapping.nativeType(type), 'a plan has only types that the store can hold')
    return native === 'String' ? text : `CAST(${text}, '${native.replaceAll("'", "\\'")}')`
  })
  const texts = merge.columns.map(({ name: column, type }) => textOf(type, quoteIdentifier(column)))
  return [
    `SELECT ${texts.join(', ')}`,
    // FINAL would leave out deleted rows, whose sequences count
    `FROM (SELECT * FROM ${quoteQualified(name)}`,
    `WHERE (${key.map((column) => quoteIdentifier(column.name)).join(', ')}) IN (SELECT ${parts.join(', ')} FROM (SELECT arrayJoin({keys: Array(Array(String))}) AS k))`,
    `ORDER BY ${quoteIdentifier(versionColumn)} DESC, ${latestArrival}`,
    `LIMIT 1 BY ${key.map((column) => quoteIdentifier(column.name)).join(', ')})`,
  ].join('\n')
}

/** Of rows with one version the last one that came, as FINAL takes it: parts are named `<partition>_<first block>_…`. */
const latestArrival = "toInt64(splitByChar('_', _part)[2]) DESC, _part_offset DESC"

/** The declared columns of rows that a reader sees, in order of the key. */
export function selectRows({ plan: { merge }, name }: Target, limit: number): string {
  const texts = merge.columns
    .slice(0, merge.declaredCount)
    .map((column) => textOf(column.type, quoteIdentifier(column.name)))
  const key = merge.key.map((at) => quoteIdentifier(must(merge.columns[at], 'a key column').name))
  return [
    `SELECT ${texts.join(', ')}`,
    `FROM ${quoteQualified(name)}${key.length === 0 ? '' : ' FINAL'}`,
    ...(key.length === 0 ? [] : [`ORDER BY ${key.join(', ')}`]),
    `LIMIT ${limit}`,
  ].join('\n')
}

/** The table that fits the plan, and the view that readers go through. */
export function createTable(plan: TablePlan): readonly string[] {
  const target = targetOf(plan)
  const { merge } = plan
  const lines = merge.columns.map((_, at) => `  ${columnDefinition(target, at)}`)
  if (target.version === undefined) {
    return [
      `CREATE TABLE IF NOT EXISTS ${quoteQualified(target.name)} (\n${lines.join(',\n')}\n) ENGINE = MergeTree ORDER BY tuple()\n${settings}`,
    ]
  }
  lines.push(`  ${quoteIdentifier(versionColumn)} ${versionType(target.version)}`)
  const key = merge.key.map((at) => quoteIdentifier(must(merge.columns[at], 'a key column').name))
  const flag = quoteIdentifier(must(merge.columns[must(merge.deletedFlag, 'deletes are rows')], 'a flag column').name)
  const table = [
    `CREATE TABLE IF NOT EXISTS ${quoteQualified(target.name)} (\n${lines.join(',\n')}\n)`,
    `ENGINE = ReplacingMergeTree(${quoteIdentifier(versionColumn)}, ${flag})`,
    `ORDER BY (${key.join(', ')})`,
    settings,
  ].join('\n')
  const view = readersView(target.name)
  return view === undefined ? [table] : [table, viewStatement(target, view)]
}

/** A flush that is sent again is recognised by its token. */
const settings = 'SETTINGS non_replicated_deduplication_window = 1000'

export function columnDefinition({ plan: { merge } }: Target, at: number): string {
  return `${quoteIdentifier(must(merge.columns[at], 'a stored column').name)} ${columnType(merge, at)}`
}

export function columnType(merge: TablePlan['merge'], at: number): string {
  const { type, nullable } = must(merge.columns[at], 'a stored column')
  const native = must(typeMapping.nativeType(type), 'a plan has only types that the store can hold')
  return isNullable(merge, at, nullable) ? `Nullable(${native})` : native
}

/** A sorting key and the flag are never NULL. */
export function isNullable({ key, deletedFlag }: TablePlan['merge'], at: number, nullable: boolean): boolean {
  return nullable && !key.includes(at) && at !== deletedFlag
}

export function versionType(bytes: 8 | 16 | 32): string {
  return `UInt${bytes * 8}`
}

/** `<table>_live`; undefined if that is too long for a name. */
export function readersView({ database, name }: QualifiedName): QualifiedName | undefined {
  const view = `${name}_live`
  return identifierFault(view) === undefined ? { database, name: view } : undefined
}

function viewStatement({ plan: { merge }, name }: Target, view: QualifiedName): string {
  const columns = merge.columns.flatMap((column, at) =>
    column.hidden || at === merge.deletedFlag ? [] : [quoteIdentifier(column.name)],
  )
  return `CREATE VIEW IF NOT EXISTS ${quoteQualified(view)} AS\nSELECT ${columns.join(', ')}\nFROM ${quoteQualified(name)} FINAL`
}
