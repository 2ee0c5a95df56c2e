import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { keysEqual, StagedSet, type StagedStatement, storedValue } from './staged.ts'

/** Locks the rows of the staged keys in the order of the keys, and gives the numbers of those that are there. */
export function lockStatement(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const keys = keysEqual(target, plan.key, set)
  const { from, number } = set.numbered()
  const lines = [
    `SELECT ${number}::text`,
    `FROM ${from}`,
    `JOIN ${quoteQualified(target.name)} AS t ON ${keys}`,
    `ORDER BY ${number}`,
    'FOR NO KEY UPDATE OF t',
  ]
  return { name: 'lock', text: lines.join('\n'), columns: set.columns }
}

/** The same with the declared columns as text, for rows that a reader sees. */
export function readLockedStatement(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const keys = keysEqual(target, plan.key, set)
  const columns = plan.columns
    .slice(0, plan.declaredCount)
    .map((_, position) => `${storedValue(target, position)}::text`)
  const { from, number } = set.numbered()
  const isLive = plan.deletedFlag === undefined ? [] : [`WHERE ${storedValue(target, plan.deletedFlag)} IS NOT TRUE`]
  const lines = [
    `SELECT ${number}::text, ${columns.join(', ')}`,
    `FROM ${from}`,
    `JOIN ${quoteQualified(target.name)} AS t ON ${keys}`,
    ...isLive,
    `ORDER BY ${number}`,
    'FOR NO KEY UPDATE OF t',
  ]
  return { name: 'read', text: lines.join('\n'), columns: set.columns }
}
