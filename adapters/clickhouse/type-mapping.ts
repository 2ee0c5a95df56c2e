import type { TypeMapping } from '../../src/connector/connector.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Value } from '../../src/row/value.ts'
import type { RowBinary } from './row-binary.ts'

export const typeMapping: TypeMapping = { nativeType, keyNormalizer: () => undefined, sequenceFault }

/** The type of a column that holds every value of `type` exactly. Nothing in it is Nullable, save by `Nullable(…)` around it. */
function nativeType(type: DataType): string | undefined {
  switch (type.name) {
    case 'BOOLEAN':
      return 'Bool'
    case 'TINYINT':
      return 'Int8'
    case 'SMALLINT':
      return 'Int16'
    case 'INT':
      return 'Int32'
    case 'BIGINT':
      return 'Int64'
    case 'FLOAT':
      return 'Float32'
    case 'DOUBLE':
      return 'Float64'
    case 'DECIMAL':
      return type.precision <= 76 ? `Decimal(${type.precision}, ${type.scale})` : undefined
    case 'DATE':
      return 'Date32'
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return `DateTime64(${type.precision}, 'UTC')`
    case 'UUID':
      return 'UUID'
    // arrays, maps and tuples of ClickHouse can't be NULL, and TIME has no type in older versions
    case 'TIME':
    case 'CHAR':
    case 'VARCHAR':
    case 'BINARY':
    case 'VARBINARY':
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return 'String'
  }
}

/** Sequences are packed into the integer that a ReplacingMergeTree goes by. */
function sequenceFault(type: DataType): string | undefined {
  if (sequenceBits(type) !== undefined) return undefined
  return `${formatDataType(type)} does not fit into the version of a ReplacingMergeTree, which is an integer`
}

/** How many bits the values of a type need in a version; undefined: they have no order that an integer keeps. */
export function sequenceBits(type: DataType): number | undefined {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'DATE':
      return 32
    case 'BIGINT':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return 64
    case 'DECIMAL':
      return type.precision <= 18 ? 64 : type.precision <= 38 ? 128 : undefined
    default:
      return undefined
  }
}

/** A value that no column can hold; the message does not repeat it. */
export class UnsendableValue extends Error {
  override readonly name = 'UnsendableValue'
}

/** Writes a canonical value; null writes the default of the type. Throws `UnsendableValue`. */
export function writeValue(out: RowBinary, type: DataType, value: Value | null): void {
  switch (type.name) {
    case 'BOOLEAN':
      out.byte(value === true ? 1 : 0)
      return
    case 'TINYINT':
      out.int((value ?? 0) as number, 1)
      return
    case 'SMALLINT':
      out.int((value ?? 0) as number, 2)
      return
    case 'INT':
      out.int((value ?? 0) as number, 4)
      return
    case 'FLOAT':
      out.float((value ?? 0) as number)
      return
    case 'DOUBLE':
      out.double((value ?? 0) as number)
      return
    case 'DATE':
      out.int(value === null ? 0 : Number(toInteger(type, value)), 4)
      return
    case 'BIGINT':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      out.wide(value === null ? 0n : toInteger(type, value), 8)
      return
    case 'DECIMAL':
      writeDecimal(out, type.precision, value === null ? 0n : toInteger(type, value))
      return
    case 'UUID':
      writeUuid(out, (value ?? nilUuid) as string)
      return
    case 'BINARY':
    case 'VARBINARY':
      out.bytes((value ?? new Uint8Array()) as Uint8Array)
      return
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      out.text(value === null ? '' : wellFormed(toJsonText(toJsonValue(type, value))))
      return
    default:
      out.text(wellFormed((value ?? '') as string))
      return
  }
}

/** The integer behind a value that has one: whole numbers, decimals without their point, days, ticks. */
export function toInteger(type: DataType, value: Value): bigint {
  switch (type.name) {
    case 'DATE':
      return BigInt(daysOf(value as string))
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return ticksOf(value as string, type.precision)
    case 'DECIMAL':
      return BigInt((value as string).replace('.', ''))
    default:
      return BigInt(value as number | bigint)
  }
}

/** The column as a text that `textDecoder` reads. */
export function textOf(type: DataType, column: string): string {
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return `base64Encode(${column})`
    case 'TIMESTAMP_LTZ':
      return `concat(toString(${column}), 'Z')`
    default:
      return `toString(${column})`
  }
}

export function textDecoder(type: DataType): Coercion {
  return createCoercion(type)
}

function writeDecimal(out: RowBinary, precision: number, unscaled: bigint): void {
  if (precision <= 9) out.int(Number(unscaled), 4)
  else out.wide(unscaled, precision <= 18 ? 8 : precision <= 38 ? 16 : 32)
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Two integers of 64 bits, the upper half first. */
function writeUuid(out: RowBinary, text: string): void {
  const digits = text.replaceAll('-', '')
  out.wide(BigInt(`0x${digits.slice(0, 16)}`), 8)
  out.wide(BigInt(`0x${digits.slice(16)}`), 8)
}

/** Date32 and DateTime64 hold the years 1900 to 2299, and take others for the nearest of these. */
function withinYears(text: string, last: number): string {
  const year = Number(/^\d{4}/.exec(text)?.[0] ?? Number.NaN)
  if (year >= 1900 && year <= last) return text
  throw new UnsendableValue(`a year is outside of 1900 to ${last}`)
}

function daysOf(text: string): number {
  return Date.parse(`${withinYears(text, 2299)}T00:00:00Z`) / 86_400_000
}

function ticksOf(text: string, precision: number): bigint {
  // nanoseconds in 64 bits end in the year 2262
  const [seconds = '', fraction = ''] = withinYears(text, precision === 9 ? 2261 : 2299)
    .replace('Z', '')
    .split('.')
  return BigInt(Date.parse(`${seconds}Z`) / 1000) * 10n ** BigInt(precision) + BigInt(fraction || '0')
}

function wellFormed(text: string): string {
  if (/[\ud800-\udfff]/u.test(text)) throw new UnsendableValue('a text holds half a surrogate pair')
  return text
}
