import { must } from '../assert.ts'
import { parseScript } from '../ddl/parse-script.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'

/** The DDL of a table of the suite. `columns` is what stands between the parentheses of CREATE TABLE. */
export function tableDdl(name: string, columns: string, options: Readonly<Record<string, string>>): string {
  const lines = Object.entries(options).map(([option, value]) => `  ${quoted(option)} = ${quoted(value)}`)
  return `CREATE TABLE \`${name.replaceAll('`', '``')}\` (\n  ${columns}\n) WITH (\n${lines.join(',\n')}\n)`
}

/** The table that a DDL declares. */
export function declaredTable(ddl: string): TableDefinition {
  return must(parseScript(ddl).tables[0], 'the DDL declares a table')
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
