import { partitionNote } from '../ddl/build-table.ts'
import { DdlFault } from '../ddl/ddl-fault.ts'
import { readOrFault } from '../ddl/read-sql.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import { type Problem, problemsError, TidegateError } from '../errors.ts'
import { type OptionInput, optionText } from '../options/option.ts'
import type { Given, OptionTable } from '../options/option-table.ts'
import type { SharedOptions } from '../options/shared-options.ts'
import { type Column, createSchema, type Schema } from '../row/schema.ts'
import type { ColumnTypeText } from './column-type-text.ts'

/** A table as an object: the same as a CREATE TABLE, checked by the editor. */
export interface TableInput<Columns extends ColumnsInput, With> {
  /** May have catalog and database in front: `db.orders`. */
  readonly name: string
  /** Type by column name, in the order of the columns. */
  readonly columns: Columns
  /** In the order of a PRIMARY KEY clause. */
  readonly primaryKey?: readonly (keyof Columns & string)[] | undefined
  readonly partitionedBy?: readonly (keyof Columns & string)[] | undefined
  readonly comment?: string | undefined
  /** What `INSERT … ON CONFLICT DO` would say. */
  readonly onConflict?: TableDefinition['onConflict']
  /** The WITH clause. */
  readonly with: With
}

export type ColumnsInput = Readonly<Record<string, ColumnTypeText>>

/** The WITH clause for a connector with the option table `Own`; its name need not be repeated. */
export type ConnectorWith<Own extends OptionTable> = Given<Omit<SharedOptions, 'connector' | keyof Own> & Own> & {
  readonly connector?: string | undefined
}

/** The WITH clause where the connector is only named: the shared options are checked, other names are left to run time. */
export type NamedConnectorWith = Given<SharedOptions> & { readonly [name: string]: OptionInput | undefined }

/**
 * A table as an object. With the connector, wrong option names and wrong units do not compile. Types, key and names are
 * checked at once; what is wrong comes in one error (`SCHEMA_INVALID`).
 */
export function defineTable<const Columns extends ColumnsInput, Own extends OptionTable>(
  table: TableInput<Columns, ConnectorWith<Own>>,
  connector: { readonly name: string; readonly options: Own },
): TableDefinition
export function defineTable<const Columns extends ColumnsInput>(
  table: TableInput<Columns, NamedConnectorWith>,
): TableDefinition
export function defineTable(
  table: TableInput<ColumnsInput, Readonly<Record<string, OptionInput | undefined>>>,
  connector?: { readonly name: string },
): TableDefinition {
  const problems: Problem[] = []
  const columns = Object.entries(table.columns).flatMap(([name, text]) => columnOf(name, text, problems))
  for (const name of table.partitionedBy ?? []) {
    if (Object.hasOwn(table.columns, name)) continue
    problems.push({ subject: name, message: 'is in partitionedBy but is no column of the table' })
  }
  const options = optionTexts({ ...(connector && { connector: connector.name }), ...table.with }, problems)
  const schema = schemaOf(columns, table, problems)
  if (schema === undefined || problems.length > 0) {
    const title = `the table ${table.name} cannot be used:`
    throw problemsError(title, problems, { code: 'SCHEMA_INVALID', table: table.name })
  }
  const path = table.name.split('.')
  return {
    name: path.at(-1) ?? table.name,
    path,
    schema,
    notWritten: [],
    notes: table.partitionedBy === undefined ? [] : [partitionNote],
    partitionedBy: table.partitionedBy ?? [],
    comment: table.comment,
    options,
    onConflict: table.onConflict,
    settings: {},
  }
}

/** Columns whose type is wrong are columns all the same, for the key to name. */
function schemaOf(
  columns: readonly Column[],
  { columns: named, primaryKey = [] }: TableInput<ColumnsInput, unknown>,
  problems: Problem[],
): Schema | undefined {
  const known = new Map(columns.map((column) => [column.name, column]))
  const all = Object.keys(named).map(
    (name) => known.get(name) ?? ({ name, type: { name: 'INT' }, nullable: true } as const),
  )
  try {
    return createSchema(all, primaryKey)
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    problems.push(...error.problems)
    return undefined
  }
}

function columnOf(name: string, text: string, problems: Problem[]): Column[] {
  const read = readOrFault(text, (parser) => parser.loneType())
  if (!(read instanceof DdlFault)) return [{ name, type: read.type, nullable: read.nullable }]
  problems.push({ subject: `column ${name}`, message: `the type '${text}': ${read.message}`, fix: read.fields.hint })
  return []
}

/** Lists become text, as DDL would hold them; a member with a comma in it could not be told from two. */
function optionTexts(
  given: Readonly<Record<string, OptionInput | undefined>>,
  problems: Problem[],
): Readonly<Record<string, string>> {
  const options: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined) continue
    if (typeof value === 'object' && value.some((member) => member.includes(','))) {
      problems.push({ subject: name, message: 'a member of the list has a comma in it' })
    }
    options[name] = optionText(value)
  }
  return options
}
