import { unreachable } from '../../../src/assert.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { columnwiseStatements } from './columnwise.ts'
import { deduplicateStatements } from './deduplicate.ts'
import { firstRowStatements } from './first-row.ts'
import type { TableStatements } from './route.ts'

export function tableStatements(plan: MergePlan, target: Target): TableStatements {
  switch (plan.engine) {
    case 'deduplicate':
      return deduplicateStatements(plan, target)
    case 'first-row':
      return firstRowStatements(plan, target)
    case 'partial-update':
    case 'aggregation':
      return columnwiseStatements(plan, target)
    default:
      return unreachable(plan.engine)
  }
}
