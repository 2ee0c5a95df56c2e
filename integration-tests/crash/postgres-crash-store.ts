import pg from 'pg'
import { postgres } from '../../adapters/postgres/index.ts'
import type { CrashTable } from './crash-input.ts'
import type { CrashStore } from './crash-store.ts'

export const postgresCrashStore: CrashStore = {
  connector: postgres,
  openWatchedClient: async (url, onCall) => {
    const client = await connect(url)
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const watched = (...args: unknown[]): unknown => {
      const [statement] = args
      const call = onCall(typeof statement === 'string' ? statement : (statement as { text: string }).text)
      const answer = query(...args)
      call.sent()
      return answer
    }
    return { client: Object.assign(client, { query: watched }), end: () => client.end() }
  },
  openReader: async (url) => {
    const client = await connect(url)
    return {
      state: async () => ({
        sums: await readRows(client, 'sums', "total || ' ' || n"),
        versions: await readRows(client, 'versions', "version || ' ' || body"),
      }),
      ledgerOffset: async (sinkId) => await ledgerOffset(client, sinkId),
      end: () => client.end(),
    }
  },
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  return client
}

async function ledgerOffset(client: pg.Client, sinkId: string): Promise<number> {
  const { rows: found } = await client.query<{ there: boolean }>(
    "select to_regclass('tidegate_ledger') is not null as there",
  )
  if (found[0]?.there !== true) return 0
  // waits for a transaction whose COMMIT was sent by a process that is no more
  const { rows } = await client.query<{ at: number | null }>(
    "select (positions->>'source')::int as at from tidegate_ledger where sink_id = $1 for update",
    [sinkId],
  )
  return rows[0]?.at ?? 0
}

async function readRows(client: pg.Client, table: CrashTable, text: string): Promise<Readonly<Record<string, string>>> {
  const { rows: columns } = await client.query<{ name: string }>(
    'select attname as name from pg_attribute where attrelid = to_regclass($1) and attnum > 0',
    [table],
  )
  if (columns.length === 0) return {}
  const isFlagged = columns.some(({ name }) => name === '__tidegate_deleted')
  const { rows } = await client.query<{ id: string; text: string }>(
    `select id, ${text} as text from ${table} ${isFlagged ? 'where not __tidegate_deleted' : ''}`,
  )
  return Object.fromEntries(rows.map((row) => [row.id, row.text]))
}
