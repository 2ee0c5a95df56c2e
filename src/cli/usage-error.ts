/** The command was called in a way that cannot work; nothing was read or written. */
export class UsageError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'UsageError'
    this.hint = hint
  }
}
