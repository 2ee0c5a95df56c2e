import { certificateFaults } from '../../src/connector/certificate-faults.ts'
import type { FailureClass } from '../../src/connector/connector.ts'
import { thrownMessage } from '../../src/connector/thrown-message.ts'

interface ErrorCode {
  readonly code: number
  readonly failure: FailureClass
  readonly meaning: string
  /** The server's own text holds values of a row, so ours is shown instead (rule C2). */
  readonly masked?: true
}

/**
 * What the server's error numbers mean for the next step (rule R2); the numbers:
 * https://dev.mysql.com/doc/mysql-errors/9.0/en/server-error-reference.html, https://mariadb.com/kb/en/mariadb-error-code-reference/
 */
export const errorCodes: readonly ErrorCode[] = [
  { code: 1020, failure: 'transient', meaning: 'the row changed since it was read' },
  { code: 1037, failure: 'throttled', meaning: 'the server is out of memory' },
  { code: 1040, failure: 'throttled', meaning: 'the server has no connection left' },
  { code: 1041, failure: 'throttled', meaning: 'the server is out of memory' },
  { code: 1044, failure: 'auth', meaning: 'the user may not use the database' },
  { code: 1045, failure: 'auth', meaning: 'the server refuses the login' },
  { code: 1048, failure: 'row', meaning: 'a NOT NULL column has no value' },
  { code: 1049, failure: 'schema', meaning: 'the database does not exist' },
  { code: 1053, failure: 'transient', meaning: 'the server is shutting down' },
  { code: 1054, failure: 'schema', meaning: 'a column does not exist' },
  { code: 1062, failure: 'row', meaning: 'another unique index holds the value already', masked: true },
  { code: 1064, failure: 'fatal', meaning: 'the server does not understand the statement' },
  { code: 1114, failure: 'throttled', meaning: 'the table is full' },
  { code: 1118, failure: 'schema', meaning: 'the columns are too long for a row' },
  { code: 1129, failure: 'auth', meaning: 'the server blocks this host' },
  { code: 1130, failure: 'auth', meaning: 'the server refuses this host' },
  { code: 1136, failure: 'schema', meaning: 'the target has other columns' },
  { code: 1142, failure: 'auth', meaning: 'a right is missing' },
  { code: 1143, failure: 'auth', meaning: 'a right on a column is missing' },
  { code: 1146, failure: 'schema', meaning: 'the table does not exist' },
  { code: 1152, failure: 'transient', meaning: 'the connection was ended' },
  { code: 1153, failure: 'row', meaning: "a row is larger than the server's max_allowed_packet" },
  { code: 1158, failure: 'transient', meaning: 'the connection failed' },
  { code: 1159, failure: 'transient', meaning: 'the connection was silent for too long' },
  { code: 1160, failure: 'transient', meaning: 'the connection failed' },
  { code: 1161, failure: 'transient', meaning: 'the connection was silent for too long' },
  { code: 1203, failure: 'throttled', meaning: 'the user has no connection left' },
  { code: 1205, failure: 'transient', meaning: 'a lock was not free in time' },
  { code: 1206, failure: 'throttled', meaning: 'the server has no room for more locks' },
  { code: 1213, failure: 'transient', meaning: 'a deadlock was broken' },
  { code: 1216, failure: 'row', meaning: 'a foreign key points at no row' },
  { code: 1217, failure: 'row', meaning: 'other rows point at the row by a foreign key' },
  { code: 1226, failure: 'throttled', meaning: 'the user has used up a limit' },
  { code: 1227, failure: 'auth', meaning: 'a right is missing' },
  { code: 1251, failure: 'auth', meaning: 'the server wants another way of login' },
  { code: 1264, failure: 'row', meaning: 'a number is out of the range of its column' },
  { code: 1265, failure: 'row', meaning: 'a value does not fit its column', masked: true },
  { code: 1290, failure: 'transient', meaning: 'the server takes no writes, as after a failover' },
  { code: 1292, failure: 'row', meaning: "a value is not of its column's type", masked: true },
  { code: 1298, failure: 'fatal', meaning: 'the server does not know the time zone' },
  { code: 1317, failure: 'transient', meaning: 'the statement was cancelled' },
  { code: 1364, failure: 'row', meaning: 'a column without a default has no value' },
  { code: 1366, failure: 'row', meaning: "a value is not of its column's type", masked: true },
  { code: 1390, failure: 'fatal', meaning: 'the statement has too many parameters' },
  { code: 1406, failure: 'row', meaning: 'a value is longer than its column' },
  { code: 1411, failure: 'row', meaning: 'a value does not fit', masked: true },
  { code: 1451, failure: 'row', meaning: 'other rows point at the row by a foreign key' },
  { code: 1452, failure: 'row', meaning: 'a foreign key points at no row' },
  { code: 1461, failure: 'throttled', meaning: 'the server has no room for prepared statements' },
  { code: 1644, failure: 'row', meaning: 'a trigger refused the row', masked: true },
  { code: 1690, failure: 'row', meaning: 'a number is out of range', masked: true },
  { code: 1698, failure: 'auth', meaning: 'the server refuses the login' },
  { code: 1792, failure: 'transient', meaning: 'the server takes no writes, as after a failover' },
  { code: 1836, failure: 'transient', meaning: 'the server takes no writes, as after a failover' },
  { code: 1927, failure: 'transient', meaning: 'the connection was ended' },
  { code: 1969, failure: 'transient', meaning: 'the statement took too long' },
  { code: 3024, failure: 'transient', meaning: 'the statement took too long' },
  { code: 3100, failure: 'transient', meaning: 'the group of servers refused the transaction' },
  { code: 3101, failure: 'transient', meaning: 'the transaction was rolled back in favour of another' },
  { code: 3140, failure: 'row', meaning: 'a text is no JSON', masked: true },
  { code: 3819, failure: 'row', meaning: 'a CHECK constraint is violated' },
  { code: 4025, failure: 'row', meaning: 'a CHECK constraint is violated' },
  { code: 4031, failure: 'transient', meaning: 'the session was idle for too long' },
]

/** Codes of Node, of its TLS and of the driver. */
export const clientCodes: Readonly<Record<string, FailureClass>> = {
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
  PROTOCOL_CONNECTION_LOST: 'transient',
  PROTOCOL_SEQUENCE_TIMEOUT: 'transient',
  PROTOCOL_PACKETS_OUT_OF_ORDER: 'transient',
  ...certificateFaults,
  HANDSHAKE_NO_SSL_SUPPORT: 'auth',
  HANDSHAKE_SSL_ERROR: 'auth',
}

/** A failure of the store with what it means; the message never holds values of a row (rule C2). */
export class MysqlFailure extends Error {
  override readonly name = 'MysqlFailure'
  readonly failure: FailureClass
  /** The server's number, where it has answered. */
  readonly code: number | undefined
  /** The unique index that a row met, for 1062. */
  readonly index: string | undefined

  constructor(message: string, failure: FailureClass, code?: number, cause?: unknown, index?: string) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.code = code
    this.index = index
  }
}

/** The meaning of whatever the driver has thrown. Total. */
export function toFailure(error: unknown): MysqlFailure {
  if (error instanceof MysqlFailure) return error
  const number = memberOf(error, 'errno')
  const known = errorCodes.find(({ code }) => code === number)
  if (known !== undefined) {
    const index = known.code === 1062 ? indexOf(thrownMessage(error)) : undefined
    const where = index === undefined ? '' : ` (${index})`
    const text = known.masked === true ? `${known.meaning}${where}` : `${known.meaning}: ${thrownMessage(error)}`
    return new MysqlFailure(`${text} (error ${known.code})`, known.failure, known.code, error, index)
  }
  const code = memberOf(error, 'code')
  const failure = typeof code === 'string' ? clientCodes[code] : undefined
  if (failure !== undefined)
    return new MysqlFailure(`${String(code)}: ${thrownMessage(error)}`, failure, undefined, error)
  const isClosed = /closed state|connection is closed|Pool is closed/i.test(thrownMessage(error))
  const shown = typeof number === 'number' && number > 0 ? number : undefined
  return new MysqlFailure(thrownMessage(error), isClosed ? 'transient' : 'fatal', shown, error)
}

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

/** An answer of the server, as opposed to a connection that broke. */
export function isAnswer(error: unknown): boolean {
  const { code, failure } = toFailure(error)
  return code !== undefined && !(failure === 'transient' && connectionCodes.has(code))
}

const connectionCodes = new Set([1053, 1152, 1158, 1159, 1160, 1161, 1927, 4031])

/** `Duplicate entry '…' for key 'orders.PRIMARY'`; the name alone, since the entry is a value. */
function indexOf(message: string): string | undefined {
  return /for key '(?:[^']*\.)?([^'.]+)'$/.exec(message)?.[1]
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined
}
