import { elasticsearch, opensearch } from '../../adapters/elasticsearch/index.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { askSearch } from '../services/search/search-server.ts'
import type { SearchAccess } from '../stores.ts'

/** The connector on a node, by its options or by a client that is handed in. Every table has an index of its own. */
export function searchHarness({ connector, url }: SearchAccess, client?: unknown): Harness {
  const indices: string[] = []
  return {
    connector: connector === 'elasticsearch' ? elasticsearch : opensearch,
    client,
    prepare: async ({ name }) => {
      // a node gets slow with hundreds of indices; what was made long ago is no longer looked at
      if (indices.length > keptIndices) await remove(url, indices.splice(0, keptIndices / 2))
      indices.push(name)
      const options = { connector, 'sink.create-table': 'if-not-exists' }
      return client === undefined ? { ...options, hosts: url } : options
    },
    snapshot: async (table) => await visibleDocuments(url, table),
    dispose: async () => await remove(url, indices),
  }
}

const keptIndices = 40

/** In one request, since each is a change of the cluster's state. */
async function remove(url: string, indices: readonly string[]): Promise<void> {
  if (indices.length === 0) return
  const names = indices.map((index) => encodeURIComponent(index)).join(',')
  await askSearch(url, 'DELETE', `/${names}?ignore_unavailable=true`)
}

/** What a search shows to somebody who leaves out the documents with the flag set. */
export async function visibleDocuments(
  url: string,
  table: Pick<TableDefinition, 'name' | 'options'>,
): Promise<RowObject[]> {
  const index = encodeURIComponent(table.options['index'] ?? table.name)
  const options = 'ignore_unavailable=true&allow_no_indices=true'
  await askSearch(url, 'POST', `/${index}/_refresh?${options}`)
  const query = { bool: { must_not: [{ term: { __tidegate_deleted: true } }] } }
  const text = await askSearch(url, 'POST', `/${index}/_search?${options}`, { size: 10_000, query })
  const { hits } = parseExact(text) as { hits: { hits: { _source: RowObject }[] } }
  // a script cannot change a document with a field `op`, so the column has another name there
  return hits.hits.map(({ _source: { op_, ...fields } }) => (op_ === undefined ? fields : { ...fields, op: op_ }))
}
