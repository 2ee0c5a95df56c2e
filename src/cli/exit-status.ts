import { type ErrorCode, TidegateError } from '../errors.ts'
import { UsageError } from './usage-error.ts'

/** What the process says when it ends; `docs/cli.md` and `tidegate --help` list them. */
export const exitStatus = {
  done: 0,
  /** The input or the store failed, or a check found faults. What is durable is durable. */
  failed: 1,
  /** The command line, the DDL, an option or the plan is refused; nothing was written. */
  refused: 2,
  /** A signal stopped the run; everything that had been read was written first. */
  interrupted: 130,
  terminated: 143,
} as const

/** Faults that show before anything is read or written, and come again until the call, the DDL or the set-up changes. */
const refusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'DDL_SYNTAX',
  'DDL_UNSUPPORTED',
  'OPTION_INVALID',
  'SCHEMA_INVALID',
  'PLAN_REFUSED',
  'CAPABILITY_MISSING',
  'CONNECTOR_UNKNOWN',
  'DRIVER_MISSING',
  'FORMAT_UNKNOWN',
  'STATE_INVALID',
])

export function statusOfError(error: unknown): number {
  if (error instanceof UsageError) return exitStatus.refused
  return error instanceof TidegateError && refusals.has(error.code) ? exitStatus.refused : exitStatus.failed
}
