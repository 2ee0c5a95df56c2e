import { certificateFaults, tellsCertificateFault } from '../../src/connector/certificate-faults.ts'
import type { FailureClass } from '../../src/connector/connector.ts'

/** A failure of the store with what it means; the message never holds values of a row (rule C2). */
export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly failure: FailureClass
  /** The type that the server gives its error, or its HTTP status. */
  readonly storeCode: string | undefined

  constructor(message: string, failure: FailureClass, storeCode?: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.failure = failure
    this.storeCode = storeCode
  }
}

interface ErrorType {
  readonly type: string
  readonly failure: FailureClass
  readonly meaning: string
}

/**
 * What the type of an error means for the next step (rule R2), of whole requests and of single items. Both products have the
 * same types, save for those that are given twice.
 */
export const errorTypes: readonly ErrorType[] = [
  {
    type: 'es_rejected_execution_exception',
    failure: 'throttled',
    meaning: 'the server has too many writes in its queue',
  },
  {
    type: 'rejected_execution_exception',
    failure: 'throttled',
    meaning: 'the server has too many writes in its queue',
  },
  { type: 'circuit_breaking_exception', failure: 'throttled', meaning: 'the server is short of memory' },
  { type: 'cluster_block_exception', failure: 'throttled', meaning: 'the index is blocked for writes' },
  { type: 'unavailable_shards_exception', failure: 'transient', meaning: 'a shard has no active copy' },
  { type: 'no_shard_available_action_exception', failure: 'transient', meaning: 'a shard has no active copy' },
  { type: 'node_closed_exception', failure: 'transient', meaning: 'a node is shutting down' },
  { type: 'node_disconnected_exception', failure: 'unknown-outcome', meaning: 'a node has gone' },
  { type: 'node_not_connected_exception', failure: 'transient', meaning: 'a node has gone' },
  { type: 'cluster_manager_not_discovered_exception', failure: 'transient', meaning: 'the cluster has no manager' },
  { type: 'master_not_discovered_exception', failure: 'transient', meaning: 'the cluster has no master' },
  { type: 'process_cluster_event_timeout_exception', failure: 'transient', meaning: 'the cluster is too busy' },
  { type: 'timeout_exception', failure: 'unknown-outcome', meaning: 'the server took too long' },
  { type: 'security_exception', failure: 'auth', meaning: 'a right is missing' },
  { type: 'index_not_found_exception', failure: 'schema', meaning: 'the index does not exist' },
  { type: 'index_closed_exception', failure: 'schema', meaning: 'the index is closed' },
  { type: 'strict_dynamic_mapping_exception', failure: 'schema', meaning: 'the mapping lacks a field' },
  { type: 'script_exception', failure: 'schema', meaning: 'the script is refused' },
  {
    type: 'resource_not_found_exception',
    failure: 'transient',
    meaning: 'the stored script is gone, and is stored again',
  },
  { type: 'media_type_header_exception', failure: 'fatal', meaning: 'the server refuses the media type' },
  { type: 'mapper_parsing_exception', failure: 'row', meaning: 'a value does not fit its field' },
  { type: 'document_parsing_exception', failure: 'row', meaning: 'a value does not fit its field' },
]

/** By the HTTP status, where the type tells nothing. */
const statuses: Readonly<Record<number, readonly [failure: FailureClass, meaning: string]>> = {
  401: ['auth', 'the server refuses the login'],
  403: ['auth', 'a right is missing'],
  404: ['schema', 'what is written to does not exist'],
  406: ['fatal', 'the server refuses the media type'],
  408: ['unknown-outcome', 'the server took too long'],
  413: ['fatal', 'a request is larger than the server takes'],
  429: ['throttled', 'the server has too much to do'],
  500: ['unknown-outcome', 'the server failed inside'],
  502: ['unknown-outcome', 'a proxy has lost the server'],
  503: ['transient', 'the server is not available'],
  504: ['unknown-outcome', 'a proxy has waited too long for the server'],
}

/** An error of the server by type and status; `row` only for single items, where anything unknown below 500 is one. */
export function serverFailure(status: number, type: string | undefined, of: 'request' | 'item'): SearchFailure {
  const known = errorTypes.find((one) => one.type === type)
  const [failure, meaning] = known === undefined ? byStatus(status, of) : [known.failure, known.meaning]
  const code = type ?? `HTTP ${status}`
  return new SearchFailure(`${meaning} (${code})`, failure === 'row' && of === 'request' ? 'fatal' : failure, code)
}

function byStatus(status: number, of: 'request' | 'item'): readonly [FailureClass, string] {
  const known = statuses[status]
  if (known !== undefined) return known
  if (status >= 500) return ['unknown-outcome', 'the server failed inside']
  return of === 'item' ? ['row', 'the server refuses the document'] : ['fatal', 'the server refuses the request']
}

/** What the client throws: errors of Node, and by name those of the clients. */
const names: Readonly<Record<string, FailureClass>> = {
  ConnectionError: 'unknown-outcome',
  TimeoutError: 'unknown-outcome',
  RequestAbortedError: 'unknown-outcome',
  NoLivingConnectionsError: 'transient',
  ConfigurationError: 'fatal',
  SerializationError: 'fatal',
  DeserializationError: 'unknown-outcome',
  ProductNotSupportedError: 'fatal',
}

/** Nothing has reached the server. */
const notSent: Readonly<Record<string, FailureClass>> = {
  ECONNREFUSED: 'transient',
  EHOSTUNREACH: 'transient',
  ENETUNREACH: 'transient',
  ENOTFOUND: 'transient',
  EAI_AGAIN: 'transient',
  EADDRNOTAVAIL: 'transient',
  UND_ERR_CONNECT_TIMEOUT: 'transient',
  ...certificateFaults,
}

/** The meaning of whatever a client has thrown. Total. */
export function toFailure(error: unknown): SearchFailure {
  if (error instanceof SearchFailure) return error
  if (!(error instanceof Error)) return new SearchFailure('an error that is no Error', 'fatal')
  const code = codeOf(error)
  // both clients drop the code of Node's error
  if (tellsCertificateFault(error.message)) return new SearchFailure(error.message, 'auth', undefined, error)
  const before = Object.entries(notSent).find(([name]) => code === name || error.message.includes(name))
  if (before !== undefined) return new SearchFailure(before[0], before[1], undefined, error)
  const sent = code === undefined ? undefined : midway.find((name) => name === code)
  if (sent !== undefined) return new SearchFailure(sent, 'unknown-outcome', undefined, error)
  const failure = Object.hasOwn(names, error.name) ? names[error.name] : undefined
  return new SearchFailure(error.message, failure ?? 'fatal', undefined, error)
}

/** The request may have arrived. */
const midway: readonly string[] = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
]

export function classify(error: unknown): FailureClass {
  return toFailure(error).failure
}

/** The clients wrap the error of Node. */
function codeOf(error: Error, depth = 0): string | undefined {
  if ('code' in error && typeof error.code === 'string') return error.code
  const { cause } = error
  return cause instanceof Error && depth < 3 ? codeOf(cause, depth + 1) : undefined
}
