import type { Change } from '../changelog/element.ts'
import type { ValueEncoding } from '../row/value-encoding.ts'
import { type ChangeContext, createChange, emitChanges } from './emit-changes.ts'
import type { Decoder, Emit, Format, InputRecord, Sample } from './format.ts'
import { noOptions } from './format-option.ts'
import {
  isJsonObject,
  type JsonObject,
  malformed,
  member,
  type ParsedRecord,
  parseRecord,
  requireObject,
  textListMember,
  textMember,
} from './parse-record.ts'
import { differsIn, updateChanges } from './update-changes.ts'

/**
 * PostgreSQL's logical replication as the npm package pg-logical-replication decodes it: messages with a `tag`, alone or
 * as `{lsn, message}`. What stands between begin and commit is one group, named by the LSN of its commit. The only position
 * is the end LSN of a commit: acknowledge no other. A column that is undefined or missing was not logged (unchanged TOAST).
 *
 * Values are expected as PostgreSQL prints them: set the type parsers of `pg` to text, since its Date would have passed
 * through the process's time zone.
 */
export const pgoutput: Format = {
  name: 'pgoutput',
  changelogMode: 'retract',
  groupEnd: 'marker',
  detect: (samples) => (samples.length > 0 && samples.every(isMessage) ? 1 : 0),
  createDecoder: (options, problems) => {
    noOptions('pgoutput', options, problems)
    return new PgoutputDecoder(options.primaryKey)
  },
}

const tags = new Set([
  'begin',
  'commit',
  'relation',
  'type',
  'origin',
  'message',
  'insert',
  'update',
  'delete',
  'truncate',
])

const encoding: ValueEncoding = { bytes: 'postgres' }

/** A table as its relation message describes it. */
interface Relation {
  readonly table: string
  /** Columns of the replica identity, where they are a key and not the whole row. */
  readonly keyColumns: readonly string[] | undefined
  /** Names and types, to see a change; undefined where the message does not list them. */
  readonly columns: string | undefined
}

class PgoutputDecoder implements Decoder {
  readonly #primaryKey: readonly string[] | undefined
  readonly #relations = new Map<unknown, Relation>()
  readonly #seen = new WeakMap<object, Relation>()
  #group: string | undefined
  #pairs = 0

  constructor(primaryKey: readonly string[] | undefined) {
    this.#primaryKey = primaryKey
  }

  decode(input: InputRecord, emit: Emit): void {
    const record = parseRecord(input)
    const message = messageOf(requireObject(record))
    switch (message['tag']) {
      case 'begin':
        this.#group = textMember(message, 'commitLsn')
        break
      case 'commit':
        this.#commit(record, message, emit)
        break
      case 'relation':
        this.#learn(record, message, emit)
        break
      case 'insert':
      case 'update':
      case 'delete':
        this.#decodeRow(record, message, emit)
        break
      case 'truncate':
        this.#truncate(record, message, emit)
        break
      case 'type':
      case 'origin':
      case 'message':
        break
      default:
        throw malformed(record, 'has no "tag" that pgoutput knows')
    }
  }

  end(): void {
    // a transaction without its commit stays pending
  }

  #commit(record: ParsedRecord, message: JsonObject, emit: Emit): void {
    const end = textMember(message, 'commitEndLsn')
    const group = this.#group ?? textMember(message, 'commitLsn')
    this.#group = undefined
    const position = end === undefined ? undefined : { partition: '', offset: end }
    emit({ type: 'group-end', group, position, record: record.record })
  }

  /** PostgreSQL describes a table before its first row and after each change of its columns. */
  #learn(record: ParsedRecord, message: JsonObject, emit: Emit): Relation {
    const oid = member(message, 'relationOid')
    const known = this.#relations.get(oid)
    const relation = this.#relationOf(message)
    this.#relations.set(oid, relation)
    if (known?.columns !== undefined && relation.columns !== undefined && known.columns !== relation.columns) {
      const description = 'the columns of the table have changed'
      emit({ type: 'schema-change', table: relation.table, description, record: record.record })
    }
    return relation
  }

  #relationOf(message: JsonObject): Relation {
    const name = textMember(message, 'name') ?? ''
    const schema = textMember(message, 'schema')
    const columns = Array.isArray(message['columns']) ? message['columns'].filter(isJsonObject) : undefined
    const keyColumns = textListMember(message, 'keyColumns') ?? []
    // under REPLICA IDENTITY FULL every column is flagged as one of the key
    const isWholeRow =
      message['replicaIdentity'] === 'full' && (columns === undefined || keyColumns.length === columns.length)
    return {
      table: schema === undefined ? name : `${schema}.${name}`,
      keyColumns: keyColumns.length === 0 || isWholeRow ? this.#primaryKey : keyColumns,
      columns: columns?.map((column) => `${textMember(column, 'name')}:${textMember(column, 'typeOid')}`).join(),
    }
  }

  #decodeRow(record: ParsedRecord, message: JsonObject, emit: Emit): void {
    const relation = this.#relationFor(record, message['relation'], emit)
    const context: ChangeContext = { table: relation.table, group: this.#group, encoding }
    const [first, second] = this.#changesOf(record, message, relation, context)
    // only a commit has a position that can be acknowledged
    emitChanges({ ...record, position: undefined }, second === undefined ? [first] : [first, second], emit)
  }

  #changesOf(
    record: ParsedRecord,
    message: JsonObject,
    { keyColumns }: Relation,
    context: ChangeContext,
  ): readonly [Change, Change?] {
    const old = imageOf(message, 'old') ?? imageOf(message, 'key')
    if (message['tag'] === 'delete') {
      if (old === undefined)
        throw malformed(record, 'is a delete without "key" and "old"', 'the table has no replica identity')
      return [createChange('-D', old, context)]
    }
    const row = imageOf(message, 'new')
    if (row === undefined) throw malformed(record, 'has no object in "new"')
    if (message['tag'] === 'insert') return [createChange('+I', row, context)]
    const isFull = imageOf(message, 'old') !== undefined
    if (old === undefined || (!isFull && !differsIn(Object.keys(old), old, row)))
      return [createChange('+U', row, context)]
    return updateChanges(context, old, row, isFull ? keyColumns : Object.keys(old), ++this.#pairs)
  }

  #truncate(record: ParsedRecord, message: JsonObject, emit: Emit): void {
    const relations = Array.isArray(message['relations']) ? message['relations'] : []
    for (const relation of relations) {
      const { table } = this.#relationFor(record, relation, emit)
      emit({ type: 'truncate', table, group: this.#group, record: record.record })
    }
  }

  /** The library puts the relation into each message; a recording may name it by its oid alone. */
  #relationFor(record: ParsedRecord, relation: unknown, emit: Emit): Relation {
    if (isJsonObject(relation) && textMember(relation, 'name') !== undefined) {
      const seen = this.#seen.get(relation)
      if (seen !== undefined) return seen
      const learned = this.#learn(record, relation, emit)
      this.#seen.set(relation, learned)
      return learned
    }
    const known = this.#relations.get(isJsonObject(relation) ? member(relation, 'relationOid') : relation)
    if (known === undefined) throw malformed(record, 'belongs to a relation that was never described')
    return known
  }
}

function isMessage({ value }: Sample): boolean {
  return isJsonObject(value) && tags.has(messageOf(value)['tag'] as string)
}

function messageOf(value: JsonObject): JsonObject {
  const { message } = value
  return value['tag'] === undefined && isJsonObject(message) ? message : value
}

function imageOf(message: JsonObject, name: string): JsonObject | undefined {
  const image = member(message, name)
  return isJsonObject(image) ? image : undefined
}
