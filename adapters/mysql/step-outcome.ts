import type { RejectedChange } from '../../src/connector/batch.ts'

/** What a part of a step did. */
export interface StepOutcome {
  readonly written: number
  readonly stale: number
  readonly faults: readonly ChangeFault[]
}

/** A change that cannot be written, found before or while its step was run. */
export type ChangeFault = Omit<RejectedChange, 'table'>
