import Big from 'big.js'
import { unreachable } from '../assert.ts'
import { parseArrayLiteral } from './array-literal.ts'
import { type DataType, integerRange } from './data-type.ts'
import { isDecimalText, toDecimalText, unscaledDecimalText } from './decimal-text.ts'
import { losslessDigits, parseExact } from './exact-json.ts'
import { compactJsonText, toJsonText } from './json-text.ts'
import {
  dateFromEpochDays,
  timeFromMidnight,
  timestampFromEpoch,
  toDateText,
  toTimestampText,
  toTimeText,
  unitByPrecision,
} from './temporal-text.ts'
import { compareValues, type Value } from './value.ts'
import type { TimeUnit, ValueEncoding } from './value-encoding.ts'
import { ValueFault } from './value-fault.ts'

/** Makes the canonical value (see `value.ts`) of a raw one that is neither null nor undefined; throws `ValueFault`. */
export type Coercion = (raw: unknown) => Value

type BytesForm = 'base64' | 'base64-url' | 'hex' | 'postgres'

/**
 * How values of `type` are read. Nothing is rounded, wrapped or guessed: what the type cannot hold exactly is refused,
 * save the digits of a second beyond the declared precision, which are cut (as Flink's cast does), and the nature of
 * FLOAT and DOUBLE. The declared length of text and bytes is not looked at here (`enforceLength`).
 */
export function createCoercion(type: DataType, encoding: ValueEncoding = {}): Coercion {
  switch (type.name) {
    case 'BOOLEAN':
      return toBoolean
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
      return integerCoercion(type.name)
    case 'BIGINT':
      return toBigint
    case 'FLOAT':
      return toFloat
    case 'DOUBLE':
      return toDouble
    case 'DECIMAL':
      return decimalCoercion(type.precision, type.scale, encoding.decimal ?? 'text')
    case 'CHAR':
    case 'VARCHAR':
      return toText
    case 'BINARY':
    case 'VARBINARY':
      return bytesCoercion(encoding.bytes ?? 'base64')
    case 'DATE':
      return dateCoercion(encoding.date === 'days')
    case 'TIME':
      return timeCoercion(type.precision, unitOf(encoding.time, type.precision))
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return timestampCoercion(
        type.precision,
        type.name === 'TIMESTAMP_LTZ',
        unitOf(encoding.timestamp, type.precision),
      )
    case 'ARRAY':
      return arrayCoercion(createCoercion(type.element, encoding))
    case 'MAP':
      return mapCoercion(type, encoding)
    case 'ROW':
      return rowCoercion(type, encoding)
    case 'JSON':
      return toJson
    case 'UUID':
      return toUuid
    default:
      return unreachable(type)
  }
}

const unsafeNumber = 'is a number above 2^53, whose last digits may be lost already; send a bigint or text'

function toBoolean(raw: unknown): Value {
  if (typeof raw === 'boolean') return raw
  const text = typeof raw === 'string' ? raw.toLowerCase() : String(numberOf(raw))
  if (text === 'true' || text === 't' || text === '1') return true
  if (text === 'false' || text === 'f' || text === '0') return false
  throw new ValueFault('is not a boolean')
}

function integerCoercion(name: 'TINYINT' | 'SMALLINT' | 'INT'): Coercion {
  const [low, high] = integerRange[name].map(Number) as [number, number]
  return (raw) => {
    const value = typeof raw === 'number' && Number.isInteger(raw) ? raw : Number(wholeNumber(raw))
    if (value < low || value > high) throw new ValueFault(`is out of the range of ${name}`)
    return value === 0 ? 0 : value
  }
}

function toBigint(raw: unknown): Value {
  const value = typeof raw === 'bigint' ? raw : wholeNumber(raw)
  if (BigInt.asIntN(64, value) !== value) throw new ValueFault('is out of the range of BIGINT')
  return value
}

function wholeNumber(raw: unknown): bigint {
  if (typeof raw === 'boolean') return raw ? 1n : 0n
  const value = numberOf(raw)
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return BigInt(value)
    throw new ValueFault(Number.isInteger(value) ? unsafeNumber : 'is not a whole number')
  }
  const text = value.trim()
  if (/^[+-]?\d{1,40}$/.test(text)) return BigInt(text.charCodeAt(0) === 43 ? text.slice(1) : text)
  if (!isDecimalText(text)) throw new ValueFault('is not a whole number')
  return BigInt(toDecimalText(text, 40, 0))
}

/** Text that might be a number, a number or a bigint; anything else is refused. */
function numberOf(raw: unknown): number | bigint | string {
  if (typeof raw === 'number' || typeof raw === 'bigint' || typeof raw === 'string') return raw
  const digits = raw instanceof Big ? raw.toFixed() : losslessDigits(raw)
  if (digits === undefined) throw new ValueFault(`is ${kindOf(raw)}, not a number`)
  return digits
}

function toDouble(raw: unknown): Value {
  const value = typeof raw === 'number' ? raw : parseFloating(raw)
  return value === 0 ? 0 : value
}

/** The double nearest to the shortest decimal that makes the float, so that 0.1 stays 0.1 and every float has one form. */
function toFloat(raw: unknown): Value {
  const value = typeof raw === 'number' ? raw : parseFloating(raw)
  const single = Math.fround(value)
  if (single === 0) return 0
  if (Number.isInteger(single) && Math.abs(single) <= 2 ** 24) return single
  if (!Number.isFinite(single)) {
    if (Number.isFinite(value)) throw new ValueFault('is out of the range of FLOAT')
    return single
  }
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(single.toPrecision(digits))
    if (Math.fround(short) === single) return short
  }
  return Number(single.toPrecision(9))
}

const namedFloats = new Map([
  ['nan', Number.NaN],
  ['inf', Number.POSITIVE_INFINITY],
  ['+inf', Number.POSITIVE_INFINITY],
  ['-inf', Number.NEGATIVE_INFINITY],
  ['infinity', Number.POSITIVE_INFINITY],
  ['+infinity', Number.POSITIVE_INFINITY],
  ['-infinity', Number.NEGATIVE_INFINITY],
])

function parseFloating(raw: unknown): number {
  const value = numberOf(raw)
  if (typeof value !== 'string') return Number(value)
  if (!isDecimalText(value)) {
    const named = namedFloats.get(value.trim().toLowerCase())
    if (named === undefined) throw new ValueFault('is not a number')
    return named
  }
  const parsed = Number(value)
  if (!Number.isFinite(parsed)) throw new ValueFault('is out of the range of DOUBLE')
  return parsed
}

function decimalCoercion(precision: number, scale: number, textForm: 'text' | 'base64' | 'either'): Coercion {
  return (raw) => {
    if (typeof raw === 'string') return toDecimalText(decimalOfText(raw, scale, textForm), precision, scale)
    if (typeof raw === 'number') {
      if (!Number.isFinite(raw)) throw new ValueFault('is no number that a DECIMAL holds')
      if (Math.abs(raw) > Number.MAX_SAFE_INTEGER) throw new ValueFault(unsafeNumber)
      return toDecimalText(String(raw), precision, scale)
    }
    const parts = variableScale(raw)
    if (parts !== undefined) return toDecimalText(unscaledDecimalText(parts.value, parts.scale), precision, scale)
    return toDecimalText(String(numberOf(raw)), precision, scale)
  }
}

function decimalOfText(text: string, scale: number, form: 'text' | 'base64' | 'either'): string {
  if (form === 'text') return text
  const couldBeBase64 = isBase64(text)
  if (form === 'either') {
    if (!couldBeBase64) return text
    if (isDecimalText(text)) {
      throw new ValueFault('could be plain digits or Base64; say which (debezium-json.decimal.handling.mode)')
    }
  }
  if (!couldBeBase64) throw new ValueFault('is not the Base64 of a decimal; is decimal.handling.mode string or double?')
  return unscaledDecimalText(text, scale)
}

/** Debezium's VariableScaleDecimal: a decimal that brings its own scale. */
function variableScale(raw: unknown): { scale: number; value: string } | undefined {
  if (typeof raw !== 'object' || raw === null || !('scale' in raw && 'value' in raw)) return undefined
  const { scale, value } = raw
  if (!Number.isInteger(scale) || Math.abs(scale as number) > 10_000) return undefined
  return typeof value === 'string' && isBase64(value) ? { scale: scale as number, value } : undefined
}

function toText(raw: unknown): Value {
  switch (typeof raw) {
    case 'string':
      return raw
    case 'number':
      if (Number.isInteger(raw) && !Number.isSafeInteger(raw)) throw new ValueFault(unsafeNumber)
      return String(raw)
    case 'bigint':
    case 'boolean':
      return String(raw)
    case 'object':
      return textOfObject(raw)
    default:
      throw new ValueFault(`is ${kindOf(raw)}, not text`)
  }
}

/** As Flink's json format does: a nested value in a text column is its JSON text. */
function textOfObject(raw: object | null): string {
  if (raw instanceof Uint8Array) throw new ValueFault('is bytes, not text')
  if (raw instanceof Date) return instantOf(raw)
  if (raw instanceof Big) return raw.toFixed()
  return temporalText(raw) ?? losslessDigits(raw) ?? toJsonText(raw)
}

function bytesCoercion(form: BytesForm): Coercion {
  return (raw) => {
    if (raw instanceof Uint8Array) return raw
    if (typeof raw === 'string') return bytesOfText(raw, form)
    if (raw instanceof ArrayBuffer) return new Uint8Array(raw)
    const base64 = memberOf(raw, '$base64')
    if (typeof base64 === 'string') return bytesOfText(base64, 'base64')
    const data = memberOf(raw, 'type') === 'Buffer' ? memberOf(raw, 'data') : undefined
    if (Array.isArray(data)) return Buffer.from(data)
    throw new ValueFault(`is ${kindOf(raw)}, not bytes`)
  }
}

function bytesOfText(text: string, form: BytesForm): Uint8Array {
  switch (form) {
    case 'base64': {
      const joined = /\s/.test(text) ? text.replace(/\s+/g, '') : text
      if (!isBase64(joined)) throw new ValueFault('is not Base64')
      return Buffer.from(joined, 'base64')
    }
    case 'base64-url':
      if (!/^[A-Za-z0-9_-]*={0,2}$/.test(text)) throw new ValueFault('is not Base64 for URLs')
      return Buffer.from(text, 'base64url')
    case 'hex':
      return bytesOfHex(text)
    case 'postgres':
      return text.startsWith('\\x') ? bytesOfHex(text.slice(2)) : bytesOfEscapes(text)
    default:
      return unreachable(form)
  }
}

function bytesOfHex(text: string): Uint8Array {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) throw new ValueFault('is not hexadecimal')
  return Buffer.from(text, 'hex')
}

/** PostgreSQL's older output form: `\\` for a backslash, `\ooo` for a byte that is not printable. */
function bytesOfEscapes(text: string): Uint8Array {
  if (!/^(?:[^\\]|\\\\|\\[0-3][0-7]{2})*$/.test(text)) throw new ValueFault('is not a bytea of PostgreSQL')
  const bytes = text.replace(/\\(\\|[0-7]{3})/g, (_, code: string) =>
    code === '\\' ? '\\' : String.fromCharCode(Number.parseInt(code, 8)),
  )
  return Buffer.from(bytes, 'latin1')
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)
}

function unitOf(unit: TimeUnit | 'by-precision' | undefined, precision: number): TimeUnit | undefined {
  return unit === 'by-precision' ? unitByPrecision(precision) : unit
}

const undeclaredUnit = 'is a number, and its unit is not declared'

/** The count of a time unit in a number, or in digits where a unit is declared. */
function countOf(raw: unknown, unit: unknown): number | bigint | undefined {
  if (typeof raw === 'string') return unit !== undefined && isDigits(raw) ? BigInt(raw) : undefined
  const count = losslessDigits(raw) ?? raw
  if (typeof count !== 'number' && typeof count !== 'bigint' && typeof count !== 'string') return undefined
  if (unit === undefined) throw new ValueFault(undeclaredUnit)
  if (typeof count !== 'string') return count
  if (!isDigits(count)) throw new ValueFault('is not a whole number')
  return BigInt(count)
}

function isDigits(text: string): boolean {
  return /^-?\d{1,30}$/.test(text)
}

function dateCoercion(days: boolean): Coercion {
  return (raw) => {
    const count = countOf(raw, days ? 'days' : undefined)
    return count === undefined ? toDateText(textOrTemporal(raw, 'a date')) : dateFromEpochDays(count)
  }
}

function timeCoercion(precision: number, unit: TimeUnit | undefined): Coercion {
  return (raw) => {
    const count = countOf(raw, unit)
    return count === undefined || unit === undefined
      ? toTimeText(textOrTemporal(raw, 'a time of day'), precision)
      : timeFromMidnight(count, unit, precision)
  }
}

function timestampCoercion(precision: number, zoned: boolean, unit: TimeUnit | undefined): Coercion {
  return (raw) => {
    const count = countOf(raw, unit)
    if (count !== undefined && unit !== undefined) return timestampFromEpoch(count, unit, precision, zoned)
    const text = zoned && raw instanceof Date ? instantOf(raw) : textOrTemporal(raw, 'a timestamp')
    return toTimestampText(text, precision, zoned)
  }
}

function textOrTemporal(raw: unknown, what: string): string {
  if (typeof raw === 'string') return raw
  if (raw instanceof Date) {
    throw new ValueFault('is a Date, which is an instant and not a wall time; send text, or declare TIMESTAMP_LTZ')
  }
  const text = temporalText(raw)
  if (text === undefined) throw new ValueFault(`is ${kindOf(raw)}, not ${what}`)
  return text
}

function instantOf(date: Date): string {
  if (Number.isNaN(date.getTime())) throw new ValueFault('is an invalid Date')
  return date.toISOString()
}

/** ISO text of a Temporal object, whether it comes from the engine or from a polyfill. */
function temporalText(raw: unknown): string | undefined {
  if (typeof raw !== 'object' || raw === null) return undefined
  switch (Object.prototype.toString.call(raw)) {
    case '[object Temporal.Instant]':
    case '[object Temporal.PlainDateTime]':
    case '[object Temporal.PlainDate]':
    case '[object Temporal.PlainTime]':
      return String(raw)
    case '[object Temporal.ZonedDateTime]':
      return String((raw as { toInstant(): unknown }).toInstant())
    default:
      return undefined
  }
}

function arrayCoercion(element: Coercion): Coercion {
  return (raw) => {
    const members = arrayMembers(raw)
    return members.map((member) => (member === null || member === undefined ? null : element(member)))
  }
}

function arrayMembers(raw: unknown): readonly unknown[] {
  if (Array.isArray(raw)) return raw
  if (typeof raw === 'string') return raw.trimStart().startsWith('{') ? parseArrayLiteral(raw) : arrayOfJson(raw)
  if (ArrayBuffer.isView(raw) && !(raw instanceof DataView)) return Array.from(raw as unknown as ArrayLike<unknown>)
  throw new ValueFault(`is ${kindOf(raw)}, not an array`)
}

function arrayOfJson(text: string): readonly unknown[] {
  const value = parseNested(text)
  if (!Array.isArray(value)) throw new ValueFault('is text that is not an array')
  return value
}

function mapCoercion(type: DataType & { name: 'MAP' }, encoding: ValueEncoding): Coercion {
  const keyCoercion = createCoercion(type.key, encoding)
  const memberCoercion = createCoercion(type.value, encoding)
  return (raw) => {
    const entries = mapEntries(typeof raw === 'string' ? parseNested(raw) : raw).map(
      ([key, value]): [Value, Value | null] => {
        if (key === null || key === undefined) throw new ValueFault('has a null key')
        return [keyCoercion(key), value === null || value === undefined ? null : memberCoercion(value)]
      },
    )
    entries.sort(([a], [b]) => compareValues(type.key, a, b))
    // of equal keys the later one stays, also where the key is no primitive and a Map would keep both
    return new Map(
      entries.filter(([key], index) => {
        const next = entries[index + 1]
        return next === undefined || compareValues(type.key, key, next[0]) !== 0
      }),
    )
  }
}

/** From a Map, an object, or pairs as Kafka Connect writes a map whose keys are not text. */
function mapEntries(raw: unknown): [unknown, unknown][] {
  if (raw instanceof Map) return [...raw]
  if (Array.isArray(raw) && raw.every((entry) => Array.isArray(entry) && entry.length === 2)) return raw
  if (isObject(raw)) return Object.entries(raw)
  throw new ValueFault(`is ${kindOf(raw)}, not a map`)
}

function rowCoercion(type: DataType & { name: 'ROW' }, encoding: ValueEncoding): Coercion {
  const fields = type.fields.map((field) => ({ name: field.name, coerce: createCoercion(field.type, encoding) }))
  return (raw) => {
    const value = typeof raw === 'string' ? parseNested(raw) : raw
    if (Array.isArray(value)) {
      if (value.length !== fields.length) throw new ValueFault(`does not have the ${fields.length} fields of its ROW`)
    } else if (!isObject(value)) {
      throw new ValueFault(`is ${kindOf(value)}, not a row`)
    }
    return fields.map(({ name, coerce }, index) => {
      const member = Array.isArray(value) ? value[index] : memberOf(value, name)
      return member === null || member === undefined ? null : coerce(member)
    })
  }
}

/** Nested values in text: JSON with its numbers as they are written. */
function parseNested(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    throw new ValueFault('is text that is not JSON')
  }
}

function toJson(raw: unknown): Value {
  return typeof raw === 'string' ? compactJsonText(raw) : toJsonText(raw)
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

function toUuid(raw: unknown): Value {
  if (typeof raw === 'string') {
    if (uuidPattern.test(raw)) return raw
    const digits = raw
      .trim()
      .replace(/^\{(.*)\}$/, '$1')
      .replaceAll('-', '')
      .toLowerCase()
    if (/^[0-9a-f]{32}$/.test(digits)) return hyphenate(digits)
  } else if (raw instanceof Uint8Array && raw.length === 16) {
    return hyphenate(Buffer.from(raw).toString('hex'))
  }
  throw new ValueFault('is not a UUID')
}

function hyphenate(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function isObject(raw: unknown): raw is object {
  return typeof raw === 'object' && raw !== null && !(raw instanceof Uint8Array) && !(raw instanceof Date)
}

function memberOf(raw: unknown, name: string): unknown {
  if (typeof raw !== 'object' || raw === null || !Object.hasOwn(raw, name)) return undefined
  return (raw as Record<string, unknown>)[name]
}

function kindOf(raw: unknown): string {
  if (raw === null) return 'null'
  if (Array.isArray(raw)) return 'an array'
  if (raw instanceof Date) return 'a Date'
  if (raw instanceof Uint8Array) return 'bytes'
  return typeof raw === 'object' ? 'an object' : `a ${typeof raw}`
}
