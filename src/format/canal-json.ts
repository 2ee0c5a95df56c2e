import type { Change } from '../changelog/element.ts'
import type { Problem } from '../errors.ts'
import { emitChanges, emitPosition, messageOf } from './emit-changes.ts'
import type { Decoder, Emit, Format, FormatOptions, InputRecord, Sample } from './format.ts'
import { readFormatOptions } from './format-option.ts'
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
 * Canal's flat message: `{"type":"UPDATE","data":[…],"old":[…],"pkNames":[…]}`, several rows a message. `old[i]` belongs
 * to `data[i]` alone: a column that it does not name is unchanged, an explicit null there was null (Flink searches the
 * whole `old` node, so that one row's change leaks into others). DDL is reported, TRUNCATE truncates.
 */
export const canalJson: Format = {
  name: 'canal-json',
  changelogMode: 'retract',
  groupEnd: 'none',
  mayWriteDeleteCreate: true,
  detect: (samples) => (samples.length > 0 && samples.every(isCanal) ? 1 : 0),
  createDecoder: (options, problems) => new CanalJsonDecoder(options, problems),
}

const optionTable = { 'database.include': 'text', 'table.include': 'text' } as const

/** Types of messages that carry no row and no change of a table. */
const silentTypes = new Set(['QUERY', 'GTID', 'XACOMMIT', 'XAROLLBACK', 'MHEARTBEAT'])

class CanalJsonDecoder implements Decoder {
  readonly #database: RegExp | undefined
  readonly #table: RegExp | undefined
  readonly #primaryKey: readonly string[] | undefined
  #pairs = 0

  constructor(options: FormatOptions, problems: Problem[]) {
    const read = readFormatOptions('canal-json', optionTable, options, problems)
    this.#database = wholePattern('database.include', read['database.include'], problems)
    this.#table = wholePattern('table.include', read['table.include'], problems)
    this.#primaryKey = options.primaryKey
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const message = messageOf(record, emit)
    if (message === undefined) return
    if (!this.#includes(message)) {
      emitPosition(record, emit)
      return
    }
    const type = textMember(message, 'type')?.toUpperCase()
    switch (type) {
      case 'INSERT':
      case 'INIT':
        emitChanges(
          record,
          rowsOf(record, message).map((row) => ({ kind: '+I', row, table: tableOf(message) })),
          emit,
        )
        break
      case 'DELETE':
        emitChanges(
          record,
          rowsOf(record, message).map((row) => ({ kind: '-D', row, table: tableOf(message) })),
          emit,
        )
        break
      case 'UPDATE':
        emitChanges(record, this.#updates(record, message), emit)
        break
      case 'TRUNCATE':
        emit({ type: 'truncate', table: tableOf(message), position: record.position, record: record.record })
        break
      default:
        emitStatement(record, message, type, emit)
    }
  }

  end(): void {
    // every message is complete by itself
  }

  #updates(record: ParsedRecord, message: JsonObject): Change[] {
    const rows = rowsOf(record, message)
    const table = tableOf(message)
    const old = Array.isArray(message['old']) ? message['old'] : []
    const keyColumns = textListMember(message, 'pkNames') ?? this.#primaryKey
    return rows.flatMap((row, index): Change[] => {
      const changed: unknown = old[index]
      if (!isJsonObject(changed)) return [{ kind: '+U', row, table }]
      return updateChanges({ table }, { ...row, ...changed }, row, keyColumns, ++this.#pairs)
    })
  }

  #includes(message: JsonObject): boolean {
    const isIn = (pattern: RegExp | undefined, name: string) =>
      pattern === undefined || pattern.test(textMember(message, name) ?? '')
    return isIn(this.#database, 'database') && isIn(this.#table, 'table')
  }
}

function isCanal({ value }: Sample): boolean {
  if (!isJsonObject(value) || typeof value['type'] !== 'string' || !('data' in value)) return false
  return Array.isArray(value['data']) || (value['data'] === null && 'isDdl' in value)
}

function emitStatement(record: ParsedRecord, message: JsonObject, type: string | undefined, emit: Emit): void {
  if (type !== undefined && silentTypes.has(type)) {
    emitPosition(record, emit)
    return
  }
  const statement = textMember(message, 'sql')
  if (message['isDdl'] !== true && statement === undefined && type !== 'CREATE') {
    throw malformed(record, 'has a "type" that Canal does not know', 'rows come with INSERT, UPDATE or DELETE')
  }
  emit({
    type: 'schema-change',
    table: tableOf(message),
    description: statement ?? type ?? 'the table was changed',
    position: record.position,
    record: record.record,
  })
}

function rowsOf(record: ParsedRecord, message: JsonObject): readonly JsonObject[] {
  const { data } = message
  if (Array.isArray(data) && data.every(isJsonObject)) return data
  throw malformed(record, 'has no array of objects in "data"')
}

function tableOf(message: JsonObject): string | undefined {
  const table = textMember(message, 'table')
  const database = textMember(message, 'database')
  return table === undefined || database === undefined ? table : `${database}.${table}`
}

/** As Java's `matches`: the whole name. */
function wholePattern(option: string, pattern: string | undefined, problems: Problem[]): RegExp | undefined {
  if (pattern === undefined) return undefined
  try {
    return new RegExp(`^(?:${pattern})$`)
  } catch {
    problems.push({ subject: `canal-json.${option}`, message: 'is no regular expression' })
    return undefined
  }
}
