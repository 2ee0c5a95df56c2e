import type { ContributionRow } from '../merge-change.ts'
import { isNullTuple, type SequenceOrder } from '../sequence.ts'

/**
 * The sequence at which one column was set, kept in hidden columns beside it (rule G5), since other records of the row
 * may be newer. In a change it stands beside the contribution; in a stored row it is all null while nothing was set.
 */
export interface OwnSequence {
  /** The record's sequence becomes that of the contribution. */
  stamp(change: ContributionRow): void
  copy(into: ContributionRow, from: ContributionRow): void
  clear(row: ContributionRow): void
  /** Order of two rows by this column's own sequence. */
  compare(a: ContributionRow, b: ContributionRow): number
  isNull(row: ContributionRow): boolean
}

export function createOwnSequence(columns: readonly number[], order: SequenceOrder): OwnSequence {
  return {
    stamp(change) {
      for (const [field, position] of columns.entries())
        change[position] = change[order.columns[field] as number] ?? null
    },
    copy(into, from) {
      for (const position of columns) into[position] = from[position]
    },
    clear(row) {
      for (const position of columns) row[position] = null
    },
    compare: (a, b) => order.compareAt(a, columns, b, columns),
    isNull: (row) => isNullTuple(row, columns),
  }
}
