import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { type StagedSet, type StagedStatement, storedValue } from './staged.ts'

/** Changes the rows that are there, as `t`, by the staged set `s`. */
export function updateStatement(
  name: string,
  target: Target,
  assignments: readonly string[],
  set: StagedSet,
  conditions: readonly string[],
): StagedStatement {
  const lines = [
    `UPDATE ${quoteQualified(target.name)} AS t SET`,
    `  ${assignments.join(',\n  ')}`,
    `FROM ${set.from()}`,
    `WHERE ${conditions.join('\n  AND ')}`,
  ]
  return { name, text: lines.join('\n'), columns: set.columns }
}

/** Removes the rows that are there for good. */
export function deleteStatement(
  name: string,
  target: Target,
  set: StagedSet,
  conditions: readonly string[],
): StagedStatement {
  const lines = [
    `DELETE FROM ${quoteQualified(target.name)} AS t`,
    `USING ${set.from()}`,
    `WHERE ${conditions.join('\n  AND ')}`,
  ]
  return { name, text: lines.join('\n'), columns: set.columns }
}

/** When the row became a tombstone: a second delete does not make it younger. */
export function deletedSince(plan: MergePlan, target: Target, position: number): string {
  const flag = plan.deletedFlag === undefined ? 'FALSE' : storedValue(target, plan.deletedFlag)
  return `CASE WHEN ${flag} THEN COALESCE(${storedValue(target, position)}, now()) ELSE now() END`
}
