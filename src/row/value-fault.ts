/**
 * A value that its column cannot take. `reason` completes "column x …" and never holds the value (rule C2); whoever knows
 * the column turns it into a `ROW_INVALID` error.
 */
export class ValueFault extends Error {
  override readonly name = 'ValueFault'
  readonly reason: string

  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}
