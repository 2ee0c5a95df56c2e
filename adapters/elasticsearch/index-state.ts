import pRetry from 'p-retry'
import type { TablePlan } from '../../src/plan/plan.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import { errorTypeOf } from './bulk.ts'
import type { SearchClient } from './client.ts'
import { SearchFailure, serverFailure } from './failures.ts'
import { type Hit, search } from './found-documents.ts'
import { readersAlias, templateName } from './statements/create-index.ts'
import type { Target } from './target.ts'
import type { FieldMapping } from './type-mapping.ts'

/** Mapping of an index, as far as it is looked at. */
export interface IndexMapping {
  readonly dynamic?: string | boolean | undefined
  readonly properties?: Readonly<Record<string, FieldMapping>> | undefined
  readonly _meta?: { readonly tidegate?: { readonly versioning?: string | undefined } | undefined } | undefined
  readonly _source?: Readonly<Record<string, unknown>> | undefined
  readonly _routing?: { readonly required?: boolean | undefined } | undefined
}

/** What is there of a table's target. */
export interface IndexState {
  /** By index; empty: there is none yet. */
  readonly mappings: ReadonlyMap<string, IndexMapping>
  /** The template of dynamic indices is there. */
  readonly hasTemplate: boolean
  readonly hasReadersAlias: boolean
  /** A document, if there is one, to see how it is versioned. */
  readonly sample: Hit | undefined
}

export async function readIndexState(client: SearchClient, plan: TablePlan, { index }: Target): Promise<IndexState> {
  const mappings = await readMappings(client, index.pattern)
  const exists = async (path: string): Promise<boolean> =>
    (await client.request({ method: 'GET', path })).status === 200
  const alias = encodeURIComponent(readersAlias(index.pattern))
  return {
    mappings,
    hasTemplate:
      index.isDynamic && (await exists(`/_index_template/${encodeURIComponent(templateName(index.pattern))}`)),
    hasReadersAlias: plan.merge.deletedFlag !== undefined && (await exists(`/_alias/${alias}`)),
    sample: mappings.size === 0 ? undefined : await readSample(client, plan, index.pattern),
  }
}

async function readMappings(client: SearchClient, pattern: string): Promise<ReadonlyMap<string, IndexMapping>> {
  const { status, text } = await client.request({ method: 'GET', path: `/${encodeURIComponent(pattern)}/_mapping` })
  if (status === 404) return new Map()
  if (status !== 200) throw serverFailure(status, errorTypeOf(text), 'request')
  const indices = parseExact(text) as Readonly<Record<string, { readonly mappings?: IndexMapping }>>
  return new Map(Object.entries(indices).map(([name, { mappings = {} }]) => [name, mappings]))
}

/** Only external versions can be told by looking at one. */
async function readSample(client: SearchClient, plan: TablePlan, pattern: string): Promise<Hit | undefined> {
  if (plan.connectorOptions['versioning'] !== 'external') return undefined
  const query = { size: 1, version: true, query: { match_all: {} } }
  // an index that another sink is just making answers no search yet
  const [hit] = await pRetry(() => search(client, pattern, query), {
    retries: 20,
    factor: 1,
    minTimeout: 250,
    shouldRetry: ({ error }) => error instanceof SearchFailure && error.failure === 'transient',
  })
  return hit
}
