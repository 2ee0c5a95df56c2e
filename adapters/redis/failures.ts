import { certificateFaults } from '../../src/connector/certificate-faults.ts'
import type { FailureClass } from '../../src/connector/connector.ts'
import { thrownMessage } from '../../src/connector/thrown-message.ts'

interface ErrorWord {
  /** First word of the server's answer. */
  readonly word: string
  readonly failure: FailureClass
  readonly meaning: string
}

/**
 * What the server's error words mean for the next step (rule R2). A call that is answered by one of them has written
 * nothing: the server looks at memory, role and slots before the first write of a script, and a script checks the rows before.
 */
export const errorWords: readonly ErrorWord[] = [
  { word: 'ASK', failure: 'transient', meaning: 'the slot is on its way to another node' },
  { word: 'BUSY', failure: 'transient', meaning: 'the server runs a long script' },
  { word: 'BUSYKEY', failure: 'fatal', meaning: 'the key is there already' },
  { word: 'CLUSTERDOWN', failure: 'transient', meaning: 'the cluster is down' },
  {
    word: 'CROSSSLOT',
    failure: 'fatal',
    meaning: 'the keys are of several slots: the server is a cluster',
  },
  { word: 'EXECABORT', failure: 'transient', meaning: 'the transaction was given up' },
  { word: 'LOADING', failure: 'transient', meaning: 'the server still loads its data' },
  { word: 'MASTERDOWN', failure: 'transient', meaning: 'the replica has lost its master' },
  { word: 'MISCONF', failure: 'throttled', meaning: 'the server cannot save to its disk and takes no writes' },
  { word: 'MOVED', failure: 'transient', meaning: 'the slot has moved to another node' },
  { word: 'NOAUTH', failure: 'auth', meaning: 'the server wants a password' },
  { word: 'NOPERM', failure: 'auth', meaning: 'the user lacks a right' },
  { word: 'NOREPLICAS', failure: 'throttled', meaning: 'too few replicas follow the server' },
  { word: 'NOSCRIPT', failure: 'transient', meaning: 'the server has forgotten the script' },
  { word: 'OOM', failure: 'throttled', meaning: 'the server has reached maxmemory' },
  { word: 'READONLY', failure: 'transient', meaning: 'the server is a replica, as after a failover' },
  { word: 'TRYAGAIN', failure: 'transient', meaning: 'the slot is on its way to another node' },
  { word: 'UNKILLABLE', failure: 'transient', meaning: 'the server runs a script that has written' },
  { word: 'WRONGPASS', failure: 'auth', meaning: 'the server refuses the login' },
  { word: 'WRONGTYPE', failure: 'row', meaning: 'the key holds something of another type' },
]

/** Codes of Node and of its TLS. */
export const clientCodes: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'transient',
  ETIMEDOUT: 'transient',
  EHOSTUNREACH: 'transient',
  ENETUNREACH: 'transient',
  EADDRNOTAVAIL: 'transient',
  ENOTFOUND: 'transient',
  EAI_AGAIN: 'transient',
  ECONNRESET: 'unknown-outcome',
  ECONNABORTED: 'unknown-outcome',
  EPIPE: 'unknown-outcome',
  ...certificateFaults,
}

/** Errors of the drivers by their class: before a command was sent, or after. */
export const driverErrors: Readonly<Record<string, FailureClass>> = {
  ClientOfflineError: 'transient',
  ClientClosedError: 'transient',
  ConnectionTimeoutError: 'transient',
  RootNodesUnavailableError: 'transient',
  ReconnectStrategyError: 'transient',
  MaxCommandRedirectionsError: 'transient',
  ClusterAllFailedError: 'transient',
  MaxRetriesPerRequestError: 'unknown-outcome',
  DisconnectsClientError: 'unknown-outcome',
  SocketClosedUnexpectedlyError: 'unknown-outcome',
  SocketTimeoutError: 'unknown-outcome',
  TimeoutError: 'unknown-outcome',
  AbortError: 'unknown-outcome',
}

/** A failure of the store with what it means; the message never holds values of a row (rule C2). */
export class RedisFailure extends Error {
  override readonly name = 'RedisFailure'
  readonly failure: FailureClass
  /** The first word of the server's answer, where it has answered. */
  readonly word: string | undefined

  constructor(message: string, failure: FailureClass, word?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.word = word
  }
}

/** The meaning of whatever the driver has thrown. Total. */
export function toFailure(error: unknown): RedisFailure {
  if (error instanceof RedisFailure) return error
  const message = thrownMessage(error)
  // servers before version 7 put words around an error inside of a script
  const inner = /^ERR .*@user_script:\s*\d+: ?-?([A-Z]{3,}) /.exec(message)?.[1]
  const word = inner ?? /^-?([A-Z]{3,})\b/.exec(message)?.[1]
  const known = errorWords.find((one) => one.word === word)
  if (known !== undefined) return new RedisFailure(`${known.meaning} (${known.word})`, known.failure, known.word, error)
  const code = memberOf(error, 'code')
  const byCode = typeof code === 'string' ? clientCodes[code] : undefined
  if (byCode !== undefined) return new RedisFailure(`${String(code)}: ${message}`, byCode, undefined, error)
  const className = error instanceof Error ? error.constructor.name : ''
  const byClass = driverErrors[className] ?? driverErrors[error instanceof Error ? error.name : '']
  if (byClass !== undefined) return new RedisFailure(`${message || className}`, byClass, undefined, error)
  if (/connection is closed|stream isn't writeable|socket closed/i.test(message)) {
    return new RedisFailure(message, 'unknown-outcome', undefined, error)
  }
  // an answer quotes arguments of the command now and then, which are values of a row
  const shown = word === undefined ? message : `the server answered ${/^[^'":,]*/.exec(message)?.[0].trim()}`
  return new RedisFailure(shown, 'fatal', word, error)
}

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Record<string, unknown>)[name] : undefined
}
