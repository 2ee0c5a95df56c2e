import type { Change } from '../changelog/element.ts'
import type { Problem } from '../errors.ts'
import type { ValueEncoding } from '../row/value-encoding.ts'
import { ValueFault } from '../row/value-fault.ts'
import { memberSchema, readConnectStruct } from './connect-schema.ts'
import { type ChangeContext, createChange, emitChanges, emitPosition } from './emit-changes.ts'
import type { Decoder, Emit, Format, FormatOptions, GroupEndMarking, InputRecord, Sample } from './format.ts'
import { readFormatOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  member,
  type ParsedRecord,
  parseRecord,
  textMember,
} from './parse-record.ts'
import { TransactionEnds } from './transaction-ends.ts'
import { createPlaceholderFilter, defaultPlaceholder } from './unavailable-value.ts'

/**
 * Debezium's JSON: the envelope `{before, after, source, op}`, with or without embedded Kafka Connect schema, or the row
 * alone after the flattening SMT (`__op`, `__deleted`); as Kafka records, or as bare values.
 *
 * - `c` and `r` are `+I`; `u` is `-U` and `+U` if `before` is complete, else `+U` alone; `d` is `-D`; `t` truncates; `m`
 *   and heartbeats only move the position.
 * - A tombstone is a `-D` by the record's key: after compaction it may be all that is left of a delete.
 * - A change of key comes as delete, tombstone and create; headers of Debezium's make the two halves a pair (rule K6).
 * - An unavailable value (unchanged TOAST) is absent.
 * - `transaction.id` is the group; it ends with the next id, or with the END of the transaction topic.
 */
export const debeziumJson: Format = {
  name: 'debezium-json',
  changelogMode: 'retract',
  groupEnd: 'next-id',
  mayWriteDeleteCreate: true,
  detect: detectDebezium,
  createDecoder: (options, problems) => new DebeziumJsonDecoder('debezium-json', options, problems),
}

/** The flattened row by its own name, for topics whose rows carry no mark of Debezium's. */
export const debeziumUnwrapped: Format = {
  name: 'debezium-unwrapped',
  changelogMode: 'upsert',
  groupEnd: 'none',
  detect: (samples) => (samples.some(({ value }) => isJsonObject(value) && isFlattened(payloadOf(value))) ? 0.9 : 0),
  createDecoder: (options, problems) => new DebeziumJsonDecoder('debezium-unwrapped', options, problems),
}

const optionTable = {
  'schema-include': ['auto', 'true', 'false'],
  'decimal.handling.mode': ['auto', 'precise', 'string', 'double'],
  'binary.handling.mode': ['bytes', 'base64', 'base64-url-safe', 'hex'],
  'time.precision.mode': [
    'adaptive',
    'adaptive_time_microseconds',
    'connect',
    'isostring',
    'microseconds',
    'nanoseconds',
  ],
  tombstones: ['delete', 'ignore'],
  'unavailable.value.placeholder': 'text',
  'delete.field': 'text',
  'metadata.prefix': 'text',
  'provide.transaction.metadata': ['false', 'true'],
  'transaction.collections': 'text',
} as const

type Options = ReturnType<typeof readFormatOptions<typeof optionTable>>

/** The first half of a change of key, and the tombstone behind it, until the next record shows whether it is the second. */
interface HeldDelete {
  readonly record: ParsedRecord
  readonly change: Change
  readonly tombstone: { record: ParsedRecord; changes: readonly Change[] } | undefined
}

class DebeziumJsonDecoder implements Decoder {
  readonly groupEnd: GroupEndMarking | undefined
  readonly #format: string
  readonly #options: Options
  readonly #primaryKey: readonly string[] | undefined
  readonly #encoding: ValueEncoding
  readonly #mysqlEncoding: ValueEncoding
  /** With a schema the values are plain text already, save bytes that a mode made text of. */
  readonly #schemaEncoding: ValueEncoding
  readonly #dropUnavailable: (row: JsonObject) => JsonObject
  readonly #transactions: TransactionEnds | undefined
  /** Table of each topic: a tombstone does not name its own. */
  readonly #tables = new Map<string, string>()
  #held: HeldDelete | undefined
  #pairs = 0

  constructor(format: string, options: FormatOptions, problems: Problem[]) {
    this.#format = format
    this.#options = readFormatOptions(format, optionTable, options, problems)
    this.#primaryKey = options.primaryKey
    this.#encoding = encodingOf(this.#options)
    // MySQL's connector counts TIME in microseconds whatever its precision
    const isAdaptive = this.#options['time.precision.mode'] === 'adaptive'
    this.#mysqlEncoding = isAdaptive ? { ...this.#encoding, time: 'micros' } : this.#encoding
    this.#schemaEncoding = { bytes: this.#encoding.bytes }
    this.#dropUnavailable = createPlaceholderFilter(
      this.#options['unavailable.value.placeholder'] ?? defaultPlaceholder,
    )
    if (this.#options['provide.transaction.metadata'] === 'true') {
      const collections = this.#options['transaction.collections']?.split(',').map((name) => name.trim())
      this.#transactions = new TransactionEnds(collections === undefined ? undefined : new Set(collections))
      this.groupEnd = 'marker'
    }
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const { payload, schema } = this.#unwrap(record)
    if (payload === null) {
      this.#decodeTombstone(record, emit)
      return
    }
    if (isEnvelope(payload)) {
      this.#decodeEnvelope(record, payload, schema, emit)
      return
    }
    this.end(emit)
    if (isTransactionMarker(payload)) {
      this.#decodeTransactionMarker(record, payload, emit)
    } else if ('ddl' in payload || 'tableChanges' in payload) {
      emit({
        type: 'schema-change',
        description: textMember(payload, 'ddl') ?? 'the table was changed',
        position: record.position,
        record: record.record,
      })
    } else if (isFlattened(payload, this.#options) || this.#format === 'debezium-unwrapped') {
      emitChanges(record, [this.#flattenedChange(record, payload, schema)], emit)
    } else if (isHeartbeat(payload)) {
      emitPosition(record, emit)
    } else {
      const reason =
        'op' in payload ? 'its "op" is none of c, u, d, r, t' : 'it has neither "op" nor "__op" nor "__deleted"'
      throw malformed(record, `is no change of Debezium: ${reason}`)
    }
  }

  end(emit: Emit): void {
    const held = this.#held
    this.#held = undefined
    if (held === undefined) return
    emitChanges(held.record, [held.change], emit)
    if (held.tombstone !== undefined) emitChanges(held.tombstone.record, held.tombstone.changes, emit)
  }

  #unwrap(record: ParsedRecord): { payload: JsonObject | null; schema: unknown } {
    const { value } = record
    if (value === null) return { payload: null, schema: undefined }
    if (!isJsonObject(value)) throw malformed(record, 'is not a JSON object')
    const isWrapped = hasSchema(value)
    if (!isWrapped && this.#options['schema-include'] === 'true') {
      throw malformed(record, 'has no "schema" and "payload"', `set ${this.#format}.schema-include = false`)
    }
    if (!isWrapped || this.#options['schema-include'] === 'false') return { payload: value, schema: undefined }
    const { payload, schema } = value
    if (payload === null) return { payload: null, schema }
    if (!isJsonObject(payload)) throw malformed(record, 'has a "payload" that is no object')
    return { payload, schema }
  }

  #decodeEnvelope(record: ParsedRecord, envelope: JsonObject, schema: unknown, emit: Emit): void {
    const context = this.#contextOf(record, envelope, schema)
    const before = this.#rowOf(record, envelope, 'before', schema)
    const after = this.#rowOf(record, envelope, 'after', schema)
    const { op } = envelope
    switch (op) {
      case 'c':
      case 'r':
        this.#emitInsert(record, createChange('+I', required(record, after, 'after'), context), emit)
        break
      case 'u':
        this.end(emit)
        emitChanges(record, this.#updateOf(context, before, required(record, after, 'after'), envelope), emit)
        break
      case 'd':
        this.end(emit)
        this.#emitDelete(record, createChange('-D', before ?? this.#keyRow(record), context), emit)
        break
      case 't':
        this.end(emit)
        emit({
          type: 'truncate',
          table: context.table,
          group: context.group,
          position: record.position,
          record: record.record,
        })
        break
      case 'm':
        this.end(emit)
        emitPosition(record, emit)
        break
      default:
        throw malformed(record, 'has an "op" that Debezium does not know', 'it is one of c, r, u, d, t, m')
    }
    this.#countChange(context.group, record, emit)
  }

  #updateOf(context: ChangeContext, before: JsonObject | undefined, after: JsonObject, envelope: JsonObject): Change[] {
    if (before === undefined || !coversRow(before, envelope['after'] as JsonObject)) {
      return [createChange('+U', after, context)]
    }
    const pair = ++this.#pairs
    return [createChange('-U', before, context, pair), createChange('+U', after, context, pair)]
  }

  #emitInsert(record: ParsedRecord, change: Change, emit: Emit): void {
    const held = this.#held
    if (held === undefined || !hasHeader(record, '__debezium.oldkey') || held.change.table !== change.table) {
      this.end(emit)
      emitChanges(record, [change], emit)
      return
    }
    const pair = ++this.#pairs
    this.#held = { ...held, change: { ...held.change, pair } }
    this.end(emit)
    emitChanges(record, [{ ...change, pair }], emit)
  }

  #emitDelete(record: ParsedRecord, change: Change, emit: Emit): void {
    if (hasHeader(record, '__debezium.newkey')) this.#held = { record, change, tombstone: undefined }
    else emitChanges(record, [change], emit)
  }

  #decodeTombstone(record: ParsedRecord, emit: Emit): void {
    const changes = this.#options.tombstones === 'ignore' ? [] : this.#tombstoneChanges(record)
    if (this.#held !== undefined && this.#held.tombstone === undefined) {
      this.#held = { ...this.#held, tombstone: { record, changes } }
      return
    }
    this.end(emit)
    emitChanges(record, changes, emit)
  }

  #tombstoneChanges(record: ParsedRecord): readonly Change[] {
    if (record.key === null) return []
    const encoding = isJsonObject(record.key) && hasSchema(record.key) ? this.#schemaEncoding : this.#encoding
    const table = this.#tableOfTopic(record.topic)
    return [{ kind: '-D', row: this.#keyRow(record), image: 'key', table, encoding }]
  }

  /** The record's key as a row: all that a tombstone tells. */
  #keyRow(record: ParsedRecord): JsonObject {
    const key = isJsonObject(record.key) && hasSchema(record.key) ? record.key['payload'] : record.key
    const schema = isJsonObject(record.key) ? record.key['schema'] : undefined
    if (isJsonObject(key)) return readRow(record, schema, key)
    const [only, ...more] = this.#primaryKey ?? []
    if (key === null || key === undefined || only === undefined || more.length > 0) {
      throw malformed(record, 'is a delete that names no key', 'keep the keys of the topic when you write it to a file')
    }
    return { [only]: key }
  }

  #flattenedChange(record: ParsedRecord, payload: JsonObject, schema: unknown): Change {
    const prefix = this.#options['metadata.prefix'] ?? '__'
    const deleted = member(payload, deleteFieldOf(this.#options))
    const op = member(payload, `${prefix}op`)
    const table = flattenedTable(payload, prefix) ?? this.#tableOfTopic(record.topic)
    if (table !== undefined && record.topic !== undefined) this.#tables.set(record.topic, table)
    const row = readRow(record, schema, this.#dropUnavailable(payload))
    const kind = deleted === true || deleted === 'true' || op === 'd' ? '-D' : op === 'c' || op === 'r' ? '+I' : '+U'
    return { kind, row, table, encoding: schema === undefined ? this.#encoding : this.#schemaEncoding }
  }

  #decodeTransactionMarker(record: ParsedRecord, marker: JsonObject, emit: Emit): void {
    const id = textMember(marker, 'id')
    const isComplete = marker['status'] === 'END' && id !== undefined && this.#transactions?.end(id, marker)
    if (isComplete) emit({ type: 'group-end', group: id, position: record.position, record: record.record })
    else emitPosition(record, emit)
  }

  #countChange(group: string | undefined, { record }: ParsedRecord, emit: Emit): void {
    if (group === undefined || !this.#transactions?.countChange(group)) return
    this.end(emit)
    emit({ type: 'group-end', group, record })
  }

  #contextOf(record: ParsedRecord, envelope: JsonObject, schema: unknown): ChangeContext {
    const source = envelope['source']
    const table = (isJsonObject(source) ? sourceTable(source) : undefined) ?? this.#tableOfTopic(record.topic)
    if (table !== undefined && record.topic !== undefined) this.#tables.set(record.topic, table)
    const transaction = envelope['transaction']
    const isMysql = isJsonObject(source) && (source['connector'] === 'mysql' || source['connector'] === 'mariadb')
    return {
      table,
      group: isJsonObject(transaction) ? textMember(transaction, 'id') : undefined,
      encoding: schema !== undefined ? this.#schemaEncoding : isMysql ? this.#mysqlEncoding : this.#encoding,
    }
  }

  #tableOfTopic(topic: string | undefined): string | undefined {
    if (topic === undefined) return undefined
    return this.#tables.get(topic) ?? topic.split('.').slice(-2).join('.')
  }

  #rowOf(record: ParsedRecord, envelope: JsonObject, name: string, schema: unknown): JsonObject | undefined {
    const row = envelope[name]
    if (row === undefined || row === null) return undefined
    if (!isJsonObject(row)) throw malformed(record, `has a "${name}" that is no object`)
    const known = this.#dropUnavailable(row)
    return schema === undefined ? known : readRow(record, memberSchema(schema, name), known)
  }
}

function readRow(record: ParsedRecord, schema: unknown, row: JsonObject): JsonObject {
  try {
    return readConnectStruct(schema, row)
  } catch (error) {
    throw error instanceof ValueFault ? malformed(record, `does not fit its own schema: ${error.reason}`) : error
  }
}

function detectDebezium(samples: readonly Sample[]): number {
  const payloads = samples.flatMap(({ value }) => (isJsonObject(value) ? [payloadOf(value)] : []))
  return payloads.length > 0 && payloads.some(isEnvelope) && payloads.every(isDebezium) ? 1 : 0
}

function isDebezium(payload: JsonObject | null): boolean {
  return (
    payload === null || isEnvelope(payload) || isTransactionMarker(payload) || isHeartbeat(payload) || 'ddl' in payload
  )
}

function payloadOf(value: JsonObject): JsonObject | null {
  if (!hasSchema(value)) return value
  return isJsonObject(value['payload']) ? value['payload'] : null
}

function hasSchema(value: JsonObject): boolean {
  return 'schema' in value && 'payload' in value && Object.keys(value).length === 2
}

function isEnvelope(payload: JsonObject | null): boolean {
  return (
    payload !== null &&
    typeof payload['op'] === 'string' &&
    ('before' in payload || 'after' in payload || payload['op'] === 'm')
  )
}

function isTransactionMarker(payload: JsonObject): boolean {
  return (payload['status'] === 'BEGIN' || payload['status'] === 'END') && 'event_count' in payload
}

function isHeartbeat(payload: JsonObject): boolean {
  return 'ts_ms' in payload && Object.keys(payload).every((name) => name.startsWith('ts_'))
}

function isFlattened(payload: JsonObject | null, options?: Options): boolean {
  if (payload === null) return false
  return (
    Object.hasOwn(payload, deleteFieldOf(options)) ||
    Object.hasOwn(payload, `${options?.['metadata.prefix'] ?? '__'}op`)
  )
}

function deleteFieldOf(options: Options | undefined): string {
  return options?.['delete.field'] ?? `${options?.['metadata.prefix'] ?? '__'}deleted`
}

function sourceTable(source: JsonObject): string | undefined {
  const table = textMember(source, 'table')
  const space = textMember(source, 'schema') ?? textMember(source, 'db')
  return table === undefined || space === undefined ? table : `${space}.${table}`
}

function flattenedTable(payload: JsonObject, prefix: string): string | undefined {
  const table = textMember(payload, `${prefix}table`)
  const space = textMember(payload, `${prefix}schema`) ?? textMember(payload, `${prefix}db`)
  return table === undefined || space === undefined ? table : `${space}.${table}`
}

function encodingOf(options: Options): ValueEncoding {
  const units = {
    adaptive: { timestamp: 'by-precision', time: 'by-precision' },
    adaptive_time_microseconds: { timestamp: 'by-precision', time: 'micros' },
    connect: { timestamp: 'millis', time: 'millis' },
    isostring: {},
    microseconds: { timestamp: 'micros', time: 'micros' },
    nanoseconds: { timestamp: 'nanos', time: 'nanos' },
  } as const satisfies Record<string, ValueEncoding>
  const decimals = { auto: 'either', precise: 'base64', string: 'text', double: 'text' } as const
  const bytes = { bytes: 'base64', base64: 'base64', 'base64-url-safe': 'base64-url', hex: 'hex' } as const
  return {
    ...units[options['time.precision.mode']],
    date: 'days',
    decimal: decimals[options['decimal.handling.mode']],
    bytes: bytes[options['binary.handling.mode']],
  }
}

function required(record: ParsedRecord, row: JsonObject | undefined, name: string): JsonObject {
  if (row === undefined) throw malformed(record, `has no "${name}"`)
  return row
}

/** Every column of the new row has its old value too. */
function coversRow(old: JsonObject, row: JsonObject): boolean {
  return Object.keys(row).every((name) => Object.hasOwn(old, name))
}

function hasHeader(record: ParsedRecord, name: string): boolean {
  return record.headers !== undefined && Object.hasOwn(record.headers, name)
}
