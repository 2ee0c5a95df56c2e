import type { Change } from '../changelog/element.ts'
import type { MergeChange } from '../merge/merge-change.ts'

/** Told what becomes of each change on its way into the buffer; for traces. */
export interface IntakeObserver {
  /** Called again for a change that was held, if it is ignored or rejected in the end. */
  taken(
    change: Change,
    table: number,
    outcome: IntakeOutcome,
    reason: string | undefined,
    effect?: IntakeEffect | undefined,
  ): void
}

/** What a change will do to rows once it is flushed. */
export interface IntakeEffect {
  readonly own: MergeChange
  /** The change moved its row here: what happens under the old key, in place of the update-before (rule K6). */
  readonly oldKey?: MergeChange | undefined
}

export type IntakeOutcome = 'buffered' | 'held' | 'ignored' | 'rejected'
