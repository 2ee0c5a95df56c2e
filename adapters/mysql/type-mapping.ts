import type { TypeMapping } from '../../src/connector/connector.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Value } from '../../src/row/value.ts'

export const typeMapping: TypeMapping = { nativeType, keyNormalizer, sequenceFault }

/** Digits of a second that DATETIME and TIME keep. */
const secondDigitsMax = 6
/** Bounds of DECIMAL(p, s). */
const decimalDigitsMax = { precision: 65, scale: 30 }
/** A row holds 65,535 bytes beside its LONGTEXT columns; longer texts go there. */
const inlineLengthMax = 1024

/** Texts compare by code point. Both families have it, in every version; blanks at the end do not count. */
export const textCollation = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

/** The type of a column that holds every value of `type` exactly; undefined if there is none. */
function nativeType(type: DataType): string | undefined {
  switch (type.name) {
    case 'BOOLEAN':
      return 'BOOLEAN'
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return type.name
    // a FLOAT of MySQL prints six digits, and equals no literal
    case 'FLOAT':
    case 'DOUBLE':
      return 'DOUBLE'
    case 'DECIMAL':
      return type.precision <= decimalDigitsMax.precision && type.scale <= decimalDigitsMax.scale
        ? `DECIMAL(${type.precision},${type.scale})`
        : undefined
    case 'CHAR':
    case 'VARCHAR': {
      const length = type.length ?? (type.name === 'CHAR' ? 1 : Number.POSITIVE_INFINITY)
      return `${length <= inlineLengthMax ? `VARCHAR(${length})` : 'LONGTEXT'} ${textCollation}`
    }
    case 'BINARY':
    case 'VARBINARY': {
      const length = type.length ?? (type.name === 'BINARY' ? 1 : Number.POSITIVE_INFINITY)
      return length <= inlineLengthMax ? `VARBINARY(${length})` : 'LONGBLOB'
    }
    case 'DATE':
      return 'DATE'
    case 'TIME':
      return type.precision <= secondDigitsMax ? `TIME(${type.precision})` : undefined
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return type.precision <= secondDigitsMax ? `DATETIME(${type.precision})` : undefined
    // a JSON column of MySQL turns long decimals into doubles
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return `LONGTEXT ${textCollation}`
    case 'UUID':
      return `CHAR(36) ${textCollation}`
  }
}

/** Keys are indexed, so they need a length: an index holds 3,072 bytes, which the text columns of a key share. */
export function keyType(type: DataType, textColumns: number): string | undefined {
  const native = nativeType(type)
  if (native === `LONGTEXT ${textCollation}`) return `VARCHAR(${Math.floor(700 / textColumns)}) ${textCollation}`
  return native === 'LONGBLOB' ? `VARBINARY(${Math.floor(2800 / textColumns)})` : native
}

/** The binary collation that every version has ignores blanks at the end. */
function keyNormalizer(type: DataType): ((value: Value) => Value) | undefined {
  return type.name === 'CHAR' || type.name === 'VARCHAR' ? (value) => (value as string).replace(/ +$/, '') : undefined
}

/** Sequences of types whose order the store lacks are compared by tidegate, under a lock of the row. */
function sequenceFault(type: DataType): string | undefined {
  switch (type.name) {
    case 'JSON':
    case 'MAP':
    case 'ROW':
    case 'ARRAY':
      return `${formatDataType(type)} has no order that the store and tidegate share`
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return type.precision > secondDigitsMax
        ? 'MySQL and MariaDB keep microseconds; nothing finer can order rows'
        : undefined
    default:
      return undefined
  }
}

/** A value that no column of the family can hold; the message does not repeat it. */
export class UnsendableValue extends Error {
  override readonly name = 'UnsendableValue'
}

/** How the values of a column travel: as texts of a JSON document, and back as texts of a result. */
export interface ColumnCodec {
  /** Canonical value to the text that `store` and `compare` read. Throws `UnsendableValue`. */
  encode(value: Value): string
  /** The staged text `expression` as it is assigned to the column. */
  store(expression: string): string
  /** The staged text in the type of the column, for the look-up of keys. */
  compare(expression: string): string
  /** The column as what `decode` reads. */
  select(column: string): string
  readonly decode: Coercion
  /** The store compares the column as tidegate does. */
  readonly isOrdered: boolean
}

export function columnCodec(type: DataType): ColumnCodec {
  const plain = { store: same, decode: createCoercion(type), isOrdered: true }
  const cast = (as: string) => ({
    compare: (expression: string) => `CAST(${expression} AS ${as})`,
    select: (column: string) => `CAST(${column} AS CHAR)`,
  })
  switch (type.name) {
    case 'BOOLEAN':
      return { ...plain, ...cast('SIGNED'), encode: (value) => (value === true ? '1' : '0') }
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return { ...plain, ...cast('SIGNED'), encode: String }
    case 'FLOAT':
    case 'DOUBLE':
      return {
        ...plain,
        encode: floatText,
        compare: (expression) => `(${expression} + 0e0)`,
        // as a number of the binary protocol: a text of MySQL 9 has a digit too few
        select: (column) => `(${column} + 0e0)`,
      }
    case 'DECIMAL':
      return { ...plain, ...cast(`DECIMAL(${type.precision},${type.scale})`), encode: String }
    case 'CHAR':
    case 'VARCHAR':
    case 'UUID':
      return { ...plain, ...text, encode: wellFormed }
    case 'BINARY':
    case 'VARBINARY':
      return {
        ...plain,
        encode: (value) => Buffer.from(value as Uint8Array).toString('base64'),
        store: (expression) => `FROM_BASE64(${expression})`,
        compare: (expression) => `FROM_BASE64(${expression})`,
        select: (column) => `TO_BASE64(${column})`,
        isOrdered: false,
      }
    case 'DATE':
      return { ...plain, ...cast('DATE'), encode: (value) => withinYears(value as string) }
    case 'TIME':
      return { ...plain, ...cast(`TIME(${type.precision})`), encode: String }
    case 'TIMESTAMP':
      return { ...plain, ...cast(`DATETIME(${type.precision})`), encode: (value) => withinYears(value as string) }
    case 'TIMESTAMP_LTZ':
      return {
        ...plain,
        ...cast(`DATETIME(${type.precision})`),
        // neither takes the Z; sessions are set to UTC
        encode: (value) => withinYears((value as string).slice(0, -1)),
        select: (column) => `CONCAT(CAST(${column} AS CHAR), 'Z')`,
      }
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return { ...plain, ...text, encode: (value) => wellFormed(toJsonText(toJsonValue(type, value))) }
    case 'JSON':
      return { ...plain, ...text, encode: wellFormed }
  }
}

/** Blanks at the end, which the collation does not count, make texts no measure of order. */
const text = {
  compare: (expression: string) => `(${expression} COLLATE utf8mb4_bin)`,
  select: same,
  isOrdered: false,
}

function same(expression: string): string {
  return expression
}

function floatText(value: Value): string {
  if (!Number.isFinite(value)) throw new UnsendableValue('NaN and the infinities are no numbers of MySQL and MariaDB')
  return String(value)
}

function wellFormed(value: Value): string {
  const text = value as string
  if (/[\ud800-\udfff]/u.test(text)) throw new UnsendableValue('a text holds half a surrogate pair')
  return text
}

/** Years of four digits; others are written with a sign. */
function withinYears(value: string): string {
  if (/^[+-]/.test(value)) throw new UnsendableValue('a year is beyond 0 to 9999')
  return value
}
