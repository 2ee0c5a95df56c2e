import type { Readable } from 'node:stream'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { clickhouse } from '../../adapters/clickhouse/index.ts'
import type { CrashTable } from './crash-input.ts'
import type { CrashStore } from './crash-store.ts'

export const clickhouseCrashStore: CrashStore = {
  connector: clickhouse,
  openWatchedClient: async (url, onCall) => {
    const client = createClient({ url })
    const watched = {
      exec: (request: { query: string; values?: Readable }): unknown => {
        const call = onCall(request.query)
        const answer = client.exec(request)
        // the socket has the request once the body was read to its end, or soon after there is none
        if (request.values === undefined) setTimeout(call.sent, 2)
        else request.values.once('end', () => setImmediate(call.sent))
        return answer
      },
      query: (request: Parameters<ClickHouseClient['query']>[0]): unknown => {
        const call = onCall(request.query)
        const answer = client.query(request)
        setTimeout(call.sent, 2)
        return answer
      },
    }
    return { client: watched, end: () => client.close() }
  },
  openReader: async (url) => {
    const client = createClient({ url })
    return {
      state: async () => ({
        sums: await readRows(client, 'sums', "concat(toString(total), ' ', toString(n))"),
        versions: await readRows(client, 'versions', "concat(toString(version), ' ', body)"),
      }),
      end: () => client.close(),
    }
  },
}

/** Through the view that readers have. */
async function readRows(
  client: ClickHouseClient,
  table: CrashTable,
  text: string,
): Promise<Readonly<Record<string, string>>> {
  const found = await client.query({ query: `EXISTS VIEW ${table}_live`, format: 'JSON' })
  const [exists] = (await found.json<{ result: number }>()).data
  if (Number(exists?.result) !== 1) return {}
  const answer = await client.query({
    query: `SELECT toString(id), ${text} FROM ${table}_live`,
    format: 'JSONCompactEachRow',
  })
  return Object.fromEntries((await answer.json()) as [string, string][])
}
