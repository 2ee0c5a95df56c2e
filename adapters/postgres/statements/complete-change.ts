import { must } from '../../../src/assert.ts'
import type { Contribution, MergeChange } from '../../../src/merge/merge-change.ts'
import type { AggregateRule, MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { isCleared, isCollectDelta, isProductStep } from './change-shape.ts'

/** Everything that the upsert has to know can be seen from the values themselves. */
export function lacksNothing(plan: MergePlan, target: Target, { row }: MergeChange): boolean {
  return plan.rules.every((rule, position) => {
    const contribution = row[position]
    const column = must(target.columns[position], 'a stored column')
    if (contribution === undefined || contribution === null) {
      const isOurs = position === plan.deletedFlag || position === plan.deletedAt
      if (!isOurs && (column.notNull || column.defaultSql !== undefined)) return false
    }
    switch (rule.kind) {
      case 'group-replace':
        return contribution !== undefined || !touchesGroup(plan, rule.group, row)
      case 'overwrite':
        return !rule.nulls || contribution !== undefined
      case 'aggregate':
        return isPlainContribution(plan, rule, contribution, row)
      default:
        return true
    }
  })
}

function isPlainContribution(
  plan: MergePlan,
  rule: AggregateRule,
  contribution: Contribution,
  row: MergeChange['row'],
): boolean {
  if (isCleared(contribution)) return false
  if (isProductStep(contribution)) return contribution.product === 'multiply'
  if (isCollectDelta(contribution)) return contribution.add !== undefined && contribution.remove.length === 0
  switch (rule.function) {
    case 'last_non_null_value':
      return contribution !== null
    case 'last_value':
      return contribution !== undefined || (rule.group !== undefined && !touchesGroup(plan, rule.group, row))
    default:
      return true
  }
}

function touchesGroup(plan: MergePlan, group: number, row: MergeChange['row']): boolean {
  const [first] = must(plan.groups[group], 'a group of the plan').columns
  return first !== undefined && row[first] !== undefined
}
