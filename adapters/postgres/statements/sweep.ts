import type { TablePlan } from '../../../src/plan/plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Statement } from '../session.ts'
import type { Target } from '../target.ts'
import { quotedName } from './staged.ts'

/** Removes the tombstones whose retention is over, by the store's clock (rule G2); undefined where they stay for ever. */
export function sweepStatement({ merge, tombstoneRetention }: TablePlan, target: Target): Statement | undefined {
  const { deletedFlag, deletedAt, deleteMode } = merge
  if (deleteMode !== 'tombstone' || deletedFlag === undefined || deletedAt === undefined) return undefined
  if (tombstoneRetention === 'forever') return undefined
  const since = quotedName(target, deletedAt)
  const text = [
    `DELETE FROM ${quoteQualified(target.name)}`,
    `WHERE ${quotedName(target, deletedFlag)} AND ${since} < now() - make_interval(secs => $1::float8)`,
  ].join('\n')
  return { text, values: [tombstoneRetention / 1000] }
}
