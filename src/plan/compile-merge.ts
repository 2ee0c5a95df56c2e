import type { Problem } from '../errors.ts'
import {
  type AggregateFunction,
  type AggregateRule,
  type ColumnRule,
  type MergeEngine,
  type MergePlan,
  type SequenceGroup,
  type StoredColumn,
  takesRetract,
} from '../merge/merge-plan.ts'
import { type DataType, formatDataType } from '../row/data-type.ts'
import type { Schema } from '../row/schema.ts'
import type { SharedValues } from './shared-values.ts'

export interface MergeInput {
  readonly schema: Schema
  readonly options: SharedValues
  /** Names of the options that the user gave: one that has no effect under the chosen engine is a fault. */
  readonly given: ReadonlySet<string>
  /** May the input hold a `-U` or `-D` that reaches the merge function (rule A4)? */
  readonly mayRetract: boolean
  /** Delete modes of the store: tombstone, hard. */
  readonly canTombstone: boolean
  readonly canDelete: boolean
  readonly batchShape: MergePlan['batchShape']
  readonly problems: Problem[]
}

/**
 * Turns merge engine, sequence, group and aggregate options into a merge plan. The faults are those that Paimon finds, and
 * options that would have no effect.
 */
export function compileMerge(input: MergeInput): MergePlan {
  const { schema, options, batchShape } = input
  const engine = options['merge-engine']
  checkEffect(input, engine)
  const sequence = compileSequence(input)
  const groups = engine === 'partial-update' ? compileGroups(input) : []
  const builder = new PlanBuilder(schema)
  const rules = schema.columns.map((_, at) => ruleOf(input, builder, engine, sequence, groups, at))
  for (const rule of rules) if (rule.kind === 'aggregate') checkFunction(input, rule, rules.indexOf(rule))
  // rows that cancel each other, and rows that are only appended, leave nothing behind
  const deleteMode =
    batchShape === undefined
      ? deleteModeOf(input, engine, sequence !== undefined, groups)
      : (options['sink.delete.mode'] ?? 'hard')
  const flag =
    batchShape === undefined && needsFlag(input, engine, deleteMode, groups) ? deletedFlag(input, builder) : undefined
  const deletedAt = flag !== undefined && deleteMode === 'tombstone' ? deletedAtColumn(input, builder) : undefined
  const hidden = builder.hiddenRules
  const all = [...rules, ...hidden]
  if (flag !== undefined) all[flag] = { kind: 'deleted-flag' }
  if (deletedAt !== undefined) all[deletedAt] = { kind: 'deleted-at' }
  return {
    engine,
    batchShape,
    columns: builder.columns,
    declaredCount: schema.columns.length,
    key: batchShape === 'log' ? [] : schema.primaryKey,
    rules: all,
    sequence: sequence && {
      columns: sequence,
      descending: options['sequence.field.sort-order'] === 'descending',
      tie: options['sequence.tie'] === 'first-arrival' ? 'first-arrival' : 'last-arrival',
      gates: engine === 'deduplicate' && batchShape === undefined,
    },
    groups,
    deletedFlag: flag,
    deletedAt,
    deleteMode,
    deleteWithoutSequence: options['sink.delete.without-sequence'],
    removeRecordOnDelete: removesOnDelete(options, engine),
  }
}

function removesOnDelete(options: SharedValues, engine: MergeEngine): boolean {
  if (engine === 'partial-update') return options['partial-update.remove-record-on-delete']
  return engine === 'aggregation' && options['aggregation.remove-record-on-delete']
}

/** Stored columns: the declared ones, then hidden ones as they are asked for. */
class PlanBuilder {
  readonly columns: StoredColumn[]
  readonly hiddenRules: ColumnRule[] = []

  constructor(schema: Schema) {
    this.columns = schema.columns.map(({ name, type, nullable }) => ({ name, type, nullable, hidden: false }))
  }

  position(name: string): number {
    return this.columns.findIndex((column) => column.name === name)
  }

  hide(name: string, type: DataType, rule: ColumnRule): number {
    this.columns.push({ name, type, nullable: true, hidden: true })
    this.hiddenRules.push(rule)
    return this.columns.length - 1
  }
}

const onlyUnder: readonly (readonly [option: string | RegExp, engines: readonly MergeEngine[]])[] = [
  [/^fields\..+\.sequence-group$/, ['partial-update']],
  [/^fields\..+\.(aggregate-function|ignore-retract|distinct|list-agg-delimiter)$/, ['partial-update', 'aggregation']],
  ['fields.default-aggregate-function', ['partial-update', 'aggregation']],
  [/^partial-update\./, ['partial-update']],
  [/^aggregation\./, ['aggregation']],
  ['sequence.field', ['deduplicate', 'partial-update', 'aggregation']],
]

function checkEffect({ given, options, problems }: MergeInput, engine: MergeEngine): void {
  for (const name of given) {
    for (const [pattern, engines] of onlyUnder) {
      const matches = typeof pattern === 'string' ? name === pattern : pattern.test(name)
      if (!matches || engines.includes(engine)) continue
      const fix = `set 'merge-engine' = ${engines.map((one) => `'${one}'`).join(' or ')}, or take the option out`
      problems.push({ subject: name, message: `has no effect under 'merge-engine' = '${engine}'`, fix })
    }
  }
  if (options['sequence.field'] !== undefined) {
    if (options['partial-update.null-overwrites']) {
      problems.push({
        subject: 'partial-update.null-overwrites',
        message:
          "has no effect with 'sequence.field', under which a column keeps its newest value that is not null (G5)",
        fix: "use 'fields.<sequence>.sequence-group', whose newest version brings its nulls, or take one of the two out",
      })
    }
    return
  }
  for (const name of ['sequence.tie', 'sequence.field.sort-order', 'sink.delete.without-sequence']) {
    if (given.has(name)) {
      problems.push({
        subject: name,
        message: "has no effect without 'sequence.field'",
        fix: 'name the sequence columns',
      })
    }
  }
}

function compileSequence({ schema, options, problems }: MergeInput): readonly number[] | undefined {
  const names = options['sequence.field']
  if (names === undefined) return undefined
  return positionsOf(schema, names, 'sequence.field', problems).filter((at) =>
    isSequence(schema, at, 'sequence.field', problems),
  )
}

function isSequence(schema: Schema, at: number, option: string, problems: Problem[]): boolean {
  const column = schema.columns[at]
  if (column === undefined) return false
  if (schema.primaryKey.includes(at)) {
    problems.push({ subject: option, message: `names ${column.name}, which is in the primary key and never changes` })
    return false
  }
  if (ordered.has(column.type.name)) return true
  problems.push({
    subject: option,
    message: `names ${column.name}, whose type ${formatDataType(column.type)} has no order to go by`,
    fix: 'take a number, date, time, timestamp or text column',
  })
  return false
}

/** Types that a sequence can have (Paimon's documentation names the numbers and times; text is compared by code point). */
const ordered: ReadonlySet<string> = new Set([
  ...['TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'DECIMAL', 'FLOAT', 'DOUBLE'],
  ...['DATE', 'TIME', 'TIMESTAMP', 'TIMESTAMP_LTZ', 'CHAR', 'VARCHAR'],
])

function positionsOf(schema: Schema, names: readonly string[], option: string, problems: Problem[]): number[] {
  return names.flatMap((name) => {
    const at = schema.positions.get(name)
    if (at !== undefined) return [at]
    problems.push({ subject: option, message: `names ${name}, which is no written column of the table` })
    return []
  })
}

function compileGroups(input: MergeInput): readonly SequenceGroup[] {
  const { schema, options, problems } = input
  const removing = options['partial-update.remove-record-on-sequence-group'] ?? []
  const owner = new Map<number, string>()
  const groups: SequenceGroup[] = []
  for (const [captured, protectedNames] of options['fields.*.sequence-group']) {
    const option = `fields.${captured}.sequence-group`
    const names = captured.split(',').map((name) => name.trim())
    const sequence = positionsOf(schema, names, option, problems).filter((at) =>
      isSequence(schema, at, option, problems),
    )
    const columns = positionsOf(schema, protectedNames, option, problems)
    for (const at of [...sequence, ...columns]) claim(input, owner, at, option)
    const aggregated = columns.filter((at) => functionOf(input, at) !== undefined)
    groups.push({
      columns: sequence,
      descending: false,
      tie: 'last-arrival',
      plain: columns.filter((at) => !aggregated.includes(at)),
      aggregated,
      removesRecord: removing.some((name) => names.includes(name)),
    })
  }
  checkRemoval(input, groups, removing)
  for (const [at] of schema.columns.entries()) checkUngrouped(input, owner, at)
  return groups
}

function claim({ schema, problems }: MergeInput, owner: Map<number, string>, at: number, option: string): void {
  const name = schema.columns[at]?.name ?? ''
  if (schema.primaryKey.includes(at)) {
    problems.push({ subject: option, message: `protects ${name}, which is in the primary key and never changes` })
  }
  const other = owner.get(at)
  if (other !== undefined && other !== option) {
    problems.push({ subject: option, message: `claims ${name}, which belongs to ${other} already` })
  }
  owner.set(at, option)
}

function checkRemoval(
  { schema, options, problems }: MergeInput,
  groups: readonly SequenceGroup[],
  removing: readonly string[],
): void {
  const option = 'partial-update.remove-record-on-sequence-group'
  const sequences = new Set(groups.flatMap(({ columns }) => columns.map((at) => schema.columns[at]?.name)))
  for (const name of removing) {
    if (!sequences.has(name)) {
      problems.push({ subject: option, message: `names ${name}, which is no sequence column of a group` })
    }
  }
  const ignores = options['ignore-delete'] || options['sink.ignore.delete']
  if (removing.length > 0 && ignores) {
    problems.push({
      subject: option,
      message: 'cannot go with an option that ignores deletes',
      fix: 'keep one of them',
    })
  }
  if (options['partial-update.remove-record-on-delete'] && (groups.length > 0 || ignores)) {
    problems.push({
      subject: 'partial-update.remove-record-on-delete',
      message: groups.length > 0 ? 'cannot go with sequence groups' : 'cannot go with an option that ignores deletes',
      fix: groups.length > 0 ? `use ${option}` : 'keep one of them',
    })
  }
}

/** A function of a column outside every group would see versions in any order (Paimon). */
function checkUngrouped({ schema, options, problems }: MergeInput, owner: Map<number, string>, at: number): void {
  const name = schema.columns[at]?.name ?? ''
  const fn = options['fields.*.aggregate-function'].get(name)
  if (owner.has(at) || fn === undefined || fn === 'last_non_null_value') return
  problems.push({
    subject: `fields.${name}.aggregate-function`,
    message: `${name} is outside every sequence group, where only last_non_null_value can be kept`,
    fix: `put ${name} into a 'fields.<sequence>.sequence-group', or use 'merge-engine' = 'aggregation'`,
  })
}

/** The function of a column by its own option, else by the default one. */
function functionOf({ schema, options }: MergeInput, at: number): AggregateFunction | undefined {
  const name = schema.columns[at]?.name ?? ''
  return options['fields.*.aggregate-function'].get(name) ?? options['fields.default-aggregate-function']
}

function ruleOf(
  input: MergeInput,
  builder: PlanBuilder,
  engine: MergeEngine,
  sequence: readonly number[] | undefined,
  groups: readonly SequenceGroup[],
  at: number,
): ColumnRule {
  const { schema, options } = input
  if (schema.primaryKey.includes(at)) return { kind: 'key' }
  if (sequence?.includes(at)) {
    checkSequenceFunction(input, at)
    return { kind: 'sequence', group: undefined }
  }
  if (engine === 'deduplicate' || engine === 'first-row') return { kind: 'replace' }
  if (engine === 'aggregation') {
    const fn = functionOf(input, at) ?? 'last_non_null_value'
    return aggregate(
      input,
      builder,
      fn,
      at,
      undefined,
      sequence === undefined ? 'arrival' : 'row-sequence',
      sequence ?? [],
    )
  }
  const group = groups.findIndex(({ columns, plain, aggregated }) => [...columns, ...plain, ...aggregated].includes(at))
  const one = groups[group]
  if (one === undefined) {
    if (sequence === undefined) return { kind: 'overwrite', nulls: options['partial-update.null-overwrites'] }
    return aggregate(input, builder, 'last_non_null_value', at, undefined, 'row-sequence', sequence)
  }
  if (one.columns.includes(at)) {
    checkSequenceFunction(input, at)
    return { kind: 'sequence', group }
  }
  if (one.plain.includes(at)) return { kind: 'group-replace', group }
  return aggregate(
    input,
    builder,
    functionOf(input, at) ?? 'last_non_null_value',
    at,
    group,
    'group-sequence',
    one.columns,
  )
}

function checkSequenceFunction({ schema, options, problems }: MergeInput, at: number): void {
  const name = schema.columns[at]?.name ?? ''
  if (options['fields.*.aggregate-function'].has(name)) {
    problems.push({
      subject: `fields.${name}.aggregate-function`,
      message: `${name} is a sequence column, which always keeps its newest value`,
      fix: 'take the option out',
    })
  }
}

const withOwnSequence: ReadonlySet<AggregateFunction> = new Set<AggregateFunction>([
  'last_non_null_value',
  'first_value',
  'first_non_null_value',
])

function aggregate(
  { schema, options }: MergeInput,
  builder: PlanBuilder,
  fn: AggregateFunction,
  at: number,
  group: number | undefined,
  order: AggregateRule['order'],
  sequence: readonly number[],
): AggregateRule {
  const name = schema.columns[at]?.name ?? ''
  const own = order !== 'arrival' && withOwnSequence.has(fn)
  const mapped = options['fields.*.sequence-column'].get(name)
  return {
    kind: 'aggregate',
    function: fn,
    group,
    order,
    ownSequence: own
      ? sequence.map((of, field) => {
          const suffix = sequence.length === 1 ? '' : `_${field + 1}`
          const hidden = mapped?.[field] ?? `__tidegate_sequence_${name}${suffix}`
          const type = (schema.columns[of] as { type: DataType }).type
          return builder.hide(hidden, type, { kind: 'own-sequence', of: at, field })
        })
      : [],
    ignoreRetract: options['fields.*.ignore-retract'].get(name) ?? false,
    distinct: options['fields.*.distinct'].get(name) ?? false,
    delimiter: options['fields.*.list-agg-delimiter'].get(name) ?? ',',
  }
}

const numeric: ReadonlySet<string> = new Set(['TINYINT', 'SMALLINT', 'INT', 'BIGINT', 'DECIMAL', 'FLOAT', 'DOUBLE'])

function typeFault(fn: AggregateFunction, type: DataType): string | undefined {
  switch (fn) {
    case 'sum':
    case 'product':
      return numeric.has(type.name) ? undefined : 'needs a numeric column'
    case 'max':
    case 'min':
      return ordered.has(type.name) ? undefined : 'needs a column with an order'
    case 'bool_and':
    case 'bool_or':
      return type.name === 'BOOLEAN' ? undefined : 'needs a BOOLEAN column'
    case 'listagg':
      return type.name === 'VARCHAR' && type.length === undefined ? undefined : 'needs a STRING column'
    case 'collect':
      return type.name === 'ARRAY' ? undefined : 'needs an ARRAY column'
    default:
      return undefined
  }
}

function checkFunction({ schema, options, given, problems }: MergeInput, rule: AggregateRule, at: number): void {
  const column = schema.columns[at]
  if (column === undefined) return
  const own = `fields.${column.name}.aggregate-function`
  const subject = given.has(own) ? own : 'fields.default-aggregate-function'
  const fault = typeFault(rule.function, column.type)
  if (fault !== undefined) {
    problems.push({
      subject,
      message: `${rule.function} ${fault}, and ${column.name} is ${formatDataType(column.type)}`,
      fix: `choose another function for ${column.name}, or another type`,
    })
  }
  if (rule.function === 'listagg' && rule.order !== 'arrival') {
    problems.push({
      subject,
      message: `listagg appends in the order of arrival and cannot follow a sequence (G5), which ${column.name} has`,
      fix: 'use collect, or take the sequence away',
    })
  }
  if (rule.ignoreRetract && options['aggregation.remove-record-on-delete']) {
    problems.push({
      subject: `fields.${column.name}.ignore-retract`,
      message: "cannot go with 'aggregation.remove-record-on-delete'",
      fix: 'keep one of them',
    })
  }
}

function deleteModeOf(
  { schema, options, given, canTombstone, canDelete, problems }: MergeInput,
  engine: MergeEngine,
  hasSequence: boolean,
  groups: readonly SequenceGroup[],
): MergePlan['deleteMode'] {
  const removesRecord = groups.some((group) => group.removesRecord) || removesOnDelete(options, engine)
  const gates = hasSequence ? engine === 'deduplicate' || removesRecord : groups.some((group) => group.removesRecord)
  const mode = options['sink.delete.mode']
  const retention = options['sink.tombstone.retention']
  if (mode === 'soft' && removesRecord) {
    problems.push({
      subject: 'sink.delete.mode',
      message: 'soft deletes keep what the row held, which the next version would go on folding into',
      fix: "take 'tombstone'",
    })
  }
  if (mode === 'hard' && gates && retention !== 0) {
    problems.push({
      subject: 'sink.delete.mode',
      message:
        'hard deletes leave no sequence behind, so an older change that comes late would bring the row back (G2)',
      fix: "take 'tombstone', or accept it with 'sink.tombstone.retention' = '0'",
    })
  }
  if (given.has('sink.tombstone.retention') && mode !== 'tombstone' && !gates) {
    problems.push({ subject: 'sink.tombstone.retention', message: 'has no effect: no tombstones are written' })
  }
  if (mode !== undefined) return mode
  // a store whose deletes are rows themselves has nothing else
  const hasOnlyTombstones = !canDelete && canTombstone && schema.primaryKey.length > 0
  return (gates && retention !== 0) || hasOnlyTombstones ? 'tombstone' : 'hard'
}

/** Rule A4: what only retracts have touched must be kept and stay invisible. */
function needsFlag(
  { given, mayRetract, canTombstone }: MergeInput,
  engine: MergeEngine,
  deleteMode: MergePlan['deleteMode'],
  groups: readonly SequenceGroup[],
): boolean {
  if (deleteMode !== 'hard' || given.has('sink.delete.column')) return true
  return mayRetract && canTombstone && (engine === 'aggregation' || groups.length > 0)
}

function deletedFlag({ schema, options, problems }: MergeInput, builder: PlanBuilder): number {
  const name = options['sink.delete.column']
  const declared = builder.position(name)
  if (declared < 0) return builder.hide(name, { name: 'BOOLEAN' }, { kind: 'deleted-flag' })
  const { type } = schema.columns[declared] as { type: DataType }
  if (type.name !== 'BOOLEAN' || schema.primaryKey.includes(declared)) {
    problems.push({
      subject: 'sink.delete.column',
      message: `${name} must be a BOOLEAN column outside the primary key, and is ${formatDataType(type)}`,
      fix: 'name another column; one that the table does not declare is made',
    })
  }
  return declared
}

/** When a tombstone was made, by the store's clock; only where tombstones are swept. */
function deletedAtColumn({ options }: MergeInput, builder: PlanBuilder): number | undefined {
  const retention = options['sink.tombstone.retention']
  if (retention === undefined || retention === 'forever' || retention === 0) return undefined
  const name = options['sink.tombstone.column']
  const declared = builder.position(name)
  return declared >= 0 ? declared : builder.hide(name, { name: 'TIMESTAMP_LTZ', precision: 6 }, { kind: 'deleted-at' })
}

/** Columns whose function cannot take a retraction, which the input may hold (rule A2). */
export function columnsRefusingRetract(
  plan: MergePlan,
): readonly { readonly name: string; readonly fn: AggregateFunction }[] {
  return plan.rules.flatMap((rule, at) => {
    if (rule.kind !== 'aggregate' || rule.ignoreRetract || takesRetract.has(rule.function)) return []
    return [{ name: plan.columns[at]?.name ?? '', fn: rule.function }]
  })
}
