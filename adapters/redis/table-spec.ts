import type { AggregateRule, MergePlan, Sequence } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type DataType, integerRange } from '../../src/row/data-type.ts'
import { comparisonOf } from './type-mapping.ts'

/** How the rows of a table lie in Redis. */
export type ValueFormat = 'hash' | 'json' | 'string' | 'sorted-set'

/** What a call of the script says of a table, as JSON: constant while the sink lives. Positions count from 1, as Lua's do. */
export interface TableSpec {
  readonly layout: 'hash' | 'string' | 'member'
  readonly engine: 'deduplicate' | 'first-row' | 'columnwise' | 'append'
  /** Fields of the hash; of other layouts only their number counts. */
  readonly fields: readonly string[]
  /** The one column of a string or a score; 0 in a hash. */
  readonly value: number
  readonly key: readonly number[]
  /** Columns that are written with the whole row. */
  readonly payload: readonly number[]
  /** NOT NULL, beside the key. */
  readonly required: readonly number[]
  /** Fields that are read before a change is looked at. */
  readonly load: readonly number[]
  /** Position of the flag; 0: there is none. */
  readonly flag: number
  readonly declared_flag: boolean
  readonly delete_mode: MergePlan['deleteMode']
  /** Milliseconds that a tombstone lives, and a row after its last change; 0: for ever. */
  readonly life: number
  readonly ttl: number
  readonly sequence: SequenceSpec | false
  readonly groups: readonly GroupSpec[]
}

interface SequenceSpec {
  readonly columns: readonly number[]
  readonly kinds: readonly string[]
  readonly descending: boolean
  readonly later_wins: boolean
}

interface GroupSpec {
  readonly sequence: SequenceSpec | false
  /** Written as they come, if the change is in order: sequence, plain and overwritten columns. */
  readonly replaced: readonly number[]
  readonly aggregated: readonly AggregateSpec[]
}

interface AggregateSpec {
  readonly name: string
  readonly at: number
  readonly own: readonly number[]
  readonly in_group: boolean
  readonly numbers: string
  readonly scale: number
  readonly zero: string
  readonly lowest: string
  readonly highest: string
}

/** Functions that the script keeps; the others need more than one value and a contribution, or texts that it cannot read. */
const inScript: ReadonlySet<string> = new Set([
  'sum',
  'max',
  'min',
  'last_value',
  'last_non_null_value',
  'first_value',
  'first_non_null_value',
  'bool_and',
  'bool_or',
])

/**
 * Does the script merge the table's changes by itself? Else its rows are read, merged by the merge function, and put back
 * if nobody has changed them in between.
 */
export function mergesInScript({ merge, connectorOptions }: Pick<TablePlan, 'merge' | 'connectorOptions'>): boolean {
  if (connectorOptions['value.format'] === 'json') return false
  if (merge.removeRecordOnDelete || merge.groups.some(({ removesRecord }) => removesRecord)) return false
  return merge.rules.every((rule, at) => {
    if (rule.kind !== 'aggregate') return true
    // single precision is rounded in a way that Lua has no means for
    return inScript.has(rule.function) && !(rule.function === 'sum' && merge.columns[at]?.type.name === 'FLOAT')
  })
}

/** Stored columns in the order of the plan. When a tombstone was made is for Redis to know: it expires. */
export function storedPositions({ columns, deletedAt }: MergePlan): readonly number[] {
  return [...columns.keys()].filter((at) => at !== deletedAt)
}

/** For changes that the script merges. */
export function scriptSpec(plan: TablePlan): TableSpec {
  const spec = new SpecBuilder(plan)
  const { merge } = plan
  if (merge.key.length === 0) return spec.build('append', [])
  if (merge.engine === 'deduplicate') return spec.build('deduplicate', spec.gateFields())
  if (merge.engine === 'first-row') return spec.build('first-row', spec.gateFields())
  return spec.build('columnwise', spec.all())
}

/** For rows that come back merged. Rows of a hash are read whole; of another layout there is one value. */
export function putSpec(plan: TablePlan): TableSpec {
  const spec = new SpecBuilder(plan)
  if (spec.format === 'hash') return { ...spec.build('deduplicate', spec.all()), sequence: false, required: [] }
  const value = spec.format === 'json' ? 1 : spec.valuePosition()
  return {
    ...spec.build('deduplicate', [value]),
    layout: 'string',
    fields: spec.format === 'json' ? ['json'] : spec.fields,
    value,
    key: [],
    payload: [],
    required: [],
    flag: 0,
    sequence: false,
  }
}

class SpecBuilder {
  readonly format: ValueFormat
  readonly fields: readonly string[]
  readonly #plan: TablePlan
  readonly #positions: ReadonlyMap<number, number>

  constructor(plan: TablePlan) {
    this.#plan = plan
    this.format = plan.connectorOptions['value.format'] as ValueFormat
    const stored = storedPositions(plan.merge)
    this.#positions = new Map(stored.map((at, index) => [at, index + 1]))
    this.fields = stored.map((at) => plan.merge.columns[at]?.name ?? '')
  }

  build(engine: TableSpec['engine'], load: readonly number[]): TableSpec {
    const { merge, schema, tombstoneRetention, connectorOptions } = this.#plan
    const { deletedFlag, sequence } = merge
    const flag = deletedFlag === undefined ? 0 : this.#at(deletedFlag)
    return {
      layout: this.format === 'hash' ? 'hash' : this.format === 'sorted-set' ? 'member' : 'string',
      engine,
      fields: this.fields,
      value: this.format === 'hash' ? 0 : this.valuePosition(),
      key: this.#all(merge.key),
      payload: this.#where(({ kind }) => kind === 'replace' || kind === 'sequence'),
      required: this.#all(
        [...schema.columns.keys()].filter((at) => schema.columns[at]?.nullable === false && !merge.key.includes(at)),
      ),
      load,
      flag,
      declared_flag: deletedFlag !== undefined && deletedFlag < merge.declaredCount,
      delete_mode: merge.deleteMode,
      life: merge.deleteMode === 'tombstone' && tombstoneRetention !== 'forever' ? tombstoneRetention : 0,
      ttl: connectorOptions['row.ttl'] as number,
      sequence: sequence === undefined ? false : this.#sequence(sequence),
      groups: engine === 'columnwise' ? this.#groups() : [],
    }
  }

  all(): readonly number[] {
    return this.fields.map((_, index) => index + 1)
  }

  /** By which a row is seen to be there, and what stands at the gate. */
  gateFields(): readonly number[] {
    const { key, sequence, deletedFlag } = this.#plan.merge
    const [first] = key
    const flag = deletedFlag === undefined ? [] : [deletedFlag]
    return this.#all([...(first === undefined ? [] : [first]), ...(sequence?.columns ?? []), ...flag])
  }

  valuePosition(): number {
    const { key } = this.#plan.merge
    const at = [...this.#positions.keys()].find((position) => !key.includes(position))
    return at === undefined ? 0 : this.#at(at)
  }

  #at(position: number): number {
    return this.#positions.get(position) ?? 0
  }

  #all(positions: readonly number[]): readonly number[] {
    return positions.map((position) => this.#at(position))
  }

  #where(test: (rule: MergePlan['rules'][number]) => boolean): readonly number[] {
    const { rules, declaredCount } = this.#plan.merge
    return this.#all([...rules.keys()].filter((at) => at < declaredCount && test(rules[at] as (typeof rules)[number])))
  }

  #sequence({ columns, descending, tie }: Sequence): SequenceSpec {
    return {
      columns: this.#all(columns),
      kinds: columns.map((at) => this.#comparison(at)),
      descending,
      later_wins: tie === 'last-arrival',
    }
  }

  #comparison(at: number): string {
    if (this.format === 'sorted-set') return 'double'
    return comparisonOf(this.#typeOf(at)) ?? 'bytes'
  }

  #typeOf(at: number): DataType {
    return this.#plan.merge.columns[at]?.type ?? { name: 'JSON' }
  }

  /** The sequence groups, and everything outside of them. */
  #groups(): readonly GroupSpec[] {
    const { merge } = this.#plan
    const ungrouped = [...merge.rules.keys()].filter((at) => {
      const rule = merge.rules[at]
      return rule?.kind === 'aggregate' && rule.group === undefined
    })
    return [
      ...merge.groups.map((group): GroupSpec => {
        return {
          sequence: this.#sequence(group),
          replaced: this.#all([...group.columns, ...group.plain]),
          aggregated: group.aggregated.map((at) => this.#aggregate(at)),
        }
      }),
      {
        sequence: merge.sequence === undefined ? false : this.#sequence(merge.sequence),
        replaced: [...this.#all(merge.sequence?.columns ?? []), ...this.#where(({ kind }) => kind === 'overwrite')],
        aggregated: ungrouped.map((at) => this.#aggregate(at)),
      },
    ]
  }

  #aggregate(at: number): AggregateSpec {
    const rule = this.#plan.merge.rules[at] as AggregateRule
    const type = this.#typeOf(at)
    return {
      name: rule.function,
      at: this.#at(at),
      own: this.#all(rule.ownSequence),
      in_group: rule.order === 'group-sequence',
      numbers: this.#comparison(at),
      ...(this.format === 'sorted-set' ? scoreRange(type) : rangeOf(type)),
    }
  }
}

type Range = Pick<AggregateSpec, 'scale' | 'zero' | 'lowest' | 'highest'>

const unlimited: Range = { scale: 0, zero: '0', lowest: '', highest: '' }

/** What a sum may not leave. */
function rangeOf(type: DataType): Range {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT': {
      const [lowest, highest] = integerRange[type.name]
      return { ...unlimited, lowest: String(lowest), highest: String(highest) }
    }
    case 'DECIMAL': {
      const { precision, scale } = type
      const fraction = scale === 0 ? '' : `.${'9'.repeat(scale)}`
      const highest = `${'9'.repeat(precision - scale) || '0'}${fraction}`
      return { scale, zero: scale === 0 ? '0' : `0.${'0'.repeat(scale)}`, lowest: `-${highest}`, highest }
    }
    default:
      return unlimited
  }
}

/** A score is a double: whole numbers are exact up to 2^53. */
export const scoreMax = 2 ** 53

function scoreRange(type: DataType): Range {
  return type.name === 'BIGINT' ? { ...unlimited, lowest: String(-scoreMax), highest: String(scoreMax) } : rangeOf(type)
}
