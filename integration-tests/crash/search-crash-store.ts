import { elasticsearch, opensearch } from '../../adapters/elasticsearch/index.ts'
import type { Connector } from '../../src/connector/connector.ts'
import { visibleDocuments } from '../conformance/search-harness.ts'
import type { CrashStore } from './crash-store.ts'

export const elasticsearchCrashStore: CrashStore = searchCrashStore(elasticsearch)
export const opensearchCrashStore: CrashStore = searchCrashStore(opensearch)

/** The stores keep no ledger, and there is nothing between the requests of a flush that would have to be watched. */
function searchCrashStore(connector: Connector): CrashStore {
  return {
    connector,
    openReader: async (url) => ({
      state: async () => {
        const rows = await visibleDocuments(url, { name: 'versions', options: {} })
        return {
          sums: {},
          versions: Object.fromEntries(rows.map(({ id, version, body }) => [String(id), `${version} ${body}`])),
        }
      },
      end: async () => {},
    }),
  }
}
