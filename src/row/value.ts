import Big from 'big.js'
import { unreachable } from '../assert.ts'
import type { DataType } from './data-type.ts'

/**
 * Canonical value of each type. Two equal values of one type are always written the same way, so a canonical scalar can
 * be compared, hashed and sent without looking at the type again.
 *
 * | type | canonical value |
 * |---|---|
 * | BOOLEAN | boolean |
 * | TINYINT, SMALLINT, INT | number, whole |
 * | BIGINT | bigint |
 * | FLOAT | the double nearest to the shortest decimal (of 6 digits or more) that makes the float, so that 0.1 is 0.1 |
 * | FLOAT, DOUBLE | number; NaN and the infinities are values, -0 is 0 |
 * | DECIMAL(p,s) | text with exactly s digits after the point, no plus, no leading zeros, no `-0` |
 * | CHAR, VARCHAR, STRING | string |
 * | BINARY, VARBINARY, BYTES | Uint8Array |
 * | DATE | `YYYY-MM-DD`, year beyond 9999 or before 0 as `+YYYYYY-MM-DD`, `-YYYYYY-MM-DD` (ISO 8601) |
 * | TIME(p) | `HH:MM:SS[.f…]` with exactly p digits |
 * | TIMESTAMP(p) | `YYYY-MM-DDTHH:MM:SS[.f…]` with exactly p digits |
 * | TIMESTAMP_LTZ(p) | the same in UTC with `Z` |
 * | ARRAY | array of canonical values or null |
 * | MAP | `Map` of canonical key to canonical value or null, in ascending order of the keys |
 * | ROW | array of field values or null, in the order of the fields |
 * | JSON | compact JSON text, members in the order in which they came |
 * | UUID | lower-case text with hyphens |
 */
export type Value =
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly (Value | null)[]
  | ReadonlyMap<Value, Value | null>

/**
 * Order of two canonical values of one type: negative, 0 or positive. Text compares by code point (rule G7), NaN is above
 * every number (as PostgreSQL orders it), false is below true.
 */
export function compareValues(type: DataType, a: Value, b: Value): number {
  switch (type.name) {
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return (a as bigint) < (b as bigint) ? -1 : (a as bigint) > (b as bigint) ? 1 : 0
    case 'FLOAT':
    case 'DOUBLE':
      return compareFloats(a as number, b as number)
    case 'DECIMAL':
      return compareDecimals(a as string, b as string)
    case 'CHAR':
    case 'VARCHAR':
    case 'JSON':
    case 'UUID':
      return compareCodePoints(a as string, b as string)
    case 'BINARY':
    case 'VARBINARY':
      return Buffer.compare(a as Uint8Array, b as Uint8Array)
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return compareDates(a as string, b as string)
    case 'TIME':
      return a < b ? -1 : a > b ? 1 : 0
    case 'ARRAY':
      return compareLists(a as readonly (Value | null)[], b as readonly (Value | null)[], () => type.element)
    case 'ROW':
      return compareLists(
        a as readonly (Value | null)[],
        b as readonly (Value | null)[],
        (index) => (type.fields[index] as { type: DataType }).type,
      )
    case 'MAP':
      return compareMaps(type, a as ReadonlyMap<Value, Value | null>, b as ReadonlyMap<Value, Value | null>)
    default:
      return unreachable(type)
  }
}

/** As `compareValues`, with null below every value (the order of sequences, as in Paimon). */
export function compareNullable(type: DataType, a: Value | null | undefined, b: Value | null | undefined): number {
  if (a === undefined || a === null) return b === undefined || b === null ? 0 : -1
  if (b === undefined || b === null) return 1
  return compareValues(type, a, b)
}

export function equalValues(type: DataType, a: Value | null, b: Value | null): boolean {
  if (a === b) return true
  if (a === null || b === null) return false
  return compareValues(type, a, b) === 0
}

function compareFloats(a: number, b: number): number {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : 1
  if (Number.isNaN(b)) return -1
  return a < b ? -1 : a > b ? 1 : 0
}

function compareDecimals(a: string, b: string): number {
  if (a === b) return 0
  const negative = a.charCodeAt(0) === 45
  if (negative !== (b.charCodeAt(0) === 45)) return negative ? -1 : 1
  // canonical text of one scale: longer is larger, and equal lengths compare digit by digit
  if (pointOf(a) === pointOf(b)) {
    const larger = a.length === b.length ? a > b : a.length > b.length
    return larger !== negative ? 1 : -1
  }
  return Big(a).cmp(Big(b))
}

/** Digits after the point. */
function pointOf(text: string): number {
  const point = text.indexOf('.')
  return point < 0 ? 0 : text.length - point
}

/** UTF-16 order differs from code point order only where a surrogate meets a unit above the surrogates. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  let index = 0
  while (index < length && a.charCodeAt(index) === b.charCodeAt(index)) index++
  if (index === length) return a.length - b.length
  const x = a.charCodeAt(index)
  const y = b.charCodeAt(index)
  const xSurrogate = x >= 0xd800 && x <= 0xdfff
  const ySurrogate = y >= 0xd800 && y <= 0xdfff
  if (xSurrogate !== ySurrogate) return xSurrogate ? (y > 0xdfff ? 1 : x - y) : x > 0xdfff ? -1 : x - y
  return x - y
}

function compareDates(a: string, b: string): number {
  if (a === b) return 0
  const x = yearSign(a)
  const y = yearSign(b)
  if (x === 0 && y === 0) return a < b ? -1 : 1
  if (x !== y) return x - y
  // both beyond four digits on the same side: longer years are farther out, then digits decide
  const [p, q] = [yearOf(a), yearOf(b)]
  if (p !== q) return p < q ? -1 : 1
  const [restA, restB] = [a.slice(a.indexOf('-', 1)), b.slice(b.indexOf('-', 1))]
  return restA < restB ? -1 : restA > restB ? 1 : 0
}

/** -1 before year 0, 1 beyond 9999, else 0. */
function yearSign(text: string): number {
  const first = text.charCodeAt(0)
  return first === 45 ? -1 : first === 43 ? 1 : 0
}

function yearOf(text: string): number {
  return Number(text.slice(0, text.indexOf('-', 1)))
}

function compareLists(
  a: readonly (Value | null)[],
  b: readonly (Value | null)[],
  typeOf: (index: number) => DataType,
): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const order = compareNullable(typeOf(index), a[index], b[index])
    if (order !== 0) return order
  }
  return a.length - b.length
}

function compareMaps(
  type: DataType & { name: 'MAP' },
  a: ReadonlyMap<Value, Value | null>,
  b: ReadonlyMap<Value, Value | null>,
): number {
  const [left, right] = [[...a], [...b]]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [[keyA, valueA], [keyB, valueB]] = [left[index], right[index]] as [
      [Value, Value | null],
      [Value, Value | null],
    ]
    const order = compareValues(type.key, keyA, keyB) || compareNullable(type.value, valueA, valueB)
    if (order !== 0) return order
  }
  return left.length - right.length
}

/** About how many bytes a value holds in memory; feeds `sink.buffer-flush.max-bytes` and `sink.buffer.max-bytes`. */
export function valueSize(value: Value | null | undefined): number {
  switch (typeof value) {
    case 'string':
      return 16 + value.length
    case 'number':
    case 'boolean':
    case 'undefined':
      return 8
    case 'bigint':
      return 24
    default:
      if (value === null) return 8
      if (value instanceof Uint8Array) return 64 + value.byteLength
      if (value instanceof Map) {
        let size = 64
        for (const [key, member] of value) size += 32 + valueSize(key) + valueSize(member)
        return size
      }
      return (value as readonly (Value | null)[]).reduce<number>((size, member) => size + valueSize(member), 32)
  }
}
