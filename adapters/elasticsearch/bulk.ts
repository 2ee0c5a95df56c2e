import { must } from '../../src/assert.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { SearchClient } from './client.ts'
import { SearchFailure, serverFailure } from './failures.ts'
import { faultMark } from './merge-script/tombstone.ts'
import type { Action } from './statements/action.ts'

/** What became of one action. */
export type ItemOutcome =
  | { readonly kind: 'written' | 'stale' }
  /** The row is at fault. */
  | {
      readonly kind: 'rejected'
      readonly reason: string
      readonly code?: ErrorCode | undefined
      readonly storeCode?: string | undefined
    }
  /** The row is not at fault, and may be sent again if `failure` is of a class that time mends. */
  | { readonly kind: 'failed'; readonly failure: SearchFailure }

/** Groups of actions that make requests of at most `maxBytes`; one that is larger by itself goes alone. */
export function cutRequests<Item extends { readonly action: Action }>(
  items: readonly Item[],
  maxBytes: number,
): readonly (readonly Item[])[] {
  const requests: Item[][] = []
  let current: Item[] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(item.action.lines)
    if (current.length > 0 && bytes + size > maxBytes) {
      requests.push(current)
      current = []
      bytes = 0
    }
    current.push(item)
    bytes += size
  }
  if (current.length > 0) requests.push(current)
  return requests
}

/** Only what is looked at: the answer is a tenth as long. */
const answerFilter = 'errors,items.*.status,items.*.result,items.*.error'

/** Sends the actions in one request and gives their outcomes in order; a request that is too large is halved. */
export async function sendBulk(
  client: SearchClient,
  actions: readonly Action[],
  refresh: 'false' | 'wait_for' | 'true',
  signal: AbortSignal | undefined,
): Promise<readonly ItemOutcome[]> {
  const { status, text } = await client.request({
    method: 'POST',
    path: '/_bulk',
    query: { filter_path: answerFilter, ...(refresh === 'false' ? {} : { refresh }) },
    body: actions.map(({ lines }) => lines).join(''),
    isBulk: true,
    signal,
  })
  if (status === 413) {
    if (actions.length === 1) return [{ kind: 'rejected', reason: tooLarge, storeCode: 'HTTP 413' }]
    const middle = actions.length >>> 1
    return [
      ...(await sendBulk(client, actions.slice(0, middle), refresh, signal)),
      ...(await sendBulk(client, actions.slice(middle), refresh, signal)),
    ]
  }
  if (status !== 200) throw serverFailure(status, errorTypeOf(text), 'request')
  const items = itemsOf(text)
  if (items.length !== actions.length) {
    throw new SearchFailure('the answer to a bulk request is cut off', 'unknown-outcome')
  }
  return items.map((item, index) => outcomeOf(item, must(actions[index], 'an item an action')))
}

const tooLarge = 'the document is larger than the server takes in one request (http.max_content_length)'

interface BulkItem {
  readonly status: number
  readonly result?: string | undefined
  readonly error?: ServerError | undefined
}

export interface ServerError {
  readonly type?: string | undefined
  readonly reason?: string | undefined
  readonly caused_by?: ServerError | undefined
}

function itemsOf(text: string): readonly BulkItem[] {
  let answer: { readonly items?: readonly Readonly<Record<string, BulkItem>>[] | undefined }
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    throw new SearchFailure('the answer to a bulk request is no JSON', 'unknown-outcome')
  }
  return (answer.items ?? []).map((item) => must(Object.values(item)[0], 'an item has one member'))
}

function outcomeOf({ status, result, error }: BulkItem, action: Action): ItemOutcome {
  if (error === undefined && status < 300) return { kind: result === 'noop' ? 'stale' : 'written' }
  // a delete of an id that is not there has done what it should
  if (status === 404 && (error === undefined || error.type === 'document_missing_exception')) {
    return action.missing === 'rejected' ? retractWithoutRow : { kind: 'written' }
  }
  if (status === 409) return action.conflict === 'stale' ? { kind: 'stale' } : { kind: 'failed', failure: conflict }
  const fault = scriptFault(error)
  if (fault !== undefined) return { kind: 'rejected', reason: fault, storeCode: 'script_exception' }
  const failure = itemFailure(status, error)
  if (failure.failure !== 'row') return { kind: 'failed', failure }
  const inner = innermost(error)?.type
  const field = /field \[([^\]]+)\]/.exec(error?.reason ?? '')?.[1]
  const reason = field === undefined ? failure.message : `${failure.message}, field ${field}`
  return { kind: 'rejected', reason, storeCode: inner ?? failure.storeCode }
}

const conflict = new SearchFailure(
  'other writers changed the documents at the same time',
  'transient',
  'version_conflict_engine_exception',
)

const retractWithoutRow: ItemOutcome = {
  kind: 'rejected',
  code: 'RETRACT_WITHOUT_ROW',
  reason: 'a retract came before any row of its key, and without a flag column nothing can hold it (A4)',
}

/** A script that fails is wrapped, and so is the one that is not there. */
function itemFailure(status: number, error: ServerError | undefined): SearchFailure {
  const inner = innermost(error)?.type
  return serverFailure(status, inner === missingScript ? inner : error?.type, 'item')
}

export const missingScript = 'resource_not_found_exception'

/** What our script says of the row: the innermost cause, marked, and without values. */
function scriptFault(error: ServerError | undefined): string | undefined {
  for (let cause = error; cause !== undefined; cause = cause.caused_by) {
    if (cause.reason?.startsWith(faultMark)) return cause.reason.slice(faultMark.length)
  }
  return undefined
}

function innermost(error: ServerError | undefined): ServerError | undefined {
  return error?.caused_by === undefined ? error : innermost(error.caused_by)
}

/** The type of the error that answers a whole request; the body may be empty or no JSON. */
export function errorTypeOf(text: string): string | undefined {
  return errorOf(text)?.type
}

export function errorOf(text: string): ServerError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: ServerError | string | undefined }
    return typeof error === 'object' ? error : undefined
  } catch {
    return undefined
  }
}
