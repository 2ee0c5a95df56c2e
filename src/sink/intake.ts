import type { ErrorCode } from '../errors.ts'
import type { LiftInput } from '../merge/merge-function.ts'

/** A change as the table takes it, or why it does not. */
export type Intake =
  | { readonly outcome: 'record'; readonly input: LiftInput; readonly byteCount: number }
  | { readonly outcome: 'ignored'; readonly reason: string }
  | { readonly outcome: 'rejected'; readonly code: ErrorCode; readonly reason: string }
