import { unreachable } from '../assert.ts'
import type { AggregateRule, ColumnRule, MergePlan } from '../merge/merge-plan.ts'

/** How a stored column merges, in words, e.g. `sum` or `follows order_ts`. */
export function columnRuleText(plan: MergePlan, at: number): string {
  const rule = plan.rules[at] as ColumnRule
  if (plan.key.length === 0 && !isKept(rule)) return 'appended'
  switch (rule.kind) {
    case 'key':
      return 'primary key'
    case 'sequence':
      return sequenceText(plan, rule.group)
    case 'replace':
      return replaceText(plan)
    case 'group-replace':
      return `follows ${sequenceNames(plan, rule.group)}, nulls too`
    case 'overwrite':
      return rule.nulls ? 'overwritten, nulls too' : 'overwritten by what is not null'
    case 'aggregate':
      return aggregateText(plan, rule)
    case 'deleted-flag':
      return 'true where a reader does not see the row'
    case 'deleted-at':
      return 'when the row was deleted, by the clock of the store'
    case 'own-sequence':
      return `sequence at which ${nameAt(plan, rule.of)} was set`
    default:
      return unreachable(rule)
  }
}

/** Columns that tidegate keeps for itself mean the same whatever the key is. */
function isKept(rule: ColumnRule): boolean {
  return rule.kind === 'deleted-flag' || rule.kind === 'deleted-at' || rule.kind === 'own-sequence'
}

function sequenceText(plan: MergePlan, group: number | undefined): string {
  if (group !== undefined) return `sequence of ${protectedNames(plan, group)}`
  if (plan.batchShape === 'retract-pairs') return 'sequence: tells the images of a row apart'
  const order = plan.sequence?.descending === true ? ', lower is newer' : ''
  return plan.sequence?.gates === true
    ? `sequence: an older row is dropped${order}`
    : `sequence: orders changes, drops none${order}`
}

function replaceText({ engine, sequence, columns, batchShape }: MergePlan): string {
  if (batchShape === 'retract-pairs') return 'set and taken back with the row'
  if (engine === 'first-row') return 'kept from the first row'
  if (sequence === undefined) return 'replaced with the row'
  const names = sequence.columns.map((at) => columns[at]?.name).join(', ')
  return `replaced with the row, unless older by ${names}`
}

function aggregateText(plan: MergePlan, rule: AggregateRule): string {
  const parts: string[] = [rule.function]
  if (rule.order === 'group-sequence' && rule.group !== undefined) {
    parts.push(`ordered by ${sequenceNames(plan, rule.group)}`)
  } else if (rule.order === 'row-sequence' && plan.sequence !== undefined) {
    parts.push(`ordered by ${plan.sequence.columns.map((at) => nameAt(plan, at)).join(', ')}`)
  }
  if (rule.distinct) parts.push('each value once')
  if (rule.function === 'listagg') parts.push(`between values ${JSON.stringify(rule.delimiter)}`)
  if (rule.ignoreRetract) parts.push('retractions ignored')
  return parts.join(', ')
}

function sequenceNames(plan: MergePlan, group: number): string {
  return (plan.groups[group]?.columns ?? []).map((at) => nameAt(plan, at)).join(', ')
}

function protectedNames(plan: MergePlan, index: number): string {
  const group = plan.groups[index]
  return [...(group?.plain ?? []), ...(group?.aggregated ?? [])].map((at) => nameAt(plan, at)).join(', ')
}

function nameAt({ columns }: MergePlan, at: number): string {
  return columns[at]?.name ?? ''
}
