import { must } from '../../../src/assert.ts'
import { noRule } from '../../../src/connector/capabilities.ts'
import type { PlannedTable } from '../../../src/connector/connector.ts'
import type { Problem } from '../../../src/errors.ts'
import type { AggregateFunction, MergePlan, SequenceGroup } from '../../../src/merge/merge-plan.ts'
import type { DataType } from '../../../src/row/data-type.ts'
import type { Value } from '../../../src/row/value.ts'
import { quoteIdentifier } from '../identifier.ts'
import type { RowBinary } from '../row-binary.ts'
import { versionBytes, versionOf } from '../row-version.ts'
import { typeMapping, valueWriter, type WriteValue } from '../type-mapping.ts'
import type { Engine, OutgoingRow, TableColumn } from './engine.ts'
import { columnNames } from './plan-columns.ts'
import { versionColumn, versionProblems } from './version-column.ts'

/**
 * Rows of a key are merged column by column. Where order decides, a column holds a tuple with what it is ordered by in front,
 * and the highest tuple stays: of a sequence group its sequence and the number of the arrival, which decides between equal
 * sequences (rules G1, G3); elsewhere the number of the arrival.
 * https://clickhouse.com/docs/engines/table-engines/mergetree-family/aggregatingmergetree
 */
export const aggregating: Engine = {
  name: 'AggregatingMergeTree',
  capabilities: {
    ...noRule,
    changelog: 'upsert',
    deleteModes: ['tombstone'],
    patch: true,
    sequence: { gate: false, compound: true, descending: true, firstArrival: false, text: false },
    sequenceGroups: true,
    aggregates: [
      ...['max', 'min', 'sum', 'bool_and', 'bool_or'],
      ...['last_value', 'last_non_null_value', 'first_value', 'first_non_null_value'],
    ] as readonly AggregateFunction[],
    retracts: ['sum', 'last_value', 'last_non_null_value'],
    truncate: true,
    exactlyOnce: false,
    outcome: 'none',
    singleWriter: true,
    volatile: false,
    tombstoneLife: 'until you remove it',
  },
  columns: (plan) => [...storedColumns(plan), versionOfRow(plan)],
  parameters: () => [],
  sortedBy: (plan) => columnNames(plan, plan.merge.key),
  countedBy: (plan) => versionColumn(plan, 8).name,
  countsRepeats: true,
  purpose: 'what the changes bring to each column',
  reading: (plan) => {
    const flag = plan.merge.columns[plan.merge.deletedFlag ?? -1]
    return flag === undefined ? 'FINAL' : `FINAL WHERE NOT ${quoteIdentifier(flag.name)}`
  },
  unread: 'parts of rows that are still to be merged',
  expression: (plan, at) => {
    const { merge } = plan
    const group = merge.groups.findIndex((one) => membersOf(one).includes(at))
    if (group >= 0) {
      const member = membersOf(must(merge.groups[group], 'found')).indexOf(at)
      return `tupleElement(${quoteIdentifier(groupColumn(group))}, ${member + 3})`
    }
    const name = quoteIdentifier(must(merge.columns[at], 'a column').name)
    return orderOf(merge, at) === undefined ? name : `tupleElement(${name}, 2)`
  },
  problems,
}

/** Columns that are replaced together, in the order of the tuple: behind version and arrival. */
function membersOf({ columns, plain }: SequenceGroup): readonly number[] {
  return [...columns, ...plain]
}

const groupColumn = (index: number): string => `__tidegate_group_${index + 1}`

function storedColumns({ merge }: PlannedTable): readonly TableColumn[] {
  const grouped = new Set(merge.groups.flatMap(membersOf))
  const single = merge.columns.flatMap((_, at) => (grouped.has(at) ? [] : [singleColumn(merge, at)]))
  return [...single, ...merge.groups.map((group, index) => tupleOfGroup(merge, group, index))]
}

function singleColumn(merge: MergePlan, at: number): TableColumn {
  const { name, type } = must(merge.columns[at], 'a column')
  const native = nativeOf(type)
  const write = valueWriter(type)
  if (merge.key.includes(at)) {
    return { name, type: native, isOwn: false, write: (out, { row }) => write(out, valueAt(row, at)) }
  }
  if (at === merge.deletedFlag) {
    // visible once anything was added (rule A4)
    const flag = 'SimpleAggregateFunction(min, Bool)'
    return { name, type: flag, isOwn: false, write: (out, { isDeleted }) => out.byte(isDeleted ? 1 : 0) }
  }
  const order = orderOf(merge, at)
  const rule = must(merge.rules[at], 'a rule each column')
  // a first record that lacks the column counts as null
  const takesAbsent = rule.kind === 'aggregate' && rule.function === 'first_value'
  if (order !== undefined) return orderedColumn({ name, order, native, write, at, takesAbsent })
  if (rule.kind !== 'aggregate') throw new Error(`no column of an AggregatingMergeTree: ${rule.kind}`)
  const stored = rule.function === 'sum' ? sumType(type) : { native, write }
  return {
    name,
    type: `SimpleAggregateFunction(${foldOf(rule.function)}, Nullable(${stored.native}))`,
    isOwn: false,
    write: (out, { row }) => writeNullable(out, stored.write, valueAt(row, at)),
  }
}

/** Which arrival stays, for the rules that go by it; undefined: order does not matter. */
function orderOf({ rules }: MergePlan, at: number): 'max' | 'min' | undefined {
  const rule = rules[at]
  if (rule?.kind === 'overwrite') return 'max'
  if (rule?.kind !== 'aggregate') return undefined
  switch (rule.function) {
    case 'last_value':
    case 'last_non_null_value':
      return 'max'
    case 'first_value':
    case 'first_non_null_value':
      return 'min'
    default:
      return undefined
  }
}

interface OrderedColumn {
  readonly name: string
  readonly order: 'max' | 'min'
  readonly native: string
  readonly write: WriteValue
  readonly at: number
  readonly takesAbsent: boolean
}

function orderedColumn({ name, order, native, write, at, takesAbsent }: OrderedColumn): TableColumn {
  // what says nothing stands behind everything that does
  const untouched = order === 'max' ? 0n : 0xffff_ffff_ffff_ffffn
  return {
    name,
    type: `SimpleAggregateFunction(${order}, Tuple(UInt64, Nullable(${native})))`,
    isOwn: false,
    write: (out, { row, version, isDeleted }) => {
      const counts = takesAbsent ? !isDeleted : row[at] !== undefined
      out.long(counts ? version : untouched)
      writeNullable(out, write, valueAt(row, at))
    },
  }
}

function tupleOfGroup(merge: MergePlan, group: SequenceGroup, index: number): TableColumn {
  const versioned = { sequence: group, columns: merge.columns }
  const bytes = must(versionBytes(versioned), 'the plan is checked')
  const members = membersOf(group).map((at) => {
    const { type } = must(merge.columns[at], 'a column')
    return { at, native: nativeOf(type), write: valueWriter(type) }
  })
  const types = members.map(({ native }) => `Nullable(${native})`).join(', ')
  return {
    name: groupColumn(index),
    type: `SimpleAggregateFunction(max, Tuple(UInt${bytes * 8}, UInt64, ${types}))`,
    isOwn: true,
    write: (out, { row, version }) => {
      const touches = row[group.columns[0] ?? -1] !== undefined
      out.wide(touches ? versionOf(versioned, row) : 0n, bytes)
      out.long(touches ? version : 0n)
      for (const { at, write } of members) writeNullable(out, write, touches ? valueAt(row, at) : null)
    },
  }
}

/** The number of the arrival, for the next writer to go on from. */
function versionOfRow(plan: PlannedTable): TableColumn {
  return { ...versionColumn(plan, 8), type: 'SimpleAggregateFunction(max, UInt64)' }
}

function foldOf(name: AggregateFunction): string {
  switch (name) {
    case 'bool_and':
      return 'min'
    case 'bool_or':
      return 'max'
    default:
      return name
  }
}

/** The server's sum of a type is of a wider one. */
function sumType(type: DataType): { readonly native: string; readonly write: WriteValue } {
  switch (type.name) {
    case 'FLOAT':
    case 'DOUBLE':
      return { native: 'Float64', write: valueWriter({ name: 'DOUBLE' }) }
    case 'DECIMAL': {
      const wide: DataType = { ...type, precision: type.precision <= 38 ? 38 : 76 }
      return { native: nativeOf(wide), write: valueWriter(wide) }
    }
    default:
      return { native: 'Int64', write: (out, value) => out.long(BigInt((value ?? 0) as number | bigint)) }
  }
}

function nativeOf(type: DataType): string {
  return must(typeMapping.nativeType(type), 'a plan has only types that the store can hold')
}

function valueAt(row: OutgoingRow['row'], at: number): Value | null {
  return (row[at] ?? null) as Value | null
}

function writeNullable(out: RowBinary, write: WriteValue, value: Value | null): void {
  out.byte(value === null ? 1 : 0)
  if (value !== null) write(out, value)
}

/** A change that touches a group and lacks some of its columns: the tuple is replaced as a whole. */
export function lackingInGroups({ groups, columns }: MergePlan, row: ArrayLike<unknown>): string | undefined {
  for (const group of groups) {
    if (row[group.columns[0] ?? -1] === undefined) continue
    const lacking = group.plain.filter((at) => row[at] === undefined).map((at) => columns[at]?.name)
    if (lacking.length > 0) return `it lacks ${lacking.join(', ')}, and a sequence group is replaced as a whole`
  }
  return undefined
}

function problems(plan: PlannedTable): readonly Problem[] {
  const { merge } = plan
  const found: Problem[] = versionProblems(plan)
  const refuse = (subject: string, message: string, fix: string) => found.push({ subject, message, fix })
  if (merge.engine !== 'partial-update' && merge.engine !== 'aggregation') {
    refuse('engine', `aggregating merges columns, and ${merge.engine} replaces rows`, "take 'engine' = 'replacing'")
  }
  if (merge.removeRecordOnDelete || merge.groups.some(({ removesRecord }) => removesRecord)) {
    const subject = `${merge.engine}.remove-record-on-${merge.removeRecordOnDelete ? 'delete' : 'sequence-group'}`
    refuse(subject, 'cannot be kept: an AggregatingMergeTree merges rows and removes none', 'take it out')
  }
  for (const group of merge.groups) {
    const names = columnNames(plan, group.columns).join(', ')
    if (group.tie === 'first-arrival') {
      refuse('sequence.tie', 'lets the later arrival win where sequences are equal in clickhouse', 'take it out')
    }
    if (versionBytes({ sequence: group, columns: merge.columns }) === undefined) {
      refuse(`fields.${names}.sequence-group`, 'does not fit into 256 bits', 'take fewer or shorter columns')
    }
    for (const at of group.aggregated) {
      if (orderOf(merge, at) === undefined) continue
      const { name } = must(merge.columns[at], 'a column')
      const message = 'goes by order, and inside of a sequence group only max, min, sum, bool_and and bool_or are kept'
      refuse(`fields.${name}.aggregate-function`, message, 'leave the function out: the column follows its group')
    }
  }
  return found
}
