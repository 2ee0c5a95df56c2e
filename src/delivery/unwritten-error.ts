import { TidegateError } from '../errors.ts'
import type { DeadLetter } from './failure-handler.ts'

/** Something accepted was not written. `unwritten` hands it back, in a form that can be written again (rule R1). */
export class UnwrittenError extends TidegateError {
  readonly unwritten: readonly DeadLetter[]

  constructor(failure: TidegateError, unwritten: readonly DeadLetter[]) {
    super(failure.message, {
      code: failure.code,
      connector: failure.connector,
      table: failure.table,
      problems: failure.problems,
      hint: failure.hint,
      cause: failure.cause,
    })
    this.unwritten = unwritten
  }

  with(more: readonly DeadLetter[]): UnwrittenError {
    return new UnwrittenError(this, [...this.unwritten, ...more])
  }
}

/** So many rejected rows are named in a message; all of them are in `unwritten`. */
const namedMax = 5

/** For the failure handler `fail`. */
export function rejectionError(letters: readonly DeadLetter[]): UnwrittenError {
  const named = letters.slice(0, namedMax).map(({ record, table, kind, reason }) => {
    const where = record === undefined ? '' : `record ${record}, `
    return `${where}${kind} of ${table}: ${reason}`
  })
  const rest = letters.length > namedMax ? [`… and ${letters.length - namedMax} more`] : []
  const [first] = letters
  const message =
    letters.length === 1 ? `a row was rejected: ${named[0]}` : ['rows were rejected:', ...named, ...rest].join('\n  ')
  return new UnwrittenError(
    new TidegateError(message, {
      code: first?.code ?? 'ROW_REJECTED',
      table: first?.table,
      hint: "'sink.failure-handler' = 'dead-letter' or 'skip' would go on without them",
    }),
    letters,
  )
}
