import { isUtf8 } from 'node:buffer'
import type { Position } from '../changelog/position.ts'
import { TidegateError } from '../errors.ts'
import { jsonFaultPosition, parseExact } from '../row/exact-json.ts'
import { toJsonText } from '../row/json-text.ts'
import type { InputRecord } from './format.ts'

/** A JSON object as a decoder sees it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** A record whose texts are parsed and whose Kafka envelope, if it had one, is taken off. */
export interface ParsedRecord {
  /** Undefined members are absent; null is a tombstone. */
  readonly value: unknown
  /** Parsed where it is JSON, else its text. */
  readonly key: unknown
  /** The key as it came. */
  readonly rawKey: unknown
  readonly headers: JsonObject | undefined
  readonly topic: string | undefined
  /** Where the envelope or the reader says that the record stands. */
  readonly position: Position | undefined
  readonly record: number | undefined
}

/**
 * Parses a record. Understood as an envelope: a Kafka record as consumers hand it out (kafkajs, confluent-kafka,
 * `kcat -J`) or as `{key, value}`. Throws `INPUT_MALFORMED` for text that is not JSON or not UTF-8.
 */
export function parseRecord(input: InputRecord): ParsedRecord {
  if (input.fault !== undefined) throw unreadable(input, input.fault)
  const value = parsePart(input, input.value)
  const envelope = isJsonObject(value) ? envelopeOf(value) : undefined
  if (envelope === undefined) {
    const { topic, headers, record } = input
    return { value, key: parseKey(input.key), rawKey: input.key, headers, topic, position: positionOf(input), record }
  }
  return {
    value: parsePart(input, envelope.value),
    key: parseKey(envelope.key),
    rawKey: envelope.key,
    headers: isJsonObject(envelope.headers) ? envelope.headers : undefined,
    topic: envelope.topic,
    position: positionOf(envelope) ?? positionOf(input),
    record: input.record,
  }
}

/** The value of a record that must be an object. */
export function requireObject(record: ParsedRecord): JsonObject {
  const { value } = record
  if (isJsonObject(value)) return value
  const hint = Array.isArray(value) ? arrayHint : undefined
  throw malformed(
    record,
    value === null ? 'is a tombstone, which its format does not know' : 'is not a JSON object',
    hint,
  )
}

/** `reason` completes "line 7 …" and never holds values (rule C2). */
export function malformed(
  record: { readonly record?: number | undefined; readonly position?: Position | undefined },
  reason: string,
  hint?: string,
): TidegateError {
  return new TidegateError(`${whereOf(record)} ${reason}${hint === undefined ? '' : `; ${hint}`}`, {
    code: 'INPUT_MALFORMED',
    hint,
  })
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** An own member, also where its name is one that every object inherits. */
export function member(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

/** A member that names something: text, or a number as its digits. */
export function textMember(object: JsonObject, name: string): string | undefined {
  const value = member(object, name)
  if (typeof value === 'string') return value === '' ? undefined : value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined
}

/** A member that lists names; undefined if it is no list of texts. */
export function textListMember(object: JsonObject, name: string): readonly string[] | undefined {
  const value = member(object, name)
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? value : undefined
}

function whereOf({ record, position }: { record?: number | undefined; position?: Position | undefined }): string {
  if (record !== undefined) return `line ${record}`
  return position === undefined
    ? 'a record'
    : `offset ${typeof position.offset === 'object' ? toJsonText(position.offset) : String(position.offset)} of ${position.partition || 'the input'}`
}

function parsePart(input: InputRecord, part: unknown): unknown {
  if (part === undefined || part === null || part === '') return null
  if (typeof part === 'string') return parseText(input, part)
  if (!(part instanceof Uint8Array)) return part
  return part.length === 0 ? null : parseText(input, decodeUtf8(input, part))
}

function parseText(input: InputRecord, text: string): unknown {
  try {
    return parseExact(text)
  } catch (error) {
    throw unreadable(input, faultOf(text, error), hintOf(text))
  }
}

/** Where the text goes wrong, without showing it. */
function faultOf(text: string, error: unknown): string {
  if (error instanceof RangeError) return 'is nested too deeply'
  const position = jsonFaultPosition(text)
  if (position === undefined) return 'is not JSON'
  return position >= text.length ? 'is not JSON: it ends in the middle' : `is not JSON (column ${position + 1})`
}

const arrayHint = "write one object a line, not an array (jq -c '.[]')"

function hintOf(text: string): string | undefined {
  if (/^[+-][IUD]\[/.test(text))
    return "this is what Flink's print connector shows to people; write changelog-json instead"
  if (/^\s*\[/.test(text)) return arrayHint
  return undefined
}

function decodeUtf8(input: InputRecord, bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  // a replacement character is a fault only if the input does not hold one itself
  if (text.includes('\ufffd') && !isUtf8(bytes)) throw unreadable(input, 'is not valid UTF-8')
  return text
}

function unreadable(input: InputRecord, reason: string, hint?: string): TidegateError {
  return malformed({ record: input.record, position: positionOf(input) }, reason, hint)
}

function parseKey(key: unknown): unknown {
  if (key === undefined || key === null) return null
  const text = key instanceof Uint8Array ? Buffer.from(key).toString('utf8') : key
  if (typeof text !== 'string') return text
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

interface Envelope {
  readonly key: unknown
  readonly value: unknown
  readonly headers: unknown
  readonly topic: string | undefined
  readonly partition: string | number | undefined
  readonly offset: string | number | undefined
}

const envelopeMembers = new Set([
  ...['topic', 'partition', 'offset', 'key', 'value', 'payload', 'headers', 'message', 'timestamp', 'timestampType'],
  ...['timestamp_type', 'tstype', 'ts', 'broker', 'size', 'attributes', 'leaderEpoch', 'heartbeat', 'pause', 'opaque'],
])

function envelopeOf(object: JsonObject): Envelope | undefined {
  const isNamed = object['topic'] !== undefined || (object['partition'] !== undefined && object['offset'] !== undefined)
  const isPair = object['key'] !== undefined && object['value'] !== undefined
  if (!isNamed && !isPair) return undefined
  const names = Object.keys(object)
  if (!isNamed && names.length > 3) return undefined
  if (!names.every((name) => envelopeMembers.has(name))) return undefined
  const message = isJsonObject(object['message']) ? object['message'] : object
  if (!('value' in message || 'payload' in message)) return undefined
  return {
    key: message['key'],
    value: 'value' in message ? message['value'] : message['payload'],
    headers: message['headers'],
    topic: typeof object['topic'] === 'string' ? object['topic'] : undefined,
    partition: scalar(object['partition']),
    offset: scalar(message['offset']),
  }
}

function scalar(value: unknown): string | number | undefined {
  if (typeof value === 'string' || typeof value === 'number') return value
  return typeof value === 'bigint' ? value.toString() : undefined
}

function positionOf({ topic, partition, offset }: Partial<Envelope>): Position | undefined {
  if (offset === undefined) return undefined
  if (topic !== undefined) return { partition: `${topic}-${partition ?? 0}`, offset }
  return { partition: partition === undefined ? '' : String(partition), offset }
}
