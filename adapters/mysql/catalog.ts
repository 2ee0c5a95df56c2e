import type { QualifiedName } from './identifier.ts'
import type { Cell, Session } from './session.ts'

/** A table as the information schema tells. */
export interface CatalogTable {
  /** `database.name`, as the server spells them. */
  readonly id: string
  readonly engine: string
  readonly columns: readonly CatalogColumn[]
  readonly indexes: readonly CatalogIndex[]
  /** Ids of the tables that its foreign keys point at. */
  readonly references: readonly string[]
}

export interface CatalogColumn {
  readonly name: string
  /** E.g. `varchar`, `bigint`, `datetime`. */
  readonly dataType: string
  /** E.g. `bigint(20) unsigned`. */
  readonly columnType: string
  readonly notNull: boolean
  /** Gets a value by itself: by a default, AUTO_INCREMENT or an expression. */
  readonly hasDefault: boolean
  readonly isGenerated: boolean
  /** Of a text column, in characters and in bytes. */
  readonly characterLength: number | undefined
  readonly byteLength: number | undefined
  readonly charset: string | undefined
  readonly collation: string | undefined
  readonly precision: number | undefined
  readonly scale: number | undefined
  /** Digits of a second. */
  readonly secondDigits: number | undefined
}

export interface CatalogIndex {
  readonly name: string
  readonly isUnique: boolean
  readonly columns: readonly string[]
}

/** Undefined: there is no such table, or it is not to be seen. */
export async function readCatalog(
  session: Session,
  { database, name }: QualifiedName,
): Promise<CatalogTable | undefined> {
  const values = database === undefined ? [name] : [database, name]
  const where = `table_schema = ${database === undefined ? 'DATABASE()' : '?'} AND table_name = ?`
  const tables = await session.run({
    text: `SELECT CONCAT(table_schema, '.', table_name), engine FROM information_schema.tables WHERE ${where}`,
    values,
  })
  const [id, engine] = tables.rows[0] ?? []
  if (id === undefined || id === null) return undefined
  const columns = await session.run({
    text: `SELECT ${columnFields} FROM information_schema.columns WHERE ${where} ORDER BY ordinal_position`,
    values,
  })
  const indexes = await session.run({
    text: `SELECT ${indexFields} FROM information_schema.statistics WHERE ${where} ORDER BY index_name, seq_in_index`,
    values,
  })
  const references = await session.run({
    text: `SELECT DISTINCT CONCAT(referenced_table_schema, '.', referenced_table_name) FROM information_schema.key_column_usage WHERE ${where} AND referenced_table_name IS NOT NULL`,
    values,
  })
  return {
    id: String(id),
    engine: String(engine ?? 'view'),
    columns: columns.rows.map(columnOf),
    indexes: indexesOf(indexes.rows),
    references: references.rows.map(([other]) => String(other)),
  }
}

const columnFields = [
  'column_name',
  'data_type',
  'column_type',
  "is_nullable = 'NO'",
  'column_default IS NOT NULL',
  'extra',
  'character_set_name',
  'collation_name',
  'numeric_precision',
  'numeric_scale',
  'datetime_precision',
  'character_maximum_length',
  'character_octet_length',
].join(', ')

const indexFields = 'index_name, non_unique = 0, column_name'

function columnOf(cells: readonly Cell[]): CatalogColumn {
  const [
    name,
    dataType,
    columnType,
    notNull,
    hasDefault,
    extra,
    charset,
    collation,
    precision,
    scale,
    digits,
    characters,
    bytes,
  ] = cells
  const beside = String(extra ?? '').toLowerCase()
  return {
    name: String(name),
    dataType: String(dataType).toLowerCase(),
    columnType: String(columnType).toLowerCase(),
    notNull: Number(notNull) === 1,
    hasDefault: Number(hasDefault) === 1 || beside.includes('auto_increment') || beside.includes('default_generated'),
    isGenerated:
      / generated|^generated|virtual|stored|persistent/.test(` ${beside}`) && !beside.includes('default_generated'),
    characterLength: numberOf(characters),
    byteLength: numberOf(bytes),
    charset: textOf(charset),
    collation: textOf(collation),
    precision: numberOf(precision),
    scale: numberOf(scale),
    secondDigits: numberOf(digits),
  }
}

function numberOf(cell: Cell | undefined): number | undefined {
  return cell === null || cell === undefined ? undefined : Number(cell)
}

function textOf(cell: Cell | undefined): string | undefined {
  return cell === null || cell === undefined ? undefined : String(cell)
}

function indexesOf(rows: readonly (readonly Cell[])[]): readonly CatalogIndex[] {
  const byName = new Map<string, { isUnique: boolean; columns: string[] }>()
  for (const [name, isUnique, column] of rows) {
    const index = byName.get(String(name)) ?? { isUnique: Number(isUnique) === 1, columns: [] }
    index.columns.push(String(column))
    byName.set(String(name), index)
  }
  return [...byName].map(([name, index]) => ({ name, ...index }))
}
