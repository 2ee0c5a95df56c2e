import type { TablePlan } from '../../../src/plan/plan.ts'
import type { Statement } from '../session.ts'
import type { Target } from '../target.ts'
import { quotedName, tableName } from './staged.ts'

/** Removes the tombstones whose retention is over, by the store's clock (rule G2); undefined where they stay for ever. */
export function sweepStatement({ merge, tombstoneRetention }: TablePlan, target: Target): Statement | undefined {
  const { deletedFlag, deletedAt, deleteMode } = merge
  if (deleteMode !== 'tombstone' || deletedFlag === undefined || deletedAt === undefined) return undefined
  if (tombstoneRetention === 'forever') return undefined
  const text = [
    `DELETE FROM ${tableName(target)}`,
    `WHERE ${quotedName(target, deletedFlag)} AND ${quotedName(target, deletedAt)} < UTC_TIMESTAMP(6) - INTERVAL CAST(? AS SIGNED) MICROSECOND`,
  ].join('\n')
  return { text, values: [String(tombstoneRetention * 1000)] }
}
