import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import type { StagedStatement } from './staged.ts'
import { deleteStatement, upsertStatement } from './upsert.ts'

/** Every statement that the flushes of one table send. */
export interface TableStatements {
  /** Whole rows; appended where there is no key. */
  readonly upsert: StagedStatement
  /** By key, ungated. */
  readonly remove: StagedStatement
}

export function tableStatements(plan: MergePlan, target: Target): TableStatements {
  return { upsert: upsertStatement(plan, target), remove: deleteStatement(plan, target) }
}
