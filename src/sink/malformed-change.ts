import { TidegateError } from '../errors.ts'

export function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Of callers that types do not hold back. */
export function malformedChange(what: string): TidegateError {
  return new TidegateError(`what was written ${what}`, {
    code: 'INPUT_MALFORMED',
    hint: "write { kind: '+I', row: { … } } or a control element",
  })
}
