/** What a driver says of what it has thrown. Of attempts at several addresses, what it says of the first. */
export function thrownMessage(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return thrownMessage(error.errors[0])
  return error instanceof Error ? error.message : 'an error that is no Error'
}
