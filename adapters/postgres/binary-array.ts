import { daysAndMicros, daysOfDate, microsOfTime, microsSinceEpoch } from '../../src/row/temporal-count.ts'
import { numericRoom, writeNumeric } from './numeric-binary.ts'

/** PostgreSQL types in which values travel; everything else travels as text and is cast in the statement. */
export type WireType = keyof typeof writers

/** A value that can't be sent as what it is. `index`: place among the values; -1 where whoever raises it does not know. */
export class UnsendableValue extends Error {
  override readonly name = 'UnsendableValue'
  readonly index: number
  readonly sqlState: string

  constructor(index: number, sqlState: string, reason: string) {
    super(reason)
    this.index = index
    this.sqlState = sqlState
  }
}

/**
 * One column of a batch as an array parameter in PostgreSQL's binary format (array_recv): no text to format here, none to
 * parse there. Values are canonical; null and undefined become NULL. Throws `UnsendableValue` for a text that PostgreSQL has no
 * way to hold (NUL, lone surrogate) and for a time outside its range.
 */
export function encodeArray(type: WireType, values: readonly unknown[]): Buffer {
  const { oid, size, write } = writers[type]
  let end = 20
  let nulls = 0
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (value === null || value === undefined) {
      reserve(end + 4)
      view.setInt32(end, -1)
      end += 4
      nulls = 1
      continue
    }
    reserve(end + 4 + (typeof size === 'number' ? size : size(value as never)))
    const start = end + 4
    const result = (write as (value: unknown, at: number) => number | Unwritable)(value, start)
    if (typeof result !== 'number') throw new UnsendableValue(index, result.sqlState, result.reason)
    view.setInt32(end, result - start)
    end = result
  }
  view.setInt32(0, values.length === 0 ? 0 : 1)
  view.setInt32(4, nulls)
  view.setInt32(8, oid)
  if (values.length === 0) return Buffer.from(bytes.subarray(0, 12))
  view.setInt32(12, values.length)
  view.setInt32(16, 1)
  return Buffer.from(bytes.subarray(0, end))
}

interface Unwritable {
  readonly sqlState: string
  readonly reason: string
}

interface Writer<Value> {
  /** Object id of the element type; fixed by PostgreSQL's catalog. */
  readonly oid: number
  /** Most bytes that `write` may touch. */
  readonly size: number | ((value: Value) => number)
  /** Writes at a place of the scratch buffer and gives the place after it. */
  readonly write: (value: Value, at: number) => number | Unwritable
}

// encoding is synchronous, so one scratch buffer serves every session
let bytes = Buffer.allocUnsafeSlow(1 << 16)
let view = new DataView(bytes.buffer)

/** Batches above this are rare; their buffer is not kept. */
const keptMax = 1 << 24

function reserve(length: number): void {
  if (length <= bytes.length) return
  const larger = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)))
  larger.set(bytes)
  bytes = larger
  view = new DataView(bytes.buffer)
}

/** Gives memory back after an unusually large batch. */
export function releaseScratch(): void {
  if (bytes.length <= keptMax) return
  bytes = Buffer.allocUnsafeSlow(1 << 16)
  view = new DataView(bytes.buffer)
}

const nulInText: Unwritable = { sqlState: '22021', reason: 'text holds a NUL character, which PostgreSQL cannot store' }
const loneSurrogate: Unwritable = {
  sqlState: '22021',
  reason: 'text holds half a surrogate pair, which is no character',
}
const outOfRange: Unwritable = { sqlState: '22008', reason: 'a date or time is outside the range of PostgreSQL' }

function writeText(text: string, at: number): number | Unwritable {
  const length = text.length
  if (length <= 32) {
    let index = 0
    for (; index < length; index++) {
      const code = text.charCodeAt(index)
      if (code === 0 || code > 127) break
      bytes[at + index] = code
    }
    if (index === length) return at + length
  }
  if (text.includes('\u0000')) return nulInText
  if (loneSurrogatePattern.test(text)) return loneSurrogate
  return at + bytes.write(text, at, 'utf8')
}

/** With the `u` flag a surrogate only matches where it has no partner. */
const loneSurrogatePattern = /[\ud800-\udfff]/u

function textSize(text: string): number {
  return text.length * 3
}

function writeMicros(days: number, micros: number, at: number): number | Unwritable {
  // 4714-11-24 BC to 294276-12-31
  if (days < -2_451_545 || days > 106_751_991 - 10_957) return outOfRange
  if (days > -100_000 && days < 100_000) {
    const total = days * 86_400_000_000 + micros
    const high = Math.floor(total / 4_294_967_296)
    view.setInt32(at, high)
    view.setUint32(at + 4, total - high * 4_294_967_296)
    return at + 8
  }
  view.setBigInt64(at, microsSinceEpoch(days, micros))
  return at + 8
}

function writeTimestamp(text: string, at: number): number | Unwritable {
  const { days, micros } = daysAndMicros(text)
  return writeMicros(days, micros, at)
}

const text: Writer<string> = { oid: 25, size: textSize, write: writeText }
const timestamp: Writer<string> = { oid: 1114, size: 8, write: writeTimestamp }

const writers = {
  bool: {
    oid: 16,
    size: 1,
    write: (value: boolean, at) => {
      bytes[at] = value ? 1 : 0
      return at + 1
    },
  } satisfies Writer<boolean>,
  int2: {
    oid: 21,
    size: 2,
    write: (value: number, at) => {
      view.setInt16(at, value)
      return at + 2
    },
  } satisfies Writer<number>,
  int4: {
    oid: 23,
    size: 4,
    write: (value: number, at) => {
      view.setInt32(at, value)
      return at + 4
    },
  } satisfies Writer<number>,
  int8: {
    oid: 20,
    size: 8,
    write: (value: bigint, at) => {
      view.setBigInt64(at, value)
      return at + 8
    },
  } satisfies Writer<bigint>,
  float4: {
    oid: 700,
    size: 4,
    write: (value: number, at) => {
      view.setFloat32(at, value)
      return at + 4
    },
  } satisfies Writer<number>,
  float8: {
    oid: 701,
    size: 8,
    write: (value: number, at) => {
      view.setFloat64(at, value)
      return at + 8
    },
  } satisfies Writer<number>,
  /** Also takes whole numbers and bigints: sums of integers travel as numeric. */
  numeric: {
    oid: 1700,
    size: (value: string | number | bigint) => numericRoom(String(value).length),
    write: (value: string | number | bigint, at) => writeNumeric(view, at, String(value)),
  } satisfies Writer<string | number | bigint>,
  text,
  json: { ...text, oid: 114 },
  /** A version number before the text. */
  jsonb: {
    oid: 3802,
    size: (value: string) => 1 + textSize(value),
    write: (value: string, at) => {
      bytes[at] = 1
      return writeText(value, at + 1)
    },
  } satisfies Writer<string>,
  bytea: {
    oid: 17,
    size: (value: Uint8Array) => value.length,
    write: (value: Uint8Array, at) => {
      bytes.set(value, at)
      return at + value.length
    },
  } satisfies Writer<Uint8Array>,
  date: {
    oid: 1082,
    size: 4,
    write: (value: string, at) => {
      const days = daysOfDate(value)
      if (days < -2_451_545 || days > 2_145_031_948) return outOfRange
      view.setInt32(at, days)
      return at + 4
    },
  } satisfies Writer<string>,
  time: {
    oid: 1083,
    size: 8,
    write: (value: string, at) => writeMicros(0, microsOfTime(value), at),
  } satisfies Writer<string>,
  timestamp,
  timestamptz: { ...timestamp, oid: 1184 },
  uuid: {
    oid: 2950,
    size: 16,
    write: (value: string, at) => at + bytes.write(value.replaceAll('-', ''), at, 'hex'),
  } satisfies Writer<string>,
}
