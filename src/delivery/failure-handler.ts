import type { Position } from '../changelog/position.ts'
import type { ErrorCode } from '../errors.ts'
import type { RowObject } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'

/** A change that was not written, as it is handed back or filed: it can be sent again as it stands. */
export interface DeadLetter {
  readonly table: string
  readonly kind: RowKind
  readonly key: RowObject
  readonly row: RowObject
  readonly code: ErrorCode
  readonly reason: string
  readonly record: number | undefined
  readonly position: Position | undefined
}

/**
 * Takes what is rejected (rule R3). Without a sequence, later changes of a rejected key come here too, so that the letters
 * can be sent again in their order.
 */
export interface FailureHandler {
  /** Resolves when the letters are safe: whatever follows may then become durable. A rejection ends the sink. */
  handle(letters: readonly DeadLetter[]): Promise<void>
  /** Called once, when the sink is closed. */
  close?(): Promise<void>
}

/** What `sink.failure-handler` says becomes of a rejected change. */
export type RejectionPolicy =
  /** The sink raises the error and takes nothing more. */
  | { readonly name: 'fail' }
  /** The change is counted and reported, and is gone. */
  | { readonly name: 'skip' }
  | { readonly name: 'dead-letter'; readonly handler: FailureHandler }
