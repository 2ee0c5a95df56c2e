import { certificateFaults } from '../../src/connector/certificate-faults.ts'
import type { FailureClass } from '../../src/connector/connector.ts'
import { thrownMessage } from '../../src/connector/thrown-message.ts'

interface SqlState {
  /** Five characters, or two for a whole class; the longer one wins. */
  readonly state: string
  readonly failure: FailureClass
  readonly meaning: string
  /** The server's own text may hold values of a row, so ours is shown instead (rule C2). */
  readonly masked?: true
}

/**
 * What each SQLSTATE means for the next step (rule R2). The states: https://www.postgresql.org/docs/current/errcodes-appendix.html,
 * what makes a transaction worth repeating: https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
 */
export const sqlStates: readonly SqlState[] = [
  { state: '08', failure: 'transient', meaning: 'the connection failed' },
  { state: '0A', failure: 'schema', meaning: 'the target does not support the statement' },
  { state: '21000', failure: 'fatal', meaning: 'a key came twice in one statement' },
  { state: '22', failure: 'row', meaning: 'a value does not fit its column', masked: true },
  { state: '22001', failure: 'row', meaning: 'a text is longer than its column' },
  { state: '22003', failure: 'row', meaning: 'a number is out of the range of its column', masked: true },
  { state: '22008', failure: 'row', meaning: 'a date or time is out of range', masked: true },
  { state: '22021', failure: 'row', meaning: 'a text holds a character that the encoding lacks', masked: true },
  { state: '22P02', failure: 'row', meaning: "a value is not of its column's type", masked: true },
  { state: '22P05', failure: 'row', meaning: 'a character has no counterpart', masked: true },
  { state: '23', failure: 'row', meaning: 'a constraint is violated' },
  { state: '23502', failure: 'row', meaning: 'a NOT NULL column has no value' },
  { state: '23503', failure: 'row', meaning: 'a foreign key points at no row' },
  { state: '23505', failure: 'row', meaning: 'another unique index holds the value already' },
  { state: '23514', failure: 'row', meaning: 'a CHECK constraint is violated' },
  { state: '23P01', failure: 'row', meaning: 'an exclusion constraint is violated' },
  { state: '25006', failure: 'transient', meaning: 'the server takes no writes, as after a failover' },
  { state: '25P03', failure: 'transient', meaning: 'the transaction was idle for too long' },
  { state: '25P04', failure: 'transient', meaning: 'the transaction took too long' },
  {
    state: '26000',
    failure: 'transient',
    meaning: "a prepared statement is gone: set 'prepared-statements' = 'false' behind a pooler",
  },
  { state: '27000', failure: 'row', meaning: 'a trigger changed the row that is being written' },
  { state: '28', failure: 'auth', meaning: 'the server refuses the login' },
  { state: '38', failure: 'row', meaning: 'a function failed', masked: true },
  { state: '39', failure: 'row', meaning: 'a trigger or function failed', masked: true },
  { state: '3D', failure: 'schema', meaning: 'the database does not exist' },
  { state: '3F', failure: 'schema', meaning: 'the schema does not exist' },
  { state: '40', failure: 'transient', meaning: 'the transaction was rolled back in favour of another' },
  { state: '40001', failure: 'transient', meaning: 'the transaction could not be serialised' },
  { state: '40002', failure: 'row', meaning: 'a constraint is violated at the end of the transaction' },
  {
    state: '40003',
    failure: 'unknown-outcome',
    meaning: 'the server does not know whether the transaction took effect',
  },
  { state: '40P01', failure: 'transient', meaning: 'a deadlock was broken' },
  { state: '42', failure: 'schema', meaning: 'the target is not as the statement expects it' },
  { state: '42501', failure: 'auth', meaning: 'a right is missing' },
  { state: '428C9', failure: 'schema', meaning: 'a generated column takes no value' },
  { state: '44000', failure: 'row', meaning: 'the row is outside the view that it is written through' },
  { state: '53', failure: 'throttled', meaning: 'the server lacks resources' },
  { state: '53100', failure: 'throttled', meaning: "the server's disk is full" },
  { state: '53200', failure: 'throttled', meaning: 'the server is out of memory' },
  { state: '53300', failure: 'throttled', meaning: 'the server has no connection left' },
  { state: '54', failure: 'fatal', meaning: 'a limit of the server is exceeded' },
  { state: '54000', failure: 'row', meaning: 'a row exceeds a limit of the server', masked: true },
  { state: '55', failure: 'schema', meaning: 'the target is in no state to be written' },
  { state: '55006', failure: 'transient', meaning: 'the target is in use' },
  { state: '55P03', failure: 'transient', meaning: 'a lock was not free in time' },
  { state: '57', failure: 'transient', meaning: 'the server was stopped by its operator' },
  { state: '57014', failure: 'transient', meaning: 'the statement took too long or was cancelled' },
  { state: '57P01', failure: 'transient', meaning: 'the server is shutting down' },
  { state: '57P02', failure: 'transient', meaning: 'the server crashed' },
  { state: '57P03', failure: 'transient', meaning: 'the server is starting up' },
  { state: '57P04', failure: 'schema', meaning: 'the database was dropped' },
  { state: '57P05', failure: 'transient', meaning: 'the session was idle for too long' },
  { state: '58', failure: 'throttled', meaning: "the server's system failed it" },
  { state: 'F0', failure: 'fatal', meaning: "the server's configuration is at fault" },
  { state: 'P0', failure: 'row', meaning: 'a trigger or function raised an error', masked: true },
  { state: 'XX', failure: 'fatal', meaning: 'the server failed inside' },
]

/** Codes of Node and of its TLS. */
export const nodeCodes: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'transient',
  ECONNRESET: 'transient',
  ECONNABORTED: 'transient',
  EPIPE: 'transient',
  ETIMEDOUT: 'transient',
  EHOSTUNREACH: 'transient',
  ENETUNREACH: 'transient',
  EADDRNOTAVAIL: 'transient',
  ENOTFOUND: 'transient',
  EAI_AGAIN: 'transient',
  ENOENT: 'transient',
  ...certificateFaults,
}

/** Errors of the drivers that have no code. */
const driverMessages: readonly (readonly [pattern: RegExp, failure: FailureClass])[] = [
  [/^Connection terminated/, 'transient'],
  [/^Client has encountered a connection error/, 'transient'],
  [/^Client was closed/, 'transient'],
  [/^Query read timeout$/, 'transient'],
  [/^timeout expired$/, 'transient'],
  [/^timeout exceeded when trying to connect$/, 'transient'],
  [/^The server does not support SSL connections$/, 'auth'],
  [/^SASL/, 'auth'],
]

/** A failure of the store with what it means; the message never holds values of a row (rule C2). */
export class PostgresFailure extends Error {
  override readonly name = 'PostgresFailure'
  readonly failure: FailureClass
  /** The SQLSTATE, where the server has answered. */
  readonly sqlState: string | undefined

  constructor(message: string, failure: FailureClass, sqlState?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.sqlState = sqlState
  }
}

/** The meaning of whatever a driver has thrown. Total. */
export function toFailure(error: unknown): PostgresFailure {
  if (error instanceof PostgresFailure) return error
  const code = codeOf(error)
  const known = code === undefined ? undefined : lookUp(code)
  if (code !== undefined && known !== undefined) {
    const text = known.masked === true ? known.meaning : `${known.meaning}: ${thrownMessage(error)}`
    return new PostgresFailure(`${text} (SQLSTATE ${code})`, known.failure, code, error)
  }
  const byNode = code === undefined ? undefined : nodeCodes[code]
  if (byNode !== undefined) return new PostgresFailure(`${code}: ${thrownMessage(error)}`, byNode, undefined, error)
  const message = thrownMessage(error)
  if (/^SASL.*password must be a(?: non-empty)? string/.test(message)) {
    const wanted = "the server asks for a password, and none is given: set the option 'password'"
    return new PostgresFailure(wanted, 'auth', undefined, error)
  }
  const byMessage = driverMessages.find(([pattern]) => pattern.test(message))
  return new PostgresFailure(message, byMessage?.[1] ?? 'fatal', undefined, error)
}

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

/** An answer of the server, as opposed to a connection that broke. */
export function isAnswer(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && lookUp(code) !== undefined && !code.startsWith('57P') && !code.startsWith('08')
}

function lookUp(code: string): SqlState | undefined {
  if (!/^[0-9A-Z]{5}$/.test(code) || code in nodeCodes) return undefined
  return sqlStates.find(({ state }) => state === code) ?? sqlStates.find(({ state }) => state === code.slice(0, 2))
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof PostgresFailure) return error.sqlState
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
