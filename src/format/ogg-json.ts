import type { Change } from '../changelog/element.ts'
import { emitChanges, messageOf } from './emit-changes.ts'
import type { Decoder, Emit, Format, InputRecord } from './format.ts'
import { noOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  member,
  type ParsedRecord,
  parseRecord,
  textListMember,
  textMember,
} from './parse-record.ts'
import { updateChanges } from './update-changes.ts'

/**
 * Oracle GoldenGate's JSON: `{"op_type":"U","before":{…},"after":{…},"primary_keys":[…]}`. What a compressed update leaves
 * out of `after` is taken from `before`; an empty `before` gives no `-U`.
 */
export const oggJson: Format = {
  name: 'ogg-json',
  changelogMode: 'retract',
  groupEnd: 'none',
  mayWriteDeleteCreate: true,
  detect: (samples) =>
    samples.length > 0 && samples.every(({ value }) => isJsonObject(value) && typeof value['op_type'] === 'string')
      ? 1
      : 0,
  createDecoder: (options, problems) => {
    noOptions('ogg-json', options, problems)
    return new OggJsonDecoder(options.primaryKey)
  },
}

class OggJsonDecoder implements Decoder {
  readonly #primaryKey: readonly string[] | undefined
  #pairs = 0

  constructor(primaryKey: readonly string[] | undefined) {
    this.#primaryKey = primaryKey
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const message = messageOf(record, emit)
    if (message === undefined) return
    if (message['op_type'] === 'T') {
      emit({ type: 'truncate', table: textMember(message, 'table'), position: record.position, record: record.record })
    } else {
      emitChanges(record, this.#changesOf(record, message), emit)
    }
  }

  end(): void {
    // every message is complete by itself
  }

  #changesOf(record: ParsedRecord, message: JsonObject): Change[] {
    const table = textMember(message, 'table')
    switch (message['op_type']) {
      case 'I':
        return [{ kind: '+I', row: rowOf(record, message, 'after'), table }]
      case 'D':
        return [{ kind: '-D', row: rowOf(record, message, 'before'), table }]
      case 'U':
        return this.#update(record, message, table)
      default:
        throw malformed(record, 'has an "op_type" that GoldenGate does not know', 'it is one of I, U, D, T')
    }
  }

  #update(record: ParsedRecord, message: JsonObject, table: string | undefined): Change[] {
    const after = rowOf(record, message, 'after')
    const before = member(message, 'before')
    if (!isJsonObject(before) || Object.keys(before).length === 0) return [{ kind: '+U', row: after, table }]
    const keyColumns = textListMember(message, 'primary_keys') ?? this.#primaryKey
    return updateChanges({ table }, before, { ...before, ...after }, keyColumns, ++this.#pairs)
  }
}

function rowOf(record: ParsedRecord, message: JsonObject, name: string): JsonObject {
  const row = member(message, name)
  if (!isJsonObject(row)) throw malformed(record, `has no object in "${name}"`)
  return row
}
