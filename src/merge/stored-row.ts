import type { Row } from '../row/row.ts'
import { equalValues, type Value } from '../row/value.ts'
import type { ContributionRow } from './merge-change.ts'
import type { Applied } from './merge-function.ts'
import type { MergePlan, StoredColumn } from './merge-plan.ts'

/** A stored row that holds nothing but the key of `from`. */
export function emptyRow(plan: MergePlan, from: ContributionRow): Row {
  const row: Row = new Array(plan.columns.length).fill(null)
  for (const position of plan.key) row[position] = from[position] as Value
  return row
}

/** Keeps the flag of a row in step with what it is; the store's clock says since when a tombstone is one (rule G2). */
export function setDeleted(plan: MergePlan, row: Row, deleted: boolean, stored: Row | undefined): void {
  const { deletedFlag, deletedAt } = plan
  if (deletedFlag === undefined) return
  row[deletedFlag] = deleted
  if (deletedAt === undefined) return
  const since = stored?.[deletedFlag] === true ? stored[deletedAt] : null
  row[deletedAt] = deleted ? (since ?? null) : null
}

/** Whether a reader sees the stored row: it is neither a tombstone nor softly deleted, nor touched by retracts alone. */
export function isVisible({ deletedFlag }: Pick<MergePlan, 'deletedFlag'>, row: Row): boolean {
  return deletedFlag === undefined || row[deletedFlag] !== true
}

/** Equal column by column; absent and null differ. */
export function sameRow(a: ContributionRow, b: ContributionRow, columns: readonly StoredColumn[]): boolean {
  for (const [position, { type }] of columns.entries()) {
    const x = a[position]
    const y = b[position]
    if (x === y) continue
    if (x === undefined || y === undefined || !equalValues(type, x as Value | null, y as Value | null)) return false
  }
  return true
}

/** The outcome with the new row, or `unchanged` with the stored one if they are equal. */
export function unchangedOr(
  outcome: 'applied' | 'stale',
  stored: Row | undefined,
  row: Row,
  columns: readonly StoredColumn[],
): Applied {
  if (stored !== undefined && sameRow(stored, row, columns)) return { outcome: 'unchanged', row: stored }
  return { outcome, row }
}
