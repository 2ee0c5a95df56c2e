import { elasticsearch, opensearch } from '../../adapters/elasticsearch/index.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import { askBulk, askSearch } from '../services/search/search-server.ts'
import type { SearchAccess } from '../stores.ts'
import type { AgreementStore } from './check-agreement.ts'

/** Documents by their ids, which are the keys 1 to 3 of the changes: to be seen they need no refresh. */
export function searchAgreementStore({ connector, url }: SearchAccess): AgreementStore {
  return {
    connector: connector === 'elasticsearch' ? elasticsearch : opensearch,
    client: undefined,
    url,
    run: async (statement) => {
      const [line = '', ...body] = statement.split('\n')
      const [method = '', path = ''] = line.split(' ')
      await askSearch(url, method, path, JSON.parse(body.join('\n')))
    },
    empty: async (table) =>
      await askBulk(
        url,
        ids.map((_id) => ({ delete: { _index: table, _id } })),
      ),
    storedRows: async ({ name, merge: { columns } }) => {
      const { docs } = parseExact(await askSearch(url, 'POST', `/${name}/_mget`, { ids })) as {
        docs: { found: boolean; _source: RowObject }[]
      }
      return docs
        .filter(({ found }) => found)
        .map(({ _source }) =>
          columns.map((column) => {
            const raw = _source[column.name] ?? null
            return raw === null ? null : createCoercion(column.type)(raw)
          }),
        )
    },
  }
}

const ids = ['1', '2', '3']
