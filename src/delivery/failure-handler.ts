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

/** Takes what is rejected (rule R3). Resolves when the letters are safe; whatever follows may then become durable. */
export interface FailureHandler {
  readonly name: 'fail' | 'skip' | 'dead-letter'
  handle(letters: readonly DeadLetter[]): Promise<void>
  close(): Promise<void>
}

/** `skip`: the change is counted and reported, and is gone. */
export const skipHandler: FailureHandler = {
  name: 'skip',
  handle: async () => {},
  close: async () => {},
}
