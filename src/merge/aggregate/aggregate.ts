import type { Row } from '../../row/row.ts'
import type { Value } from '../../row/value.ts'
import type { ContributionRow } from '../merge-change.ts'
import type { AggregateRule, StoredColumn } from '../merge-plan.ts'
import type { SequenceOrder } from '../sequence.ts'

/**
 * One aggregated column at work (rule A1). Values of records become contributions, contributions of one key become one,
 * and a contribution is merged into the stored value. All of it goes by positions in rows, since a function that depends
 * on order keeps its own sequence in further columns.
 */
export interface Aggregate {
  /** Puts into `change` what an added value contributes: nothing for a null that the function skips. */
  contribute(change: ContributionRow, value: Value | null): void
  /** The same for a value that is taken back; undefined: the function can't (rule A2). */
  readonly retract: ((change: ContributionRow, value: Value | null) => void) | undefined
  /** Merges the contribution in `change`, if any, into `row`. Answers why it can't: the change is rejected then. */
  apply(row: Row, change: ContributionRow, at: ApplyPoint): string | undefined
  /** Puts what both contributions do, one after the other, into `into`; false if one contribution can't say it. */
  compose(into: ContributionRow, earlier: ContributionRow, later: ContributionRow, at: ComposePoint): boolean
}

/** Where a change meets the stored row. */
export interface ApplyPoint {
  /** The change is not older than the sequence of the column's group or row; true where nothing is compared. */
  readonly inOrder: boolean
  /** No record has been added to the row yet: it is not there, or only retracts have touched it. */
  readonly fresh: boolean
}

/** How two changes of one key stand to each other. */
export interface ComposePoint {
  /**
   * By the sequence of the column's group or row: `newer`: the later change is newer; `same`: both take effect together
   * (equal sequences, or nothing is compared); `older`: the later change comes too late.
   */
  readonly relation: 'newer' | 'same' | 'older'
  /** The earlier change adds, so that the row is there when the later one comes. */
  readonly earlierAdds: boolean
}

/** What an aggregate is made from. */
export interface AggregateColumn {
  readonly position: number
  readonly column: StoredColumn
  readonly rule: AggregateRule
  /** By which records are ordered; undefined: by arrival. */
  readonly order: SequenceOrder | undefined
}
