import type { Change } from '../changelog/element.ts'
import { emitChanges, emitPosition, messageOf } from './emit-changes.ts'
import type { Decoder, Emit, Format, InputRecord, Sample } from './format.ts'
import { noOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  type ParsedRecord,
  parseRecord,
  textListMember,
  textMember,
} from './parse-record.ts'
import { updateChanges } from './update-changes.ts'

/**
 * Maxwell's JSON: `{"type":"update","data":{…},"old":{…},"xid":…,"commit":true}`. A column that `old` does not name is
 * unchanged; an explicit null there was null. `xid` is the group, and `commit` marks its last row.
 */
export const maxwellJson: Format = {
  name: 'maxwell-json',
  changelogMode: 'retract',
  groupEnd: 'marker',
  mayWriteDeleteCreate: true,
  detect: (samples) => (samples.length > 0 && samples.every(isMaxwell) ? 1 : 0),
  createDecoder: (options, problems) => {
    noOptions('maxwell-json', options, problems)
    return new MaxwellJsonDecoder(options.primaryKey)
  },
}

const rowTypes = new Set(['insert', 'update', 'delete', 'bootstrap-insert'])
const tableTypes = /^(?:table|database)-/
const silentTypes = new Set(['bootstrap-start', 'bootstrap-complete', 'heartbeat'])

class MaxwellJsonDecoder implements Decoder {
  readonly #primaryKey: readonly string[] | undefined
  #group: string | undefined
  #pairs = 0

  constructor(primaryKey: readonly string[] | undefined) {
    this.#primaryKey = primaryKey
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const message = messageOf(record, emit)
    if (message === undefined) return
    const type = textMember(message, 'type') ?? ''
    if (silentTypes.has(type)) emitPosition(record, emit)
    else if (tableTypes.test(type)) emitTableChange(record, message, type, emit)
    else this.#decodeRow(record, message, type, emit)
  }

  end(): void {
    // a transaction whose last row never came stays open
  }

  #decodeRow(record: ParsedRecord, message: JsonObject, type: string, emit: Emit): void {
    const changes = this.#changesOf(record, message, type)
    const group = textMember(message, 'xid')
    // the last row of the earlier transaction was filtered out on its way
    if (this.#group !== undefined && this.#group !== group) emit({ type: 'group-end', group: this.#group })
    this.#group = group
    emitChanges(
      record,
      changes.map((change) => ({ ...change, group })),
      emit,
    )
    if (group === undefined || message['commit'] !== true) return
    emit({ type: 'group-end', group, position: record.position, record: record.record })
    this.#group = undefined
  }

  #changesOf(record: ParsedRecord, message: JsonObject, type: string): Change[] {
    const { data, old } = message
    const table = tableOf(message)
    if (!isJsonObject(data)) throw malformed(record, 'has no object in "data"')
    switch (type) {
      case 'insert':
      case 'bootstrap-insert':
        return [{ kind: '+I', row: data, table }]
      case 'delete':
        return [{ kind: '-D', row: data, table }]
      case 'update':
        if (!isJsonObject(old)) return [{ kind: '+U', row: data, table }]
        return updateChanges({ table }, { ...data, ...old }, data, this.#keyColumns(message), ++this.#pairs)
      default:
        throw malformed(record, 'has a "type" that Maxwell does not know', 'rows come with insert, update or delete')
    }
  }

  #keyColumns(message: JsonObject): readonly string[] | undefined {
    return textListMember(message, 'primary_key_columns') ?? this.#primaryKey
  }
}

function isMaxwell({ value }: Sample): boolean {
  if (!isJsonObject(value) || typeof value['type'] !== 'string') return false
  if (rowTypes.has(value['type'])) return isJsonObject(value['data'])
  return 'database' in value && (silentTypes.has(value['type']) || tableTypes.test(value['type']))
}

function emitTableChange(record: ParsedRecord, message: JsonObject, type: string, emit: Emit): void {
  emit({
    type: 'schema-change',
    table: tableOf(message),
    description: textMember(message, 'sql') ?? type,
    position: record.position,
    record: record.record,
  })
}

function tableOf(message: JsonObject): string | undefined {
  const table = textMember(message, 'table')
  const database = textMember(message, 'database')
  return table === undefined || database === undefined ? table : `${database}.${table}`
}
