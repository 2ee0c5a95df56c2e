import type { TableDefinition } from '../ddl/table-definition.ts'
import { type Column, primaryKeyNames } from '../row/schema.ts'

/** What the model reads of a table: its declared columns and key, and its WITH options under their canonical names. */
export type ModelTable = Pick<TableDefinition, 'schema' | 'options'>

/** The options that decide what a change does to a row, spelled out once. */
export interface ModelRules {
  readonly columns: readonly Column[]
  /** Names of the primary key columns; empty without one. */
  readonly key: readonly string[]
  readonly engine: string
  /** `sequence.field`; empty without one. */
  readonly sequence: readonly string[]
  readonly descending: boolean
  /** `sequence.tie` = `first-arrival`. */
  readonly firstArrivalWins: boolean
  readonly groups: readonly ModelGroup[]
  /** Aggregate function by column. */
  readonly functions: ReadonlyMap<string, ModelFunction>
  readonly rowKindField: string | undefined
  readonly updateBefore: string
  readonly ignoreDelete: boolean
  readonly ignoreRetracts: boolean
  readonly deleteMode: string
  readonly deleteWithoutSequence: string
  readonly removeRecordOnDelete: boolean
  readonly nullOverwrites: boolean
  readonly notNullEnforcer: string
  readonly truncate: string
}

export interface ModelGroup {
  readonly sequence: readonly string[]
  /** The protected columns without the sequence itself. */
  readonly columns: readonly string[]
  readonly removesRecord: boolean
}

export interface ModelFunction {
  readonly name: string
  readonly ignoreRetract: boolean
  readonly distinct: boolean
  readonly delimiter: string
}

export function readModelRules(table: ModelTable): ModelRules {
  const { schema } = table
  const options = new Map(Object.entries(table.options))
  const engine = options.get('merge-engine') ?? 'deduplicate'
  const sequence = names(options.get('sequence.field'))
  const groups = readGroups(options)
  const key = primaryKeyNames(schema)
  return {
    columns: schema.columns,
    key,
    engine,
    sequence,
    descending: options.get('sequence.field.sort-order') === 'descending',
    firstArrivalWins: options.get('sequence.tie') === 'first-arrival',
    groups,
    functions: readFunctions(schema.columns, options, engine, [
      ...key,
      ...sequence,
      ...groups.flatMap((group) => group.sequence),
    ]),
    rowKindField: options.get('rowkind.field'),
    updateBefore: options.get('sink.ignore.update-before') ?? 'auto',
    ignoreDelete: options.get('sink.ignore.delete') === 'true',
    ignoreRetracts: options.get('ignore-delete') === 'true',
    deleteMode:
      options.get('sink.delete.mode') ?? (engine === 'deduplicate' && sequence.length > 0 ? 'tombstone' : 'hard'),
    deleteWithoutSequence: options.get('sink.delete.without-sequence') ?? 'apply',
    removeRecordOnDelete: options.get(`${engine}.remove-record-on-delete`) === 'true',
    nullOverwrites: options.get('partial-update.null-overwrites') === 'true',
    notNullEnforcer: options.get('sink.not-null-enforcer') ?? 'error',
    truncate: options.get('sink.truncate') ?? 'apply',
  }
}

function names(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

function readGroups(options: ReadonlyMap<string, string>): ModelGroup[] {
  const removing = names(options.get('partial-update.remove-record-on-sequence-group'))
  const groups: ModelGroup[] = []
  for (const [option, value] of options) {
    const sequence = /^fields\.(.+)\.sequence-group$/.exec(option)?.[1]
    if (sequence === undefined) continue
    const fields = names(sequence)
    groups.push({
      sequence: fields,
      columns: names(value).filter((column) => !fields.includes(column)),
      removesRecord: fields.some((field) => removing.includes(field)),
    })
  }
  return groups
}

/** Every column without a function of its own takes the default one, save key and sequence columns. */
function readFunctions(
  columns: readonly Column[],
  options: ReadonlyMap<string, string>,
  engine: string,
  without: readonly string[],
): Map<string, ModelFunction> {
  const fallback =
    options.get('fields.default-aggregate-function') ?? (engine === 'aggregation' ? 'last_non_null_value' : undefined)
  const functions = new Map<string, ModelFunction>()
  for (const { name: column } of columns) {
    if (without.includes(column)) continue
    const name = options.get(`fields.${column}.aggregate-function`) ?? fallback
    if (name === undefined) continue
    functions.set(column, {
      name: name === 'first_not_null_value' ? 'first_non_null_value' : name,
      ignoreRetract: options.get(`fields.${column}.ignore-retract`) === 'true',
      distinct: options.get(`fields.${column}.distinct`) === 'true',
      delimiter: options.get(`fields.${column}.list-agg-delimiter`) ?? ',',
    })
  }
  return functions
}
