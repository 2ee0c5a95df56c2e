import { type Coercion, createCoercion } from './coerce.ts'
import type { Row, RowObject } from './row.ts'
import type { RowKind } from './row-kind.ts'
import type { Schema } from './schema.ts'
import type { ValueEncoding } from './value-encoding.ts'
import { ValueFault } from './value-fault.ts'

export interface RowReader {
  /**
   * The row of an object in canonical values; absent columns stay undefined. Members that are no column of the table are
   * told to `noteUndeclared`. Throws `ValueFault`, whose reason names every column that cannot take its value.
   */
  read(object: RowObject, noteUndeclared?: (name: string) => void): Row
}

/** Cheap to ask for again: what depends on the encoding is kept by schema and encoding object. */
export function createRowReader(schema: Schema, encoding: ValueEncoding = plainEncoding): RowReader {
  const byEncoding = getOrAdd(readers, schema, () => new WeakMap<ValueEncoding, RowReader>())
  return getOrAdd(byEncoding, encoding, () => buildReader(schema, encoding))
}

/**
 * How much of the row there is: every column (`full`), only those of the primary key (`key`), or something else. A `-D`
 * whose columns outside the key are all null or absent tells only the key (so Debezium, Flink and MySQL write it): its
 * nulls are no values, and are made absent in `row`.
 */
export function imageOf(schema: Schema, row: Row, kind?: RowKind): 'full' | 'partial' | 'key' {
  const isKey = holdsKey(schema, row)
  if (kind === '-D' && isKey && dropPlaceholders(schema, row)) return 'key'
  let present = 0
  for (let index = 0; index < row.length; index++) if (row[index] !== undefined) present++
  if (present === schema.columns.length) return 'full'
  return isKey && present === schema.primaryKey.length ? 'key' : 'partial'
}

const plainEncoding: ValueEncoding = {}
const readers = new WeakMap<Schema, WeakMap<ValueEncoding, RowReader>>()

interface ColumnReader {
  readonly name: string
  /** `Object.prototype` has a member of this name, so only an own one counts. */
  readonly inherited: boolean
  readonly coerce: Coercion
}

function buildReader(schema: Schema, encoding: ValueEncoding): RowReader {
  const columns: readonly ColumnReader[] = schema.columns.map(({ name, type }) => ({
    name,
    inherited: name in Object.prototype,
    coerce: createCoercion(type, encoding),
  }))
  return {
    read(object, noteUndeclared) {
      const row: Row = new Array(columns.length)
      let found = 0
      for (let index = 0; index < columns.length; index++) {
        const { name, inherited, coerce } = columns[index] as ColumnReader
        const raw = inherited && !Object.hasOwn(object, name) ? undefined : object[name]
        if (raw !== undefined) found++
        try {
          row[index] = raw === undefined || raw === null ? raw : coerce(raw)
        } catch (error) {
          throw error instanceof ValueFault ? rowFault(columns, object) : error
        }
      }
      if (noteUndeclared !== undefined && Object.keys(object).length !== found) {
        for (const name of Object.keys(object)) if (!schema.positions.has(name)) noteUndeclared(name)
      }
      return row
    },
  }
}

/** One fault for all the columns of the row that cannot take their values. */
function rowFault(columns: readonly ColumnReader[], object: RowObject): ValueFault {
  const reasons: string[] = []
  for (const { name, coerce } of columns) {
    const raw = Object.hasOwn(object, name) ? object[name] : undefined
    if (raw === undefined || raw === null) continue
    try {
      coerce(raw)
    } catch (error) {
      if (!(error instanceof ValueFault)) throw error
      reasons.push(`column ${name} ${error.reason}`)
    }
  }
  return new ValueFault(reasons.join('; '))
}

function holdsKey(schema: Schema, row: Row): boolean {
  const { primaryKey } = schema
  if (primaryKey.length === 0) return false
  for (const position of primaryKey) if (row[position] === undefined || row[position] === null) return false
  return true
}

function dropPlaceholders(schema: Schema, row: Row): boolean {
  const { primaryKey } = schema
  if (primaryKey.length === row.length) return false
  for (let index = 0; index < row.length; index++) {
    if (row[index] !== null && row[index] !== undefined && !primaryKey.includes(index)) return false
  }
  for (let index = 0; index < row.length; index++) if (row[index] === null) row[index] = undefined
  return true
}

function getOrAdd<K extends object, V>(map: WeakMap<K, V>, key: K, create: () => V): V {
  let value = map.get(key)
  if (value === undefined) {
    value = create()
    map.set(key, value)
  }
  return value
}
