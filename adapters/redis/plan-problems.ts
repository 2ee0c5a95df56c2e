import type { PlannedTable } from '../../src/connector/connector.ts'
import type { Problem } from '../../src/errors.ts'
import { primaryKeyNames } from '../../src/row/schema.ts'
import { defaultTemplate, placeholder, templateProblems } from './key-template.ts'
import { mergesInScript, type ValueFormat } from './table-spec.ts'

/** The script passes the columns of a row on at once, and Lua takes up to 8000 arguments. */
const columnsMax = 3900

const loneSurrogate = /\p{Surrogate}/u

/** What the options of the connector and the shape of the table do not allow. */
export function planProblems(plan: PlannedTable): readonly Problem[] {
  const names = plan.merge.columns.map(({ name }) => name)
  const problems: Problem[] = [plan.name, ...names]
    .filter((name) => loneSurrogate.test(name))
    .map((subject) => ({ subject, message: 'holds half of a surrogate pair, which has no form in UTF-8' }))
  if (names.length > columnsMax) problems.push({ subject: 'columns', message: `are more than ${columnsMax}` })
  if (problems.length > 0) return problems
  return [...keyProblems(plan), ...shapeProblems(plan), ...optionProblems(plan)]
}

/** The template of the table's keys, by option or by default. */
export function templateOf(plan: Pick<PlannedTable, 'name' | 'schema' | 'connectorOptions'>): string {
  const given = plan.connectorOptions['key'] as string | undefined
  const names = primaryKeyNames(plan.schema)
  if (given !== undefined) return given
  return defaultTemplate(plan.name, formatOf(plan) === 'sorted-set' ? names.slice(0, -1) : names)
}

function formatOf({ connectorOptions }: Pick<PlannedTable, 'connectorOptions'>): ValueFormat {
  return connectorOptions['value.format'] as ValueFormat
}

function keyProblems(plan: PlannedTable): readonly Problem[] {
  const names = primaryKeyNames(plan.schema)
  const template = templateOf(plan)
  if (formatOf(plan) !== 'sorted-set') return templateProblems(template, names, names)
  const members = names.filter((name) => !template.includes(placeholder(name)))
  if (members.length === 1) return templateProblems(template, names, [])
  const message = `leaves ${members.length === 0 ? 'no key column' : members.join(', ')} for the member, and one is needed`
  return [{ subject: 'key', message, fix: 'name every key column but one' }]
}

/** A string or a score has room for one column, which must be there for the row to be there. */
function shapeProblems(plan: PlannedTable): readonly Problem[] {
  const format = formatOf(plan)
  const { schema, merge } = plan
  if (format === 'hash' || format === 'json') return []
  if (schema.primaryKey.length === 0) {
    const message = `needs a primary key under 'value.format' = '${format}'`
    return [{ subject: 'PRIMARY KEY', message, fix: "declare one, or take 'hash', and rows are appended to a stream" }]
  }
  const values = schema.columns.filter((_, at) => !schema.primaryKey.includes(at))
  const [value] = values
  if (value === undefined || values.length > 1 || merge.columns.length > schema.columns.length) {
    const message = `has room for one column beside the key under 'value.format' = '${format}'`
    return [{ subject: 'columns', message, fix: "take 'hash' or 'json'" }]
  }
  const problems: Problem[] = []
  for (const at of schema.primaryKey) {
    const column = schema.columns[at]
    if (column === undefined || !nested.has(column.type.name)) continue
    problems.push({
      subject: column.name,
      message: 'cannot be read back from the name of a key',
      fix: 'declare it as STRING',
    })
  }
  if (value.nullable) {
    const message = 'must be NOT NULL: a key without a value is no row'
    problems.push({ subject: value.name, message, fix: `declare ${value.name} NOT NULL` })
  }
  if (format === 'sorted-set' && !scores.has(value.type.name)) {
    const message = `is ${value.type.name}, and a score is a double`
    problems.push({ subject: value.name, message, fix: 'declare a whole number, FLOAT or DOUBLE' })
  }
  if (format === 'sorted-set' && !mergesInScript(plan)) {
    problems.push({ subject: 'merge-engine', message: 'merges in a way that a score cannot keep', fix: "take 'hash'" })
  }
  return problems
}

const nested: ReadonlySet<string> = new Set(['ARRAY', 'MAP', 'ROW'])
const scores: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'FLOAT', 'DOUBLE'])

function optionProblems({ merge, connectorOptions }: PlannedTable): readonly Problem[] {
  const problems: Problem[] = []
  if (merge.deletedAt !== undefined && merge.deletedAt < merge.declaredCount) {
    problems.push({
      subject: 'sink.tombstone.column',
      message: 'names a column of the table, and nothing writes it: a tombstone expires by itself',
      fix: 'take it out',
    })
  }
  if (
    connectorOptions['row.ttl'] !== 0 &&
    (formatOf({ connectorOptions }) === 'sorted-set' || merge.key.length === 0)
  ) {
    problems.push({
      subject: 'row.ttl',
      message: 'cannot be kept: members of a sorted set and entries of a stream do not expire',
      fix: 'take it out',
    })
  }
  return problems
}
