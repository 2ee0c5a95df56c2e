import type { DeadLetter, FailureHandler } from '../src/delivery/failure-handler.ts'

/** Collects what a sink rejects. */
export function collectRejected(): FailureHandler & { readonly letters: DeadLetter[] } {
  const letters: DeadLetter[] = []
  return {
    letters,
    handle: (some) => {
      letters.push(...some)
      return Promise.resolve()
    },
  }
}
