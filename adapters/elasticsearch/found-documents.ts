import { parseExact } from '../../src/row/exact-json.ts'
import { errorTypeOf, sendBulk } from './bulk.ts'
import type { SearchClient } from './client.ts'
import { serverFailure } from './failures.ts'
import type { Action } from './statements/action.ts'

export interface Hit {
  readonly _index: string
  readonly _id: string
  readonly _version?: number | bigint | undefined
  readonly _seq_no?: number | undefined
  readonly _primary_term?: number | undefined
  readonly _source?: Readonly<Record<string, unknown>> | undefined
}

/** One page of what a query finds. */
export async function search(
  client: SearchClient,
  pattern: string,
  body: Readonly<Record<string, unknown>>,
): Promise<readonly Hit[]> {
  const { status, text } = await client.request({
    method: 'POST',
    path: `/${encodeURIComponent(pattern)}/_search`,
    query: { filter_path: 'hits.hits', ignore_unavailable: 'true', allow_no_indices: 'true' },
    body: JSON.stringify(body),
  })
  if (status !== 200) throw serverFailure(status, errorTypeOf(text), 'request')
  const { hits } = parseExact(text) as { readonly hits?: { readonly hits?: readonly Hit[] } }
  return hits?.hits ?? []
}

/** Makes what was written before findable. */
export async function refreshIndex(client: SearchClient, pattern: string): Promise<void> {
  const { status, text } = await client.request({
    method: 'POST',
    path: `/${encodeURIComponent(pattern)}/_refresh`,
    query: { ignore_unavailable: 'true', allow_no_indices: 'true' },
  })
  if (status !== 200) throw serverFailure(status, errorTypeOf(text), 'request')
}

const pageSize = 1000

/**
 * Deletes the documents that a query finds, page by page, each only if it is still as it was found: what another writer has
 * changed meanwhile is looked at again. `_delete_by_query` does the same, and is a module that not every server has.
 */
export async function deleteFound(
  client: SearchClient,
  pattern: string,
  query: Readonly<Record<string, unknown>>,
): Promise<void> {
  for (;;) {
    await refreshIndex(client, pattern)
    const hits = await search(client, pattern, { size: pageSize, query, seq_no_primary_term: true, _source: false })
    if (hits.length === 0) return
    const outcomes = await sendBulk(client, hits.map(deletion), 'false', undefined)
    const failed = outcomes.find((outcome) => outcome.kind === 'failed')
    if (failed?.kind === 'failed') throw failed.failure
  }
}

function deletion({ _index, _id, _seq_no, _primary_term }: Hit): Action {
  const address = JSON.stringify({ _index, _id, if_seq_no: _seq_no, if_primary_term: _primary_term })
  return { index: _index, lines: `{"delete":${address}}\n`, missing: 'done', conflict: 'stale' }
}
