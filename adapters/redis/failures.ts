import type { FailureClass } from '../../src/connector/connector.ts'

/**
 * What the first word of an error reply means for the next step (rule R2);
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#simple-errors and the servers' sources.
 */
export const replyCodes: Readonly<Record<string, FailureClass>> = {
  ASK: 'transient',
  BUSY: 'transient',
  BUSYGROUP: 'schema',
  CLUSTERDOWN: 'transient',
  CROSSSLOT: 'fatal',
  ERR: 'fatal',
  EXECABORT: 'transient',
  LOADING: 'transient',
  MASTERDOWN: 'transient',
  MISCONF: 'throttled',
  MOVED: 'transient',
  NOAUTH: 'auth',
  NOPERM: 'auth',
  NOREPLICAS: 'transient',
  NOSCRIPT: 'transient',
  OOM: 'throttled',
  READONLY: 'transient',
  TRYAGAIN: 'transient',
  UNBLOCKED: 'transient',
  UNKILLABLE: 'transient',
  WRONGPASS: 'auth',
  WRONGTYPE: 'row',
}

/** Errors of a connection that could not be made: nothing was sent. */
const unsentCodes = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EADDRNOTAVAIL',
])
const tlsCodes = /^(CERT_|DEPTH_ZERO|ERR_TLS|SELF_SIGNED|UNABLE_TO_)/

/** Errors of the drivers by their class, beside those of Node. */
const driverErrors: Readonly<Record<string, FailureClass>> = {
  ClientClosedError: 'transient',
  ClientOfflineError: 'transient',
  ConnectionTimeoutError: 'transient',
  DisconnectsClientError: 'unknown-outcome',
  ReconnectStrategyError: 'transient',
  SocketClosedUnexpectedlyError: 'unknown-outcome',
  SocketTimeoutError: 'unknown-outcome',
  TimeoutError: 'unknown-outcome',
  CommandTimeoutDuringMaintenanceError: 'unknown-outcome',
}

/** A failure of the store with what it means. */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  readonly failure: FailureClass
  /** First word of the server's reply, where it has answered. */
  readonly code: string | undefined

  constructor(message: string, failure: FailureClass, code?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.code = code
  }
}

/** The meaning of whatever a driver has thrown. Total. */
export function toFailure(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error
  const message = messageOf(error)
  const name = error instanceof Error ? error.constructor.name : ''
  const code = /^([A-Z]{2,})(?: |$)/.exec(message)?.[1]
  // servers before version 7 put words around an error inside of a script
  const inner = code === 'ERR' ? /@user_script:\s*\d+: ?-?([A-Z]{3,}) /.exec(message)?.[1] : undefined
  const known = inner !== undefined && inner in replyCodes ? inner : code
  const byReply = known === undefined ? undefined : replyCodes[known]
  if (byReply !== undefined) return new RedisFailure(message, byReply, known, error)
  const byDriver = driverErrors[name]
  if (byDriver !== undefined) return new RedisFailure(`${name}: ${message}`, byDriver, undefined, error)
  const node = codeOf(error)
  if (node !== undefined && unsentCodes.has(node))
    return new RedisFailure(`${node}: ${message}`, 'transient', undefined, error)
  if (node !== undefined && tlsCodes.test(node))
    return new RedisFailure(`${node}: ${message}`, 'auth', undefined, error)
  if (node === 'ECONNRESET' || node === 'EPIPE')
    return new RedisFailure(`${node}: ${message}`, 'unknown-outcome', undefined, error)
  return new RedisFailure(message === '' ? name || 'an error that is no Error' : message, 'fatal', undefined, error)
}

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === 'object' && error !== null ? (error as { code?: unknown }).code : undefined
  return typeof code === 'string' ? code : undefined
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0])
  return error instanceof Error ? error.message : 'an error that is no Error'
}
