import { certificateFaults } from '../../src/connector/certificate-faults.ts'
import type { FailureClass } from '../../src/connector/connector.ts'
import { thrownMessage } from '../../src/connector/thrown-message.ts'

interface ErrorCode {
  readonly code: number
  readonly failure: FailureClass
  readonly meaning: string
}

/**
 * What the server's error numbers mean for the next step (rule R2); the numbers:
 * https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
 */
export const errorCodes: readonly ErrorCode[] = [
  { code: 3, failure: 'transient', meaning: 'the request was cut off' },
  { code: 16, failure: 'schema', meaning: 'a column does not exist' },
  { code: 47, failure: 'schema', meaning: 'a name is not known' },
  { code: 53, failure: 'schema', meaning: 'a column has another type' },
  { code: 60, failure: 'schema', meaning: 'the table does not exist' },
  { code: 62, failure: 'fatal', meaning: 'the server does not understand the statement' },
  { code: 81, failure: 'schema', meaning: 'the database does not exist' },
  { code: 115, failure: 'fatal', meaning: 'the server does not know a setting' },
  { code: 159, failure: 'transient', meaning: 'the statement took too long' },
  { code: 160, failure: 'transient', meaning: 'the statement would take too long' },
  { code: 164, failure: 'auth', meaning: 'the user may only read' },
  { code: 192, failure: 'auth', meaning: 'the user does not exist' },
  { code: 193, failure: 'auth', meaning: 'the password is wrong' },
  { code: 194, failure: 'auth', meaning: 'a password is wanted' },
  { code: 201, failure: 'throttled', meaning: 'a quota is used up' },
  { code: 202, failure: 'throttled', meaning: 'the server has too many statements to do' },
  { code: 203, failure: 'transient', meaning: 'a connection was lost' },
  { code: 209, failure: 'transient', meaning: 'a connection was silent for too long' },
  { code: 210, failure: 'transient', meaning: 'a connection failed' },
  { code: 219, failure: 'transient', meaning: 'the database is not empty' },
  { code: 225, failure: 'schema', meaning: 'the table needs a keeper, and there is none' },
  { code: 236, failure: 'transient', meaning: 'the statement was ended' },
  { code: 241, failure: 'throttled', meaning: 'the server is out of memory' },
  { code: 242, failure: 'transient', meaning: 'the table takes no writes for now' },
  { code: 243, failure: 'throttled', meaning: 'the disk is full' },
  { code: 252, failure: 'throttled', meaning: 'the table has too many parts: inserts are too small, or come too fast' },
  { code: 279, failure: 'transient', meaning: 'no server of the cluster can be reached' },
  { code: 285, failure: 'transient', meaning: 'too few replicas are alive' },
  { code: 319, failure: 'unknown-outcome', meaning: 'the server does not know whether the insert took effect' },
  { code: 344, failure: 'fatal', meaning: 'the server does not support it' },
  { code: 349, failure: 'row', meaning: 'a column that is not Nullable has no value' },
  { code: 369, failure: 'transient', meaning: 'the server is shutting down' },
  { code: 373, failure: 'transient', meaning: 'the session is in use' },
  { code: 394, failure: 'transient', meaning: 'the statement was cancelled' },
  { code: 395, failure: 'row', meaning: 'a function raised an error' },
  { code: 425, failure: 'transient', meaning: 'the system of the server failed it' },
  { code: 469, failure: 'row', meaning: 'a CONSTRAINT is violated' },
  { code: 497, failure: 'auth', meaning: 'a right is missing' },
  { code: 516, failure: 'auth', meaning: 'the server refuses the login' },
  { code: 720, failure: 'transient', meaning: 'the server is shutting down' },
  { code: 999, failure: 'transient', meaning: 'the keeper failed' },
]

/** Codes of Node and of its TLS. A request that broke may have been carried out: inserts are idempotent by their token. */
export const nodeCodes: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'transient',
  ECONNRESET: 'unknown-outcome',
  EPIPE: 'unknown-outcome',
  ETIMEDOUT: 'unknown-outcome',
  EHOSTUNREACH: 'transient',
  ENETUNREACH: 'transient',
  ENOTFOUND: 'transient',
  EAI_AGAIN: 'transient',
  ...certificateFaults,
}

/** A failure of the store with what it means; the message never holds values of a row (rule C2). */
export class ClickhouseFailure extends Error {
  override readonly name = 'ClickhouseFailure'
  readonly failure: FailureClass
  /** The server's number, where it has answered. */
  readonly code: number | undefined

  constructor(message: string, failure: FailureClass, code?: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.code = code
  }
}

/** The meaning of whatever the driver has thrown. Total. */
export function toFailure(error: unknown): ClickhouseFailure {
  if (error instanceof ClickhouseFailure) return error
  const code = memberOf(error, 'code')
  const number = Number(code)
  if (Number.isInteger(number) && number > 0) {
    const known = errorCodes.find((one) => one.code === number)
    // the server repeats the statement and values in what it says of bad ones
    const said = known?.failure === 'row' ? '' : `: ${thrownMessage(error).split('\n')[0]?.slice(0, 300)}`
    const text = `${known?.meaning ?? 'the server failed'}${said} (code ${number})`
    return new ClickhouseFailure(text, known?.failure ?? 'fatal', number, error)
  }
  const failure = typeof code === 'string' ? nodeCodes[code] : undefined
  if (failure !== undefined)
    return new ClickhouseFailure(`${String(code)}: ${thrownMessage(error)}`, failure, undefined, error)
  const message = thrownMessage(error)
  const isLost = /timeout|socket hang up|aborted|premature close|terminated/i.test(message)
  return new ClickhouseFailure(message, isLost ? 'unknown-outcome' : 'fatal', undefined, error)
}

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined
}
