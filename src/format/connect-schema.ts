import { unscaledDecimalText } from '../row/decimal-text.ts'
import { compactJsonText, isJsonText } from '../row/json-text.ts'
import { dateFromEpochDays, timeFromMidnight, timestampFromEpoch } from '../row/temporal-text.ts'
import type { TimeUnit } from '../row/value-encoding.ts'
import { ValueFault } from '../row/value-fault.ts'
import { isJsonObject, type JsonObject, member } from './parse-record.ts'

/**
 * Values of a Kafka Connect struct by the schema that came with it: decimals and times become text, bits a row of 0 and 1,
 * bytes `{"$base64": …}`. What the schema does not name stays as it is. Throws `ValueFault`, naming the column, for a value
 * that its schema does not allow.
 */
export function readConnectStruct(schema: unknown, struct: JsonObject): JsonObject {
  const fields = isJsonObject(schema) ? schema['fields'] : undefined
  if (!Array.isArray(fields)) return struct
  let read: Record<string, unknown> | undefined
  for (const field of fields) {
    if (!isJsonObject(field) || typeof field['field'] !== 'string') continue
    const name = field['field']
    const raw = member(struct, name)
    if (raw === undefined || raw === null) continue
    const value = readField(name, field, raw)
    if (value === raw) continue
    read ??= { ...struct }
    // the copy owns the member already, so this is no setter, even for `__proto__`
    read[name] = value
  }
  return read ?? struct
}

/** The schema of one member of a struct, e.g. of `after` in an envelope. */
export function memberSchema(schema: unknown, name: string): unknown {
  const fields = isJsonObject(schema) ? schema['fields'] : undefined
  if (!Array.isArray(fields)) return undefined
  return fields.find((field) => isJsonObject(field) && field['field'] === name)
}

type ValueReader = (raw: unknown, schema: JsonObject) => unknown

/** Digits of a second in the finest unit; the column's own precision cuts the text later. */
const finest = 9

const namedReaders: ReadonlyMap<unknown, ValueReader> = new Map<unknown, ValueReader>([
  ['org.apache.kafka.connect.data.Decimal', readDecimal],
  ['io.debezium.data.VariableScaleDecimal', readVariableScale],
  ['io.debezium.data.Bits', readBits],
  ['io.debezium.data.Json', readJson],
  ['io.debezium.time.Date', readDays],
  ['org.apache.kafka.connect.data.Date', readDays],
  ['io.debezium.time.Time', readTime('millis')],
  ['org.apache.kafka.connect.data.Time', readTime('millis')],
  ['io.debezium.time.MicroTime', readTime('micros')],
  ['io.debezium.time.NanoTime', readTime('nanos')],
  ['io.debezium.time.Timestamp', readTimestamp('millis')],
  ['org.apache.kafka.connect.data.Timestamp', readTimestamp('millis')],
  ['io.debezium.time.MicroTimestamp', readTimestamp('micros')],
  ['io.debezium.time.NanoTimestamp', readTimestamp('nanos')],
])

function readField(name: string, schema: JsonObject, raw: unknown): unknown {
  try {
    return readValue(schema, raw)
  } catch (error) {
    throw error instanceof ValueFault ? new ValueFault(`column ${name} ${error.reason}`) : error
  }
}

function readValue(schema: JsonObject, raw: unknown): unknown {
  const named = namedReaders.get(schema['name'])
  if (named !== undefined) return named(raw, schema)
  switch (schema['type']) {
    case 'bytes':
      return typeof raw === 'string' ? { $base64: raw } : raw
    case 'array':
      return Array.isArray(raw) ? readItems(schema['items'], raw) : raw
    case 'struct':
      return isJsonObject(raw) ? readConnectStruct(schema, raw) : raw
    default:
      return raw
  }
}

function readItems(items: unknown, raw: readonly unknown[]): unknown {
  if (!isJsonObject(items)) return raw
  return raw.map((value) => (value === null ? null : readValue(items, value)))
}

function readDecimal(raw: unknown, schema: JsonObject): unknown {
  const scale = numberParameter(schema, 'scale')
  return typeof raw === 'string' && isScale(scale) ? unscaledDecimalText(raw, scale) : raw
}

function readVariableScale(raw: unknown): unknown {
  if (!isJsonObject(raw)) return raw
  const { scale, value } = raw
  return typeof value === 'string' && isScale(scale) ? unscaledDecimalText(value, scale) : raw
}

/** Connect writes parameters as text. NaN for what is no number. */
function numberParameter(schema: JsonObject, name: string): number {
  const parameters = schema['parameters']
  const value = isJsonObject(parameters) ? parameters[name] : undefined
  return typeof value === 'string' || typeof value === 'number' ? Number(value) : Number.NaN
}

function isScale(scale: unknown): scale is number {
  return Number.isInteger(scale) && Math.abs(scale as number) <= 10_000
}

/** Little-endian bytes, printed with the most significant bit first. */
function readBits(raw: unknown, schema: JsonObject): unknown {
  if (typeof raw !== 'string') return raw
  const bytes = Buffer.from(raw, 'base64').reverse()
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const length = numberParameter(schema, 'length')
  return Number.isInteger(length) && length > 0 ? bits.padStart(length, '0').slice(-length) : bits
}

/** One form for the same document, whether the source prints blanks or not. */
function readJson(raw: unknown): unknown {
  return typeof raw === 'string' && isJsonText(raw) ? compactJsonText(raw) : raw
}

function readDays(raw: unknown): unknown {
  return isCount(raw) ? dateFromEpochDays(raw) : raw
}

function readTime(unit: TimeUnit): ValueReader {
  return (raw) => (isCount(raw) ? timeFromMidnight(raw, unit, finest) : raw)
}

/** With `Z`: the count is one of UTC, whether the column is an instant or a wall time. */
function readTimestamp(unit: TimeUnit): ValueReader {
  return (raw) => (isCount(raw) ? timestampFromEpoch(raw, unit, finest, true) : raw)
}

function isCount(raw: unknown): raw is number | bigint {
  return typeof raw === 'bigint' || Number.isSafeInteger(raw)
}
