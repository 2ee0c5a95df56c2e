import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { StagedStatement } from './staged.ts'

/** Every statement that the flushes of one table send, and which change goes out in which. */
export interface TableStatements {
  route(change: MergeChange): Route
  /** For `explain`. */
  readonly all: readonly NamedStatement[]
}

export type Route = DirectRoute | MergeRoute

interface AnyRoute {
  /** The change may take the row away: it goes before what writes rows, and after it where others may point at (B4). */
  removes(change: MergeChange): boolean
}

/** One statement says it all, whatever is stored: it needs no answer before the next one is sent. */
export interface DirectRoute extends AnyRoute {
  readonly kind: 'direct'
  readonly statement: StagedStatement
  /** The changes that did not touch a row were older than what is stored. */
  readonly countsStale: boolean
}

/**
 * Rows that are there are locked in order of the key, so that writers of the same keys wait for each other instead of
 * deadlocking; then they are changed by `existing`, and rows that are not are inserted.
 */
export interface MergeRoute extends AnyRoute {
  readonly kind: 'merge'
  /** Gives the numbers of the changes whose row is there. */
  readonly lock: StagedStatement
  readonly existing: readonly ExistingStatement[]
  /** Leaves alone what another writer has inserted since: the flush is tried again then. */
  readonly insert: StagedStatement
  missing(change: MergeChange): MissingOutcome
}

export interface ExistingStatement {
  readonly takes: (change: MergeChange) => boolean
  readonly statement: StagedStatement
}

/** What a change does whose row is not there: `rejected` if nothing could hold its state (rule A4). */
export type MissingOutcome = 'insert' | 'nothing' | 'rejected'

export interface NamedStatement {
  readonly purpose: string
  readonly statement: StagedStatement
}
