import { redis } from '../../adapters/redis/index.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { Row } from '../../src/row/row.ts'
import type { RedisReader } from '../services/redis-database.ts'
import type { AgreementStore } from './check-agreement.ts'

/** Rows are hashes; `reader` looks at the same database. */
export function redisAgreementStore(reader: RedisReader, url: string): AgreementStore {
  const keysOf = async (table: string): Promise<readonly string[]> =>
    ((await reader.send(['KEYS', `${table}:*`])) as readonly Buffer[]).map(String)
  return {
    connector: redis,
    client: undefined,
    url,
    run: async () => {},
    empty: async (table) => {
      for (const key of await keysOf(table)) await reader.send(['DEL', key], key)
    },
    storedRows: async ({ name, merge: { columns, deletedFlag } }) => {
      const rows: Row[] = []
      for (const key of await keysOf(name)) {
        const names = columns.map((column) => column.name)
        const values = (await reader.send(['HMGET', key, ...names], key)) as readonly (Buffer | null)[]
        const row = columns.map(({ type }, position): Row[number] => {
          const text = values[position]?.toString('utf8')
          if (text === undefined) return position === deletedFlag ? false : null
          return createCoercion(type)(type.name === 'ARRAY' ? parseExact(text) : text)
        })
        rows.push(row)
      }
      return rows
    },
  }
}
