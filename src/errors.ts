/**
 * Every error that tidegate raises on purpose. The codes are a closed list: `docs/errors.md` explains each of them, and a
 * test keeps the two in step.
 */

/** What went wrong, as a stable word. A caller branches on the code, never on the message. */
export const errorCodes = [
  // the table, its options and the plan
  'DDL_SYNTAX',
  'DDL_UNSUPPORTED',
  'OPTION_INVALID',
  'SCHEMA_INVALID',
  'PLAN_REFUSED',
  'CAPABILITY_MISSING',
  'CONNECTOR_UNKNOWN',
  'DRIVER_MISSING',
  // the input
  'INPUT_MALFORMED',
  'FORMAT_UNKNOWN',
  'ROW_INVALID',
  'KEY_MISSING',
  'KIND_UNSUPPORTED',
  'RETRACT_UNSUPPORTED',
  'RETRACT_WITHOUT_ROW',
  'MOVE_WITHOUT_ROW',
  'DELETE_WITHOUT_SEQUENCE',
  'GROUP_TOO_LARGE',
  'TRUNCATE_REFUSED',
  // the store
  'STORE_MISMATCH',
  'STORE_UNAVAILABLE',
  'STORE_AUTH',
  'STORE_LOCKED',
  'STORE_SCHEMA',
  'STORE_THROTTLED',
  'ROW_REJECTED',
  'COMMIT_UNKNOWN',
  'WRITER_FENCED',
  'FLUSH_FAILED',
  // the sink's own life
  'SINK_CLOSED',
  'SINK_ABORTED',
  'STATE_INVALID',
] as const

export type ErrorCode = (typeof errorCodes)[number]

/** One of several faults found in one go: options, schema, privileges. */
export interface Problem {
  /** Option, column, line or key that is wrong. */
  readonly subject: string
  /** What is wrong with it. */
  readonly message: string
  /** What to do about it. */
  readonly fix?: string | undefined
}

export interface TidegateErrorFields {
  readonly code: ErrorCode
  readonly connector?: string | undefined
  readonly table?: string | undefined
  readonly problems?: readonly Problem[] | undefined
  readonly hint?: string | undefined
  readonly cause?: unknown
}

const brand = Symbol.for('tidegate.TidegateError')

/**
 * The one error class. Messages never hold row values, connection strings or secrets (rule C2).
 * `instanceof` goes by a registered symbol, so two copies of the package understand each other.
 */
export class TidegateError extends Error {
  readonly code: ErrorCode
  readonly connector: string | undefined
  readonly table: string | undefined
  readonly problems: readonly Problem[]
  readonly hint: string | undefined

  constructor(message: string, fields: TidegateErrorFields) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause })
    this.name = 'TidegateError'
    this.code = fields.code
    this.connector = fields.connector
    this.table = fields.table
    this.problems = fields.problems ?? []
    this.hint = fields.hint
    Object.defineProperty(this, brand, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: subclasses inherit this and go by their prototype
    if (this !== TidegateError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && brand in value
  }
}

/** A list longer than this is cut, with a count of the rest. */
export const problemListMax = 20

/** One error for all the faults of one kind; the message lists each with its fix. */
export function problemsError(
  title: string,
  problems: readonly Problem[],
  fields: Omit<TidegateErrorFields, 'problems'>,
): TidegateError {
  const lines = problems.slice(0, problemListMax).map((problem) => {
    const fix = problem.fix === undefined ? '' : `\n      ${problem.fix}`
    return `  - ${problem.subject}: ${problem.message}${fix}`
  })
  if (problems.length > problemListMax) lines.push(`  … and ${problems.length - problemListMax} more`)
  return new TidegateError(`${title}\n${lines.join('\n')}`, { ...fields, problems })
}
