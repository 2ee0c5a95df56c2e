import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Dialect } from '../session.ts'
import type { Target } from '../target.ts'
import { columnAt, joinedByKey, quotedName, stagedRows, storedValue, tableName } from './staged.ts'
import { deletionTime, stagedPositions } from './upsert.ts'

/** The stored rows of some keys, each with the number of its key, locked until the end of the transaction. */
export function lockRows(merge: MergePlan, target: Target, dialect: Dialect): string {
  const texts = target.columns.map(({ codec }, at) => codec.select(`t.${quotedName(target, at)}`))
  return [
    `SELECT s.n, ${texts.join(', ')}`,
    `FROM ${stagedRows(merge.key)}`,
    joinedByKey(target, merge.key),
    // the staged rows can't be locked, which MySQL wants to be told
    dialect.product === 'MySQL' ? 'FOR UPDATE OF t' : 'FOR UPDATE',
  ].join('\n')
}

/** Gives rows that are there all their columns anew. */
export function updateRows(merge: MergePlan, target: Target): string | undefined {
  const positions = [...merge.columns.keys()]
  const assignments = positions
    .filter((at) => !merge.key.includes(at))
    .map((at) => {
      const value = at === merge.deletedAt ? deletionTime(merge, target) : storedValue(target, at)
      return `t.${quotedName(target, at)} = ${value}`
    })
  if (assignments.length === 0) return undefined
  return [
    `UPDATE ${stagedRows(stagedPositions(merge))}`,
    joinedByKey(target, merge.key),
    `SET ${assignments.join(',\n  ')}`,
  ].join('\n')
}

export function deleteRows(merge: MergePlan, target: Target): string {
  return [`DELETE t FROM ${stagedRows(merge.key)}`, joinedByKey(target, merge.key)].join('\n')
}

/** The declared columns of rows that a reader sees, in order of the key. */
export function selectRows(merge: MergePlan, target: Target, limit: number): string {
  const texts = [...merge.columns.keys()]
    .slice(0, merge.declaredCount)
    .map((at) => columnAt(target, at).codec.select(quotedName(target, at)))
  return [
    `SELECT ${texts.join(', ')}`,
    `FROM ${tableName(target)}`,
    ...(merge.deletedFlag === undefined ? [] : [`WHERE ${quotedName(target, merge.deletedFlag)} IS NOT TRUE`]),
    ...(merge.key.length === 0 ? [] : [`ORDER BY ${merge.key.map((at) => quotedName(target, at)).join(', ')}`]),
    `LIMIT ${limit}`,
  ].join('\n')
}
