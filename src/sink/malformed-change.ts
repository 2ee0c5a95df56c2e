import type { ChangelogElement } from '../changelog/element.ts'
import { TidegateError } from '../errors.ts'

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Throws `INPUT_MALFORMED` for what could not even be routed to a table. */
export function checkElement(element: ChangelogElement): void {
  if (!isObject(element)) throw malformedChange('is no object')
  if ('table' in element && element.table !== undefined && typeof element.table !== 'string') {
    throw malformedChange('names a table by something else than text')
  }
}

/** Of callers that types do not hold back. */
export function malformedChange(
  what: string,
  hint = "write { kind: '+I', row: { … } } or a control element",
): TidegateError {
  return new TidegateError(`what was written ${what}`, {
    code: 'INPUT_MALFORMED',
    hint,
  })
}
