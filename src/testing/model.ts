import type { Change, ChangelogElement } from '../changelog/element.ts'
import type { ErrorCode } from '../errors.ts'
import { keyText } from '../row/row-key.ts'
import { isAdd, isRetract, parseRowKind, type RowKind } from '../row/row-kind.ts'
import type { Column } from '../row/schema.ts'
import { compareNullable, equalValues, type Value } from '../row/value.ts'
import { aggregateColumn, type Contribution, ModelRejection } from './model-aggregate.ts'
import { type ModelFunction, type ModelGroup, type ModelRules, type ModelTable, readModelRules } from './model-rules.ts'

/** What a store must show after a changelog. */
export interface ModelResult {
  /** The rows that a reader sees, every declared column in each; in order of their first arrival. */
  readonly rows: readonly Record<string, Value | null>[]
  /** Records that cannot be taken, by their index in the changelog; they leave no trace in the rows. */
  readonly rejected: readonly { readonly index: number; readonly code: ErrorCode }[]
}

/**
 * The oracle of the tests: a whole table, worked out from its WITH options and a list of changes by the rules of
 * `docs/SPEC.md`, without any of the machinery that it judges. It keeps every record of a key and computes the row anew
 * from all of them, so it is slow and has no state to get wrong. Values must be canonical (`src/row/value.ts`).
 *
 * It knows nothing of flushes: however a changelog is cut, the store must end as this says. Outside of it are
 * `sink.upsert-key`, `sink.on-conflict`, the retention of tombstones (they are kept for ever), and the remove-record options
 * together with `sequence.field`.
 */
export function model(table: ModelTable, changelog: readonly ChangelogElement[]): ModelResult {
  const rules = readModelRules(table)
  const state = new ModelState(rules)
  const rejected: { index: number; code: ErrorCode }[] = []
  for (const step of readSteps(rules, changelog)) {
    try {
      state.take(step)
    } catch (error) {
      if (!(error instanceof ModelRejection)) throw error
      rejected.push({ index: step.index, code: error.code })
    }
  }
  return { rows: state.visibleRows(), rejected }
}

/** Values by column name; a column that the record does not mention has no entry. */
type Values = ReadonlyMap<string, Value | null>

interface ModelRecord {
  readonly kind: RowKind
  readonly values: Values
}

interface Step {
  readonly index: number
  readonly does: 'truncate' | 'add' | 'delete' | 'version-delete' | 'retract' | ErrorCode
  readonly record: ModelRecord
  readonly key: string
  readonly pair: number | undefined
  readonly otherHalf: Read | undefined
}

interface Read {
  readonly index: number
  readonly record: ModelRecord
  readonly key: string | undefined
  readonly pair: number | undefined
  readonly truncate: boolean
}

/** The changelog without what options drop, each `-U` settled by what follows it (rule K2). */
function readSteps(rules: ModelRules, changelog: readonly ChangelogElement[]): Step[] {
  const reads: Read[] = []
  for (const [index, element] of changelog.entries()) {
    if (element.type === 'truncate') {
      const record: ModelRecord = { kind: '-D', values: new Map() }
      reads.push({ index, record, key: undefined, pair: undefined, truncate: true })
    }
    if (element.type !== undefined && element.type !== 'change') continue
    const record = readRecord(rules, element)
    if (!dropped(rules, record)) {
      reads.push({ index, record, key: keyOf(rules, record.values), pair: element.pair, truncate: false })
    }
  }
  return reads.flatMap((read, at) => settle(rules, read, otherHalf(reads, read), reads.slice(at + 1)) ?? [])
}

/** The half of the same pair that has another key: the update moved the row (rule K6). */
function otherHalf(reads: readonly Read[], read: Read): Read | undefined {
  if (read.pair === undefined) return undefined
  return reads.find(({ pair, key }) => pair === read.pair && key !== read.key)
}

function readRecord(rules: ModelRules, change: Change): ModelRecord {
  const values = new Map<string, Value | null>()
  for (const { name } of rules.columns) {
    const value = Object.hasOwn(change.row, name) ? change.row[name] : undefined
    if (value === undefined || (change.image === 'key' && !rules.key.includes(name))) continue
    values.set(name, value as Value | null)
  }
  const named = rules.rowKindField === undefined ? undefined : parseRowKind(change.row[rules.rowKindField])
  const kind = named ?? change.kind
  return { kind, values: kind === '-D' && saysOnlyTheKey(rules, values) ? keyPart(rules, values) : values }
}

/** Sources write a delete by key with nulls in the other columns; those nulls are no values (rule G6). */
function saysOnlyTheKey(rules: ModelRules, values: Values): boolean {
  return rules.key.length > 0 && [...values].every(([name, value]) => rules.key.includes(name) || value === null)
}

function keyPart(rules: ModelRules, values: Values): Values {
  return new Map([...values].filter(([name]) => rules.key.includes(name)))
}

function dropped(rules: ModelRules, { kind, values }: ModelRecord): boolean {
  if (isRetract(kind) && rules.ignoreRetracts) return true
  if (kind === '-D' && rules.ignoreDelete) return true
  if (rules.notNullEnforcer !== 'drop' || !isAdd(kind)) return false
  return rules.columns.some((column) => !column.nullable && values.get(column.name) === null)
}

/** Undefined without a primary key, or if a part of the key is null or absent. */
function keyOf(rules: ModelRules, values: Values): string | undefined {
  const parts: string[] = []
  for (const column of rules.columns.filter(({ name }) => rules.key.includes(name))) {
    const value = values.get(column.name)
    if (value === undefined || value === null) return undefined
    parts.push(keyText(column.type, value))
  }
  return parts.length === 0 ? undefined : JSON.stringify(parts)
}

function settle(rules: ModelRules, read: Read, half: Read | undefined, after: readonly Read[]): Step | undefined {
  const { index, record, pair } = read
  const { kind } = record
  const step = (does: Step['does'], taken: ModelRecord = record): Step => {
    return { index, does, record: taken, key: read.key ?? '', pair, otherHalf: half }
  }
  if (read.truncate) {
    if (rules.truncate === 'error') return step('TRUNCATE_REFUSED')
    return rules.truncate === 'apply' ? step('truncate') : undefined
  }
  if (rules.key.length === 0) return kind === '+I' ? step('add') : step('KIND_UNSUPPORTED')
  if (read.key === undefined) return step('KEY_MISSING')
  if (isAdd(kind)) return step('add')
  if (rules.engine === 'deduplicate' && half !== undefined) return step('delete', asOfTheMove(rules, record, half))
  if (kind === '-U' && rules.updateBefore === 'true') return undefined
  if (rules.engine === 'deduplicate') {
    if (kind === '-D') return step('delete')
    return rules.updateBefore === 'auto' && isFollowed(read, after) ? undefined : step('version-delete')
  }
  if (rules.engine === 'aggregation' || rules.groups.length > 0) return step('retract')
  if (kind === '-D') return rules.removeRecordOnDelete ? step('retract') : step('RETRACT_UNSUPPORTED')
  return isFollowed(read, after) || rules.removeRecordOnDelete ? undefined : step('RETRACT_UNSUPPORTED')
}

/** A `-U` is one half of an update if the next record of its key is the new image. */
function isFollowed(read: Read, after: readonly Read[]): boolean {
  const next = after.find(({ key, truncate }) => truncate || key === read.key)
  return next !== undefined && !next.truncate && isAdd(next.record.kind)
}

/** The row left its old key at the time of the update, so its sequence there is that of the new image. */
function asOfTheMove(rules: ModelRules, { kind, values }: ModelRecord, { record }: Read): ModelRecord {
  const sequence = [...record.values].filter(([name]) => rules.sequence.includes(name))
  return { kind, values: new Map([...values, ...sequence]) }
}

class ModelState {
  readonly #rules: ModelRules
  readonly #byKey = new Map<string, Step[]>()
  readonly #appended: Values[] = []
  /** What stood under the old key of an update that changed the key, by pair id (rule K6). */
  readonly #moved = new Map<number, Values | undefined>()

  constructor(rules: ModelRules) {
    this.#rules = rules
  }

  take(step: Step): void {
    switch (step.does) {
      case 'truncate':
        this.#byKey.clear()
        this.#appended.length = 0
        return
      case 'add':
      case 'delete':
      case 'version-delete':
      case 'retract':
        break
      default:
        throw new ModelRejection(step.does, 'cannot be taken')
    }
    refuseNulls(this.#rules, step.record)
    if (this.#rules.key.length === 0) {
      this.#appended.push(completed(this.#rules, step.record.values))
      return
    }
    const history = this.#byKey.get(step.key) ?? []
    if (step.pair !== undefined && step.otherHalf !== undefined && step.does !== 'add') {
      this.#moved.set(step.pair, visibleRow(this.#rules, history))
    }
    const next = [...history, this.#completeMove(step)]
    refuseIncomplete(this.#rules, visibleRow(this.#rules, next))
    this.#byKey.set(step.key, next)
  }

  visibleRows(): Record<string, Value | null>[] {
    const rows = [...this.#appended]
    for (const history of this.#byKey.values()) {
      const row = visibleRow(this.#rules, history)
      if (row !== undefined) rows.push(row)
    }
    return rows.map((row) => Object.assign(Object.create(null), Object.fromEntries(row)))
  }

  /** What the new image of a changed key does not say is taken from the old image, else from the old row (rule K6). */
  #completeMove(step: Step): Step {
    const { pair, otherHalf: half, record } = step
    if (this.#rules.engine !== 'deduplicate' || step.does !== 'add') return step
    if (pair === undefined || half === undefined || !isRetract(half.record.kind)) return step
    const values = new Map([...half.record.values, ...record.values])
    if (this.#rules.columns.every(({ name }) => values.has(name))) return { ...step, record: { ...record, values } }
    const old = this.#moved.get(pair)
    // sent again, a move finds its row under the new key
    if (old === undefined && visibleRow(this.#rules, this.#byKey.get(step.key) ?? []) !== undefined) return step
    if (old === undefined) throw new ModelRejection('MOVE_WITHOUT_ROW', 'no row stands under the old key')
    return { ...step, record: { ...record, values: new Map([...old, ...values]) } }
  }
}

function refuseNulls(rules: ModelRules, { kind, values }: ModelRecord): void {
  if (!isAdd(kind)) return
  if (rules.columns.some((column) => !column.nullable && values.get(column.name) === null)) {
    throw new ModelRejection('ROW_INVALID', 'null in a NOT NULL column')
  }
}

function refuseIncomplete(rules: ModelRules, row: Values | undefined): void {
  if (row === undefined) return
  if (rules.columns.some((column) => !column.nullable && (row.get(column.name) ?? null) === null)) {
    throw new ModelRejection('ROW_REJECTED', 'a NOT NULL column has no value')
  }
}

/** Every declared column; what was never said is NULL. */
function completed(rules: ModelRules, values: Values): Values {
  return new Map(rules.columns.map(({ name }) => [name, values.get(name) ?? null]))
}

/** The row that a reader sees after these records of one key, in order of arrival; undefined: none. */
function visibleRow(rules: ModelRules, history: readonly Step[]): Values | undefined {
  switch (rules.engine) {
    case 'deduplicate':
      return latestVersion(rules, history)
    case 'first-row':
      return history[0] === undefined ? undefined : completed(rules, history[0].record.values)
    default:
      return mergedRow(rules, history)
  }
}

/** Rules G1, G2 and G6: who wins is decided record by record against what stands there. */
function latestVersion(rules: ModelRules, history: readonly Step[]): Values | undefined {
  let row: Values | undefined
  /** Sequence of the row or of the tombstone that stands in its place. */
  let stored: Tuple | undefined
  const remove = (sequence: Tuple | undefined): void => {
    row = undefined
    stored = rules.deleteMode === 'hard' ? undefined : sequence
  }
  for (const { does, record } of history) {
    const incoming = tupleOf(rules.sequence, record.values)
    const order = stored === undefined ? 1 : compareTuples(rules, rules.sequence, incoming, stored, rules.descending)
    const unsequenced = rules.sequence.length > 0 && rules.sequence.every((name) => !record.values.has(name))
    if (does === 'add') {
      if (order < 0 || (order === 0 && rules.sequence.length > 0 && rules.firstArrivalWins)) continue
      row = withSequence(rules, new Map([...(row ?? completed(rules, new Map())), ...record.values]), incoming)
      stored = incoming
    } else if (does === 'version-delete' && (order === 0 || unsequenced || rules.sequence.length === 0)) {
      if (row !== undefined && carriesTheSame(rules, record.values, row)) remove(stored)
    } else if (does === 'delete' && unsequenced) {
      if (rules.deleteWithoutSequence === 'error') throw new ModelRejection('DELETE_WITHOUT_SEQUENCE', 'no sequence')
      if (rules.deleteWithoutSequence === 'apply') remove(stored)
    } else if (order >= 0) {
      remove(incoming)
    }
  }
  return row
}

/** An absent sequence column counts as null, so a newer tuple is stored as it was compared. */
function withSequence(rules: ModelRules, row: Map<string, Value | null>, sequence: Tuple): Values {
  for (const [index, name] of rules.sequence.entries()) row.set(name, sequence[index] ?? null)
  return row
}

/** The column of `rowkind.field` says what the record is, not what the row holds. */
function carriesTheSame(rules: ModelRules, values: Values, row: Values): boolean {
  return rules.columns.every(({ name, type }) => {
    const value = values.get(name)
    return name === rules.rowKindField || value === undefined || equalValues(type, value, row.get(name) ?? null)
  })
}

/** `partial-update` and `aggregation`: every column by its own rule (rules G3, G5, A1, A4). */
function mergedRow(rules: ModelRules, history: readonly Step[]): Values | undefined {
  const all = history.map(({ record }) => record)
  const gone = all.slice(0, lastRemoval(rules, all) + 1)
  const rest = all.slice(gone.length)
  const row = new Map<string, Value | null>()
  for (const name of rules.key) row.set(name, all[0]?.values.get(name) ?? null)
  for (const [name, value] of rowSequence(rules, rest)) row.set(name, value)
  for (const group of rules.groups) {
    for (const [name, value] of groupColumns(rules, group, gone, rest)) row.set(name, value)
  }
  for (const column of rules.columns) {
    if (!row.has(column.name)) row.set(column.name, looseColumn(rules, column, rest))
  }
  // a key that only retractions have touched keeps its state and stays invisible
  return rest.some((record) => isAdd(record.kind) && outlives(rules, gone, record)) ? row : undefined
}

/** Index of the last record that removed the row; -1 if none did. */
function lastRemoval(rules: ModelRules, records: readonly ModelRecord[]): number {
  let removed = -1
  for (const [index, { kind, values }] of records.entries()) {
    if (kind !== '-D') continue
    if (rules.removeRecordOnDelete) removed = index
    for (const group of rules.groups.filter((candidate) => candidate.removesRecord)) {
      const incoming = tupleOf(group.sequence, values)
      const stored = groupSequence(rules, group, records.slice(0, index))
      if (!isNullTuple(incoming) && compareTuples(rules, group.sequence, incoming, stored, false) >= 0) removed = index
    }
  }
  return removed
}

/** A row that a group removed does not come back by a record that this group holds for older than the removal. */
function outlives(rules: ModelRules, gone: readonly ModelRecord[], { values }: ModelRecord): boolean {
  return rules.groups
    .filter(({ removesRecord }) => removesRecord)
    .every((group) => {
      const incoming = tupleOf(group.sequence, values)
      const stored = groupSequence(rules, group, gone)
      return isNullTuple(incoming) || compareTuples(rules, group.sequence, incoming, stored, false) >= 0
    })
}

/** The newest sequence of all records, older ones notwithstanding (rule G5). */
function rowSequence(rules: ModelRules, records: readonly ModelRecord[]): Values {
  let newest: Tuple = rules.sequence.map(() => null)
  for (const { values } of records) {
    const incoming = tupleOf(rules.sequence, values)
    if (compareTuples(rules, rules.sequence, incoming, newest, rules.descending) > 0) newest = incoming
  }
  return new Map(rules.sequence.map((name, index) => [name, newest[index] ?? null]))
}

function groupSequence(rules: ModelRules, group: ModelGroup, records: readonly ModelRecord[]): Tuple {
  let stored: Tuple = group.sequence.map(() => null)
  for (const { values } of records) {
    const incoming = tupleOf(group.sequence, values)
    if (compareTuples(rules, group.sequence, incoming, stored, false) > 0) stored = incoming
  }
  return stored
}

/** `gone` are the records up to the removal of the row; of those only the sequence is left, as a tombstone. */
function groupColumns(
  rules: ModelRules,
  group: ModelGroup,
  gone: readonly ModelRecord[],
  rest: readonly ModelRecord[],
): Values {
  const taking = rest.filter(({ values }) => !isNullTuple(tupleOf(group.sequence, values)))
  const result = new Map<string, Value | null>()
  const newest = groupSequence(rules, group, [...gone, ...taking])
  for (const [index, name] of group.sequence.entries()) result.set(name, newest[index] ?? null)
  for (const column of rules.columns.filter(({ name }) => group.columns.includes(name))) {
    const rule = rules.functions.get(column.name)
    if (rule === undefined) {
      result.set(column.name, plainGroupColumn(rules, group, column.name, groupSequence(rules, group, gone), taking))
      continue
    }
    const entries = contributions(column.name, group.sequence, taking)
    const newer = (a: Sequenced, b: Sequenced): number =>
      compareTuples(rules, group.sequence, a.sequence, b.sequence, false)
    result.set(column.name, aggregateColumn(column.type, rule, sinceCleared(rule, entries, newer), newer, false))
  }
  return result
}

/**
 * In a group a retraction counts whatever its age (rule G3), so one of last_value or last_non_null_value clears what came
 * before it. A last_value older than the newest record stays cleared after that.
 */
function sinceCleared(
  { name, ignoreRetract }: ModelFunction,
  entries: readonly Sequenced[],
  newer: (a: Sequenced, b: Sequenced) => number,
): readonly Sequenced[] {
  if (ignoreRetract || (name !== 'last_value' && name !== 'last_non_null_value')) return entries
  const clears = (entry: Sequenced): boolean => entry.retract && (name === 'last_value' || entry.value !== null)
  const after = entries.slice(entries.findLastIndex(clears) + 1)
  if (name === 'last_non_null_value') return after
  return after.filter((entry) => entries.every((other) => newer(entry, other) >= 0))
}

/** Replaced by a record that is not older, nulls included; cleared by a retraction that is not older (rule G3). */
function plainGroupColumn(
  rules: ModelRules,
  group: ModelGroup,
  name: string,
  tombstone: Tuple,
  records: readonly ModelRecord[],
): Value | null {
  let stored = tombstone
  let value: Value | null = null
  for (const { kind, values } of records) {
    const incoming = tupleOf(group.sequence, values)
    if (compareTuples(rules, group.sequence, incoming, stored, false) < 0) continue
    stored = incoming
    const said = values.get(name)
    if (isRetract(kind)) value = null
    else if (said !== undefined) value = said
  }
  return value
}

/** A column outside every group: by its function, or overwritten by what is not null. */
function looseColumn(rules: ModelRules, column: Column, records: readonly ModelRecord[]): Value | null {
  const rule = rules.functions.get(column.name)
  const newer = (a: Sequenced, b: Sequenced): number =>
    compareTuples(rules, rules.sequence, a.sequence, b.sequence, rules.descending)
  const firstArrivalWins = rules.sequence.length > 0 && rules.firstArrivalWins
  if (rule !== undefined && rules.engine === 'aggregation') {
    const entries = contributions(column.name, rules.sequence, records)
    return aggregateColumn(column.type, rule, entries, newer, firstArrivalWins)
  }
  const adds = records.filter(({ kind }) => isAdd(kind))
  const overwrite = {
    name: rules.nullOverwrites ? 'last_value' : 'last_non_null_value',
    ignoreRetract: true,
    distinct: false,
    delimiter: ',',
  }
  const entries = contributions(column.name, rules.sequence, adds)
  return aggregateColumn(column.type, overwrite, entries, newer, firstArrivalWins)
}

interface Sequenced extends Contribution {
  readonly sequence: Tuple
}

function contributions(name: string, sequence: readonly string[], records: readonly ModelRecord[]): Sequenced[] {
  return records.flatMap(({ kind, values }) => {
    const value = values.get(name)
    return value === undefined ? [] : [{ retract: isRetract(kind), value, sequence: tupleOf(sequence, values) }]
  })
}

type Tuple = readonly (Value | null)[]

function tupleOf(sequence: readonly string[], values: Values): Tuple {
  return sequence.map((name) => values.get(name) ?? null)
}

function isNullTuple(tuple: Tuple): boolean {
  return tuple.every((value) => value === null)
}

/** Field by field; null is lowest, in descending order too (rule G1). */
function compareTuples(rules: ModelRules, names: readonly string[], a: Tuple, b: Tuple, descending: boolean): number {
  for (const [index, name] of names.entries()) {
    const column = rules.columns.find((candidate) => candidate.name === name)
    if (column === undefined) continue
    const [x, y] = [a[index] ?? null, b[index] ?? null]
    const order = compareNullable(column.type, x, y)
    if (order !== 0) return descending && x !== null && y !== null ? -order : order
  }
  return 0
}
