import { createCoercion } from '../row/coerce.ts'
import type { DataType } from '../row/data-type.ts'
import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import { isRetract, type RowKind } from '../row/row-kind.ts'
import type { LiftInput } from './merge-function.ts'
import type {
  AggregateFunction,
  AggregateRule,
  ColumnRule,
  MergeEngine,
  MergePlan,
  SequenceGroup,
  StoredColumn,
} from './merge-plan.ts'

/** A case of `fixtures/paimon-cases.json`, which explains its members, or of `fixtures/found-cases.json`. */
export interface MergeCase {
  readonly id: string
  readonly mergeEngine: MergeEngine
  readonly columns: readonly { readonly name: string; readonly type: string }[]
  readonly primaryKey: readonly string[]
  readonly options?: Readonly<Record<string, string>>
  readonly sequenceField?: readonly string[]
  readonly sequenceSortOrder?: string
  readonly sequenceGroups?: readonly { readonly sequence: readonly string[]; readonly columns: readonly string[] }[]
  readonly aggregateFunctions?: Readonly<Record<string, string>>
  readonly defaultAggregateFunction?: string
  readonly ignoreRetract?: readonly string[]
  readonly quirk?: boolean
  readonly quirkColumns?: readonly string[]
  readonly expectConfigError?: string
  readonly note?: string
  /** What Paimon shows after the last step. */
  readonly paimon?: { readonly visible: boolean; readonly row: readonly unknown[] | null }
  readonly steps: readonly MergeCaseStep[]
}

export interface MergeCaseStep {
  readonly kind: RowKind
  readonly row: readonly unknown[]
  readonly expect?: { readonly visible?: boolean; readonly row: readonly unknown[] | null }
  readonly expectError?: string
}

const ownSequenceFunctions: ReadonlySet<string> = new Set([
  'last_non_null_value',
  'first_value',
  'first_non_null_value',
])

/** The plan of a case: tombstones wherever something can be deleted, so that nothing is forgotten. */
export function compileCase(mergeCase: MergeCase): MergePlan {
  const { mergeEngine: engine, options = {} } = mergeCase
  const declared = mergeCase.columns.map(({ name, type }) => ({
    name,
    type: parseType(type),
    nullable: !type.endsWith('NOT NULL'),
    hidden: false,
  }))
  const at = (name: string): number => declared.findIndex((column) => column.name === name)
  const key = mergeCase.primaryKey.map(at)
  const columns: StoredColumn[] = [...declared]
  const hiddenRules: ColumnRule[] = []
  const hide = (name: string, type: DataType, rule: ColumnRule): number => {
    hiddenRules.push(rule)
    return columns.push({ name, type, nullable: true, hidden: true }) - 1
  }
  const sequence = mergeCase.sequenceField?.map(at)
  const removing = (options['partial-update.remove-record-on-sequence-group'] ?? '').split(',')
  const functionOf = (position: number): string | undefined =>
    mergeCase.aggregateFunctions?.[declared[position]?.name ?? ''] ?? mergeCase.defaultAggregateFunction
  const groups = (mergeCase.sequenceGroups ?? []).map(({ sequence: fields, columns: names }): SequenceGroup => {
    const positions = names.map(at)
    return {
      columns: fields.map(at),
      descending: false,
      tie: 'last-arrival',
      plain: positions.filter((position) => functionOf(position) === undefined),
      aggregated: positions.filter((position) => functionOf(position) !== undefined),
      removesRecord: fields.some((field) => removing.includes(field)),
    }
  })

  const aggregate = (position: number, name: string, group: number | undefined): AggregateRule => {
    const column = declared[position] as StoredColumn
    const by = group === undefined ? sequence : groups[group]?.columns
    const canonical = name === 'first_not_null_value' ? 'first_non_null_value' : name
    return {
      kind: 'aggregate',
      function: canonical as AggregateFunction,
      group,
      order: by === undefined ? 'arrival' : group === undefined ? 'row-sequence' : 'group-sequence',
      ownSequence:
        by === undefined || !ownSequenceFunctions.has(canonical)
          ? []
          : by.map((of, field) =>
              hide(`own_${column.name}_${field}`, (declared[of] as StoredColumn).type, {
                kind: 'own-sequence',
                of: position,
                field,
              }),
            ),
      ignoreRetract: mergeCase.ignoreRetract?.includes(column.name) ?? false,
      distinct: options[`fields.${column.name}.distinct`] === 'true',
      delimiter: options[`fields.${column.name}.list-agg-delimiter`] ?? ',',
    }
  }

  const ruleOf = (position: number): ColumnRule => {
    if (key.includes(position)) return { kind: 'key' }
    if (sequence?.includes(position)) return { kind: 'sequence', group: undefined }
    if (engine === 'deduplicate' || engine === 'first-row') return { kind: 'replace' }
    if (engine === 'aggregation') return aggregate(position, functionOf(position) ?? 'last_non_null_value', undefined)
    const ofSequence = groups.findIndex((group) => group.columns.includes(position))
    if (ofSequence >= 0) return { kind: 'sequence', group: ofSequence }
    const group = groups.findIndex(({ plain, aggregated }) => [...plain, ...aggregated].includes(position))
    if (group < 0) {
      return sequence === undefined
        ? { kind: 'overwrite', nulls: false }
        : aggregate(position, 'last_non_null_value', undefined)
    }
    if (groups[group]?.plain.includes(position)) return { kind: 'group-replace', group }
    return aggregate(position, functionOf(position) ?? '', group)
  }

  const rules = declared.map((_, position) => ruleOf(position))
  const needsFlag = engine !== 'first-row'
  const deletedFlag = needsFlag ? hide('deleted', { name: 'BOOLEAN' }, { kind: 'deleted-flag' }) : undefined
  return {
    engine,
    columns,
    declaredCount: declared.length,
    key,
    rules: [...rules, ...hiddenRules],
    sequence: sequence && {
      columns: sequence,
      descending: mergeCase.sequenceSortOrder === 'descending',
      tie: 'last-arrival',
      gates: engine === 'deduplicate',
    },
    groups,
    deletedFlag,
    deleteMode: needsFlag ? 'tombstone' : 'hard',
    deleteWithoutSequence: 'apply',
    removeRecordOnDelete: options[`${engine}.remove-record-on-delete`] === 'true',
  }
}

/** What reaches the merge function; undefined for a record that an ignore option drops before it. */
export function readStep(mergeCase: MergeCase, plan: MergePlan, step: MergeCaseStep): LiftInput | undefined {
  const row = readRow(plan, step.row)
  const kindField = mergeCase.options?.['rowkind.field']
  const kindAt = mergeCase.columns.findIndex(({ name }) => name === kindField)
  const kind = kindAt < 0 ? step.kind : (row[kindAt] as RowKind)
  if (isRetract(kind) && mergeCase.options?.['ignore-delete'] === 'true') return undefined
  // the column says what the record is, not what the retracted row held
  if (kindAt >= 0 && isRetract(kind)) row[kindAt] = undefined
  return { kind, row, key: keyOf(plan, row), image: 'full' }
}

export function readRow(plan: MergePlan, values: readonly unknown[]): Row {
  return values.map((value, position) => {
    const { type } = plan.columns[position] as StoredColumn
    return value === null || value === undefined ? (value as null) : createCoercion(type)(value)
  })
}

export function keyOf(plan: MergePlan, row: Row): FoldKey {
  return plan.key.map((position) => String(row[position])).join('|')
}

/** What a reader sees of a stored row: its declared columns, or nothing. */
export function readerView(plan: MergePlan, stored: Row | undefined): Row | undefined {
  if (stored === undefined || (plan.deletedFlag !== undefined && stored[plan.deletedFlag] === true)) return undefined
  return stored.slice(0, plan.declaredCount)
}

export function parseType(text: string): DataType {
  const bare = text.replace(/ NOT NULL$/, '')
  const [, name = '', , first, , second] = /^(\w+)(\((\d+)(,(\d+))?\))?$/.exec(bare) ?? []
  const element = /^ARRAY<(.+)>$/.exec(bare)?.[1]
  if (element !== undefined) return { name: 'ARRAY', element: parseType(element) }
  if (name === 'STRING') return { name: 'VARCHAR', length: undefined }
  if (name === 'DECIMAL') return { name, precision: Number(first), scale: Number(second ?? 0) }
  if (name === 'TIMESTAMP') return { name, precision: Number(first ?? 6) }
  return { name } as DataType
}
