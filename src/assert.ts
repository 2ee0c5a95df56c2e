/** Raised when tidegate itself is wrong. Never retried, never shown as a user's fault. */
export class AssertionFailure extends Error {
  override readonly name = 'AssertionFailure'
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionFailure(message)
}

export function must<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new AssertionFailure(message)
  return value
}

/** For the last arm of a switch over a union: does not compile while a case is missing. */
export function unreachable(value: never): never {
  throw new AssertionFailure(`unreachable: ${String(value)}`)
}
