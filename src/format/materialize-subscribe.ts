import type { Change } from '../changelog/element.ts'
import type { Problem } from '../errors.ts'
import { toJsonText } from '../row/json-text.ts'
import { ValueFault } from '../row/value-fault.ts'
import type { Decoder, Emit, Format, FormatOptions, InputRecord } from './format.ts'
import { readFormatOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  type ParsedRecord,
  parseRecord,
  requireObject,
} from './parse-record.ts'

/**
 * Rows of Materialize's SUBSCRIBE, with `mz_timestamp` and `mz_diff` or, under an ENVELOPE, `mz_state`. The order of rows
 * inside a timestamp is arbitrary, so they are held until a later timestamp or a progress row closes it; then equal rows
 * cancel out and a `-1` and a `+1` of one key become an update. One timestamp is one group. The position is the newest
 * closed timestamp, to resume with `AS OF … ` and `SNAPSHOT = false`.
 */
export const materializeSubscribe: Format = {
  name: 'materialize-subscribe',
  changelogMode: 'retract',
  groupEnd: 'marker',
  detect: (samples) => {
    const isRow = (value: unknown) => isJsonObject(value) && 'mz_timestamp' in value
    return samples.length > 0 && samples.every(({ value }) => isRow(value)) ? 1 : 0
  },
  createDecoder: (options, problems) => new MaterializeDecoder(options, problems),
}

const optionTable = {
  key: 'text',
  envelope: ['auto', 'none', 'upsert', 'debezium'],
  progress: ['auto', 'true', 'false'],
} as const

/** A row that waits for the end of its timestamp. */
interface HeldRow {
  readonly row: JsonObject
  readonly record: number | undefined
  diff: number
}

/** A multiplicity above this is taken for a fault: each copy becomes a change. */
const diffMax = 100_000

class MaterializeDecoder implements Decoder {
  readonly #key: readonly string[] | undefined
  readonly #envelope: 'auto' | 'none' | 'upsert' | 'debezium'
  #timestamp: bigint | undefined
  #held = new Map<string, HeldRow>()
  #pairs = 0

  constructor(options: FormatOptions, problems: Problem[]) {
    const read = readFormatOptions('materialize-subscribe', optionTable, options, problems)
    this.#key = read.key?.split(',').map((column) => column.trim()) ?? options.primaryKey
    this.#envelope = read.envelope
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const {
      mz_timestamp: time,
      mz_progressed: progressed,
      mz_diff: diff,
      mz_state: state,
      ...row
    } = requireObject(record)
    const timestamp = timestampOf(record, time)
    if (this.#timestamp !== undefined && timestamp < this.#timestamp && !isTrue(progressed)) {
      throw malformed(record, 'goes back behind a timestamp that is closed already')
    }
    if (this.#timestamp !== undefined && timestamp > this.#timestamp) this.#close(emit)
    if (isTrue(progressed)) {
      emitProgress(record, timestamp, emit)
    } else if (typeof state === 'string') {
      this.#timestamp = timestamp
      for (const change of this.#stateChanges(record, state, row)) emit({ ...change, group: String(timestamp) })
    } else {
      this.#hold(record, row, diffOf(record, diff))
      this.#timestamp = timestamp
    }
  }

  end(): void {
    // a timestamp that nothing has closed stays pending
  }

  #hold(record: ParsedRecord, row: JsonObject, diff: number): void {
    const identity = identityOf(record, row)
    const held = this.#held.get(identity)
    if (held === undefined) this.#held.set(identity, { row, record: record.record, diff })
    else held.diff += diff
  }

  #close(emit: Emit): void {
    const group = String(this.#timestamp)
    const rows = [...this.#held.values()]
    this.#held = new Map()
    this.#timestamp = undefined
    for (const change of this.#pairUp(rows)) emit({ ...change, group })
    emit({ type: 'group-end', group, position: { partition: '', offset: group } })
  }

  /** By key, in the order in which the keys came; without a key all the retractions go first. */
  #pairUp(rows: readonly HeldRow[]): Change[] {
    const byKey = new Map<string, { removed: HeldRow[]; added: HeldRow[] }>()
    for (const held of rows) {
      const key = this.#key === undefined ? '' : toJsonText(this.#key.map((column) => held.row[column]))
      const rowsOfKey = byKey.get(key) ?? { removed: [], added: [] }
      byKey.set(key, rowsOfKey)
      const side = held.diff < 0 ? rowsOfKey.removed : rowsOfKey.added
      for (let copy = Math.abs(held.diff); copy > 0; copy--) side.push(held)
    }
    return [...byKey.values()].flatMap(({ removed, added }) => this.#pairKey(removed, added))
  }

  #pairKey(removed: readonly HeldRow[], added: readonly HeldRow[]): Change[] {
    const pairs = this.#key === undefined ? 0 : Math.min(removed.length, added.length)
    const changes: Change[] = []
    for (const [index, before] of removed.entries()) {
      const after = index < pairs ? added[index] : undefined
      if (after === undefined) {
        changes.push({ kind: '-D', row: before.row, record: before.record })
        continue
      }
      const pair = ++this.#pairs
      changes.push({ kind: '-U', row: before.row, record: before.record, pair })
      changes.push({ kind: '+U', row: after.row, record: after.record, pair })
    }
    for (const { row, record } of added.slice(pairs)) changes.push({ kind: '+I', row, record })
    return changes
  }

  /** Under an ENVELOPE the rows of a key are one already. */
  #stateChanges(record: ParsedRecord, state: string, row: JsonObject): Change[] {
    if (state === 'key_violation') throw malformed(record, 'is a key violation: the key of the ENVELOPE is not unique')
    const number = record.record
    const isDebezium = this.#envelope === 'debezium' || (this.#envelope === 'auto' && hasBothImages(row))
    if (!isDebezium) {
      if (state === 'upsert') return [{ kind: '+U', row, record: number }]
      if (state === 'delete') return [{ kind: '-D', row, record: number }]
    } else if (state === 'insert') {
      return [{ kind: '+I', row: imageOf(row, 'after_'), record: number }]
    } else if (state === 'delete') {
      return [{ kind: '-D', row: imageOf(row, 'before_'), record: number }]
    } else if (state === 'upsert') {
      const pair = ++this.#pairs
      return [
        { kind: '-U', row: imageOf(row, 'before_'), pair, record: number, more: true },
        { kind: '+U', row: imageOf(row, 'after_'), pair, record: number },
      ]
    }
    throw malformed(record, 'has an "mz_state" that Materialize does not know')
  }
}

/** Equal for equal rows; its columns come in one order throughout a subscription. */
function identityOf(record: ParsedRecord, row: JsonObject): string {
  try {
    return toJsonText(row)
  } catch (error) {
    throw error instanceof ValueFault ? malformed(record, `has a row that ${error.reason}`) : error
  }
}

/** Everything below the timestamp is complete. */
function emitProgress(record: ParsedRecord, timestamp: bigint, emit: Emit): void {
  const position = { partition: '', offset: String(timestamp - 1n) }
  emit({ type: 'watermark', timestamp: String(timestamp), position, record: record.record })
}

function timestampOf(record: ParsedRecord, raw: unknown): bigint {
  const text = typeof raw === 'string' || typeof raw === 'number' || typeof raw === 'bigint' ? String(raw) : ''
  if (!/^\d{1,20}$/.test(text)) throw malformed(record, 'has no whole number in "mz_timestamp"')
  return BigInt(text)
}

function diffOf(record: ParsedRecord, raw: unknown): number {
  const diff = typeof raw === 'string' || typeof raw === 'number' ? Number(raw) : Number.NaN
  if (!Number.isInteger(diff)) throw malformed(record, 'has no whole number in "mz_diff"')
  if (Math.abs(diff) > diffMax) throw malformed(record, `has an "mz_diff" beyond ${diffMax}`)
  return diff
}

function isTrue(raw: unknown): boolean {
  return raw === true || raw === 't' || raw === 'true'
}

function hasBothImages(row: JsonObject): boolean {
  return Object.keys(row).some((name) => name.startsWith('before_') && Object.hasOwn(row, `after_${name.slice(7)}`))
}

/** The key columns, and those of one image without its prefix. */
function imageOf(row: JsonObject, prefix: 'before_' | 'after_'): JsonObject {
  const members = Object.entries(row).flatMap(([name, value]) => {
    if (name.startsWith(prefix)) return [[name.slice(prefix.length), value] as const]
    return /^(?:before|after)_/.test(name) ? [] : [[name, value] as const]
  })
  return Object.fromEntries(members)
}
