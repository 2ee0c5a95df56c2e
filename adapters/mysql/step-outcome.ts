import type { RejectedChange } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'

/** What a part of a step did. */
export interface StepOutcome {
  readonly written: number
  readonly stale: number
  readonly faults: readonly ChangeFault[]
}

/** A change that cannot be written, found before or while its step was run. */
export type ChangeFault = Omit<RejectedChange, 'table'>

export function tooLargeFault(change: MergeChange): ChangeFault {
  return { change, reason: "the row is larger than the server's max_allowed_packet" }
}
