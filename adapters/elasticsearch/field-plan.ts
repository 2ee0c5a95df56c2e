import type { TablePlan } from '../../src/plan/plan.ts'
import type { Dialect } from './dialect.ts'

/**
 * The plan with the names that its columns have as fields: the same, save for a few that the product takes for its own,
 * which get a `_` at the end. `schema` keeps the declared names.
 */
export function fieldPlan({ reservedFields }: Dialect, plan: TablePlan): TablePlan {
  const { merge } = plan
  if (!merge.columns.some(({ name }) => reservedFields.includes(name))) return plan
  const columns = merge.columns.map((column) =>
    reservedFields.includes(column.name) ? { ...column, name: `${column.name}_` } : column,
  )
  return { ...plan, merge: { ...merge, columns } }
}
