import { unreachable } from '../assert.ts'
import type { DataType } from './data-type.ts'
import type { Row } from './row.ts'
import type { Schema } from './schema.ts'
import { compareValues, type Value } from './value.ts'

/** A key as a Map takes it: the value itself for one scalar column, else a collision-free text. */
export type FoldKey = string | number | bigint

/** Turns a key value into what the store holds equal, e.g. text without trailing blanks for PostgreSQL's char(n). */
export type KeyNormalizer = (value: Value) => Value

export interface RowKeyCodec {
  /** Undefined when a key column is null or absent. */
  keyOf(row: Row): FoldKey | undefined
  /** Order of two rows by their key, column by column in the order of the primary key. */
  compare(a: Row, b: Row): number
  /** The same order from the keys alone, where they tell: keys of one scalar column. Cheaper than by rows. */
  readonly compareKeys: ((a: FoldKey, b: FoldKey) => number) | undefined
}

/** `normalizers[i]` belongs to the i-th primary key column; absent means identity. */
export function createRowKeyCodec(
  schema: Schema,
  normalizers: readonly (KeyNormalizer | undefined)[] = [],
): RowKeyCodec {
  const columns = schema.primaryKey.map((position, index) => ({
    position,
    type: (schema.columns[position] as { type: DataType }).type,
    normalize: normalizers[index],
  }))
  const [only] = columns
  const compare = (a: Row, b: Row): number => {
    for (const { position, type } of columns) {
      const order = compareValues(type, a[position] as Value, b[position] as Value)
      if (order !== 0) return order
    }
    return 0
  }
  if (columns.length === 1 && only !== undefined) {
    const { position, type, normalize } = only
    return { keyOf: singleKey(position, type, normalize), compare, compareKeys: keyOrder(type) }
  }
  return {
    compareKeys: undefined,
    keyOf(row) {
      let key = ''
      for (const { position, type, normalize } of columns) {
        const value = row[position]
        if (value === undefined || value === null) return undefined
        const text = keyText(type, normalize === undefined ? value : normalize(value))
        // the length in front keeps ('a','bc') apart from ('ab','c')
        key += `${text.length}:${text}`
      }
      return key
    },
    compare,
  }
}

function singleKey(
  position: number,
  type: DataType,
  normalize: KeyNormalizer | undefined,
): (row: Row) => FoldKey | undefined {
  if (type.name === 'BIGINT' && normalize === undefined) return (row) => integerKey(row[position])
  const direct = isMapKey(type)
  return (row) => {
    const value = row[position]
    if (value === undefined || value === null) return undefined
    const normal = normalize === undefined ? value : normalize(value)
    return direct ? (normal as FoldKey) : keyText(type, normal)
  }
}

function keyOrder(type: DataType): RowKeyCodec['compareKeys'] {
  if (integers.has(type.name)) return (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  return isMapKey(type) ? (a, b) => compareValues(type, a, b) : undefined
}

/** A BIGINT key may be a number or a bigint; the operators compare them by value. */
const integers: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INT', 'BIGINT'])

/** A Map finds small numbers faster than bigints; beyond 2^53 only the bigint is exact, and the two never meet. */
function integerKey(value: Value | null | undefined): FoldKey | undefined {
  if (typeof value !== 'bigint') return undefined
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value
}

/** Canonical values of these types are equal exactly when a Map holds them equal. */
function isMapKey(type: DataType): boolean {
  return type.name !== 'BOOLEAN' && !['BINARY', 'VARBINARY', 'ARRAY', 'MAP', 'ROW'].includes(type.name)
}

/** An injective text of a canonical value. */
export function keyText(type: DataType, value: Value): string {
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return Buffer.from(value as Uint8Array).toString('base64')
    case 'ARRAY':
      return listText((value as readonly (Value | null)[]).map((member) => nullableText(type.element, member)))
    case 'ROW':
      return listText(
        (value as readonly (Value | null)[]).map((member, index) =>
          nullableText((type.fields[index] as { type: DataType }).type, member),
        ),
      )
    case 'MAP':
      return listText(
        [...(value as ReadonlyMap<Value, Value | null>)].flatMap(([key, member]) => [
          keyText(type.key, key),
          nullableText(type.value, member),
        ]),
      )
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
    case 'FLOAT':
    case 'DOUBLE':
    case 'DECIMAL':
    case 'CHAR':
    case 'VARCHAR':
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
    case 'JSON':
    case 'UUID':
      return String(value)
    default:
      return unreachable(type)
  }
}

function nullableText(type: DataType, value: Value | null): string | null {
  return value === null ? null : keyText(type, value)
}

/** Members with their lengths in front; null is written without one, so it never meets a text. */
function listText(members: readonly (string | null)[]): string {
  return `[${members.map((member) => (member === null ? '~' : `${member.length}:${member}`)).join('')}]`
}
