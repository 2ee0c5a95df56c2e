import { must } from '../../src/assert.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { TableColumn } from './engine/engine.ts'
import { identifierFault, type QualifiedName, quoteIdentifier, quoteQualified } from './identifier.ts'
import { readingOf, type Target, targetOf } from './target.ts'
import { textOf, typeMapping } from './type-mapping.ts'

/** The rows of a flush; the body is RowBinary, in the order of the columns. */
export function insertStatement({ name, columns }: Target): string {
  const names = columns.map((column) => quoteIdentifier(column.name))
  return `INSERT INTO ${quoteQualified(name)} (${names.join(', ')}) FORMAT RowBinary`
}

/** The stored rows of some keys, tombstones included: the parameter holds a list of texts a key. */
export function selectByKey({ plan: { merge }, plan, name, engine }: Target): string {
  const version = must(engine.parameters(plan)[0], 'only a ReplacingMergeTree is asked')
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
    `ORDER BY ${quoteIdentifier(version)} DESC, ${latestArrival}`,
    `LIMIT 1 BY ${key.map((column) => quoteIdentifier(column.name)).join(', ')})`,
  ].join('\n')
}

/** Of rows with one version the last one that came, as FINAL takes it: parts are named `<partition>_<first block>_…`. */
const latestArrival = "toInt64(splitByChar('_', _part)[2]) DESC, _part_offset DESC"

/** The declared columns of rows that a reader sees, in order of the key. */
export function selectRows(target: Target, limit: number): string {
  const { merge } = target.plan
  const texts = merge.columns
    .slice(0, merge.declaredCount)
    .map((column, at) => textOf(column.type, readExpression(target, at)))
  const key = merge.key.map((at) => quoteIdentifier(must(merge.columns[at], 'a key column').name))
  return [
    `SELECT ${texts.join(', ')}`,
    `FROM ${readFrom(target)}`,
    ...(key.length === 0 ? [] : [`ORDER BY ${key.join(', ')}`]),
    `LIMIT ${limit}`,
  ].join('\n')
}

function readExpression({ plan, engine }: Target, at: number): string {
  const { name } = must(plan.merge.columns[at], 'a column of the plan')
  return engine.expression?.(plan, at) ?? quoteIdentifier(name)
}

function readColumn(target: Target, at: number): string {
  const name = quoteIdentifier(must(target.plan.merge.columns[at], 'a column of the plan').name)
  const expression = readExpression(target, at)
  return expression === name ? name : `${expression} AS ${name}`
}

/** The table as a reader has to name it. */
export function readFrom(target: Target): string {
  const reading = readingOf(target)
  return reading === undefined ? quoteQualified(target.name) : `${quoteQualified(target.name)} ${reading}`
}

/** The table that fits the plan, and the view that readers go through. */
export function createTable(plan: TablePlan): readonly string[] {
  const target = targetOf(plan)
  const { engine, columns, name } = target
  const lines = columns.map((column) => `  ${columnDefinition(column)}`)
  const list = (names: readonly string[]): string => names.map(quoteIdentifier).join(', ')
  const parameters = engine.parameters(plan)
  const sorted = engine.sortedBy(plan)
  const table = [
    `CREATE TABLE IF NOT EXISTS ${quoteQualified(name)} (\n${lines.join(',\n')}\n)`,
    `ENGINE = ${engine.name}${parameters.length === 0 ? '' : `(${list(parameters)})`}`,
    `ORDER BY ${sorted.length === 0 ? 'tuple()' : `(${list(sorted)})`}`,
    settings,
  ].join('\n')
  const view = readersView(target)
  return view === undefined ? [table] : [table, viewStatement(target, view)]
}

/** A flush that is sent again is recognised by its token. */
const settings = 'SETTINGS non_replicated_deduplication_window = 1000'

export function columnDefinition({ name, type }: TableColumn): string {
  return `${quoteIdentifier(name)} ${type}`
}

/** `<table>_live`; undefined if nobody needs it, or that is too long for a name. */
export function readersView(target: Target): QualifiedName | undefined {
  const { database, name } = target.name
  const view = `${name}_live`
  return readingOf(target) === undefined || identifierFault(view) !== undefined ? undefined : { database, name: view }
}

function viewStatement(target: Target, view: QualifiedName): string {
  const { merge } = target.plan
  const columns = merge.columns.flatMap((column, at) =>
    column.hidden || at === merge.deletedFlag ? [] : [readColumn(target, at)],
  )
  return `CREATE VIEW IF NOT EXISTS ${quoteQualified(view)} AS\nSELECT ${columns.join(', ')}\nFROM ${readFrom(target)}`
}
