import type { TypeMapping } from '../../src/connector/connector.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import { daysAndMicros, daysOfDate, microsSinceEpoch } from '../../src/row/temporal-count.ts'
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
export type WriteValue = (out: RowBinary, value: Value | null) => void

export function valueWriter(type: DataType): WriteValue {
  switch (type.name) {
    case 'BOOLEAN':
      return (out, value) => out.byte(value === true ? 1 : 0)
    case 'TINYINT':
      return (out, value) => out.int((value ?? 0) as number, 1)
    case 'SMALLINT':
      return (out, value) => out.int((value ?? 0) as number, 2)
    case 'INT':
      return (out, value) => out.int((value ?? 0) as number, 4)
    case 'FLOAT':
      return (out, value) => out.float((value ?? 0) as number)
    case 'DOUBLE':
      return (out, value) => out.double((value ?? 0) as number)
    case 'DATE':
      return (out, value) => out.int(value === null ? 0 : daysOf(value as string), 4)
    case 'BIGINT':
      return (out, value) => out.long((value ?? 0n) as bigint)
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return (out, value) => out.long(value === null ? 0n : ticksOf(value as string, type.precision))
    case 'DECIMAL':
      return (out, value) => writeDecimal(out, type.precision, value === null ? 0n : toInteger(type, value))
    case 'UUID':
      return (out, value) => writeUuid(out, (value ?? nilUuid) as string)
    case 'BINARY':
    case 'VARBINARY':
      return (out, value) => out.bytes((value ?? noBytes) as Uint8Array)
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return (out, value) => out.text(value === null ? '' : wellFormed(toJsonText(toJsonValue(type, value))))
    default:
      return (out, value) => out.text(wellFormed((value ?? '') as string))
  }
}

const noBytes = new Uint8Array()

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
  else if (precision <= 18) out.long(unscaled)
  else out.wide(unscaled, precision <= 38 ? 16 : 32)
}

const nilUuid = '00000000-0000-0000-0000-000000000000'

/** Two integers of 64 bits, the upper half first. */
function writeUuid(out: RowBinary, text: string): void {
  const digits = text.replaceAll('-', '')
  out.long(BigInt(`0x${digits.slice(0, 16)}`))
  out.long(BigInt(`0x${digits.slice(16)}`))
}

/** Date32 and DateTime64 hold the years 1900 to 2299, and take others for the nearest of these. */
function checkYear(text: string, last: number): void {
  // a year of more digits has a sign
  const year = Number.parseInt(text.slice(0, 4), 10)
  if (!(year >= 1900 && year <= last)) throw new UnsendableValue(`a year is outside of 1900 to ${last}`)
}

/** Days from 1970-01-01 to 2000-01-01. */
const daysTo2000 = 10_957

function daysOf(text: string): number {
  checkYear(text, 2299)
  return daysOfDate(text) + daysTo2000
}

function ticksOf(text: string, precision: number): bigint {
  // nanoseconds in 64 bits end in the year 2262
  checkYear(text, precision === 9 ? 2261 : 2299)
  const { days, micros } = daysAndMicros(text)
  const sinceEpoch = microsSinceEpoch(days + daysTo2000, micros)
  if (precision === 6) return sinceEpoch
  if (precision < 6) return sinceEpoch / 10n ** BigInt(6 - precision)
  const beyondMicros = text.slice(text.indexOf('.') + 7).replace('Z', '')
  return sinceEpoch * 10n ** BigInt(precision - 6) + BigInt(beyondMicros)
}

function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw new UnsendableValue('a text holds half a surrogate pair')
  return text
}
