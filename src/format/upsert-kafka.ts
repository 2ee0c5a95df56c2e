import type { Problem } from '../errors.ts'
import { emitChanges } from './emit-changes.ts'
import type { Decoder, Emit, Format, FormatOptions, InputRecord, Sample } from './format.ts'
import { readFormatOptions } from './format-option.ts'
import { isJsonObject, type JsonObject, malformed, type ParsedRecord, parseRecord } from './parse-record.ts'

/**
 * Records of a compacted topic: a value is `+U` (the stream cannot know whether the key is new), a null value `-D` by the
 * key. Key columns may be only in the key; `key.fields-prefix` is put before their names, as Flink's connector does.
 */
export const upsertKafka: Format = {
  name: 'upsert-kafka',
  changelogMode: 'upsert',
  groupEnd: 'none',
  detect: detectUpserts,
  createDecoder: (options, problems) => new UpsertKafkaDecoder(options, problems),
}

const optionTable = {
  'value.fields-include': ['all', 'except_key'],
  'key.fields-prefix': 'text',
  'key.format': ['json', 'raw'],
  'value.format': ['json'],
} as const

class UpsertKafkaDecoder implements Decoder {
  readonly #prefix: string
  readonly #isRaw: boolean
  readonly #primaryKey: readonly string[] | undefined

  constructor(options: FormatOptions, problems: Problem[]) {
    const read = readFormatOptions('upsert-kafka', optionTable, options, problems)
    this.#prefix = read['key.fields-prefix'] ?? ''
    this.#isRaw = read['key.format'] === 'raw'
    this.#primaryKey = options.primaryKey
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const key = this.#keyRow(record)
    if (record.value === null) {
      if (key === undefined) throw malformed(record, 'is a delete that names no key')
      emitChanges(record, [{ kind: '-D', row: key, image: 'key' }], emit)
      return
    }
    if (!isJsonObject(record.value)) throw malformed(record, 'is not a JSON object')
    emitChanges(record, [{ kind: '+U', row: key === undefined ? record.value : { ...key, ...record.value } }], emit)
  }

  end(): void {
    // every record is complete by itself
  }

  #keyRow(record: ParsedRecord): JsonObject | undefined {
    const key = this.#isRaw ? textOf(record.rawKey) : record.key
    if (isJsonObject(key)) {
      if (this.#prefix === '') return key
      return Object.fromEntries(Object.entries(key).map(([name, value]) => [this.#prefix + name, value]))
    }
    const [only, ...more] = this.#primaryKey ?? []
    return key === null || key === undefined || only === undefined || more.length > 0 ? undefined : { [only]: key }
  }
}

function textOf(key: unknown): unknown {
  return key instanceof Uint8Array ? Buffer.from(key).toString('utf8') : key
}

/** Weak evidence: keyed records whose values are plain rows or null. Any format with marks of its own goes first. */
function detectUpserts(samples: readonly Sample[]): number {
  const isUpsert = ({ key, value }: Sample) => key !== null && (value === null || isJsonObject(value))
  return samples.length > 0 && samples.every(isUpsert) ? 0.3 : 0
}
