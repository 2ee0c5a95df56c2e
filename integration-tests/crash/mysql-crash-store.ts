import { type Connection, createConnection } from 'mysql2/promise'
import { mysql } from '../../adapters/mysql/index.ts'
import type { CrashTable } from './crash-input.ts'
import type { CrashStore } from './crash-store.ts'

export const mysqlCrashStore: CrashStore = {
  connector: mysql,
  openWatchedClient: async (url, onCall) => {
    const client = await createConnection(url)
    const watch = (name: 'query' | 'execute') => {
      const send = client[name].bind(client) as (...args: unknown[]) => unknown
      return (...args: unknown[]): unknown => {
        const call = onCall((args[0] as { sql: string }).sql)
        const answer = send(...args)
        call.sent()
        return answer
      }
    }
    const watched = Object.assign(client, { query: watch('query'), execute: watch('execute') })
    return { client: watched, end: () => client.end() }
  },
  openReader: async (url) => {
    const client = await createConnection(url)
    return {
      state: async () => ({
        sums: await readRows(client, 'sums', "CONCAT(total, ' ', n)"),
        versions: await readRows(client, 'versions', "CONCAT(version, ' ', body)"),
      }),
      ledgerOffset: async (sinkId) => await ledgerOffset(client, sinkId),
      end: () => client.end(),
    }
  },
}

async function ledgerOffset(client: Connection, sinkId: string): Promise<number> {
  if ((await columnsOf(client, 'tidegate_ledger')).length === 0) return 0
  // waits for a transaction whose COMMIT was sent by a process that is no more
  const text = 'SELECT positions FROM tidegate_ledger WHERE sink_id = ? FOR UPDATE'
  const [rows] = await client.query(text, [sinkId])
  const [row] = rows as { positions: string }[]
  return row === undefined ? 0 : ((JSON.parse(row.positions) as { source?: number }).source ?? 0)
}

async function readRows(
  client: Connection,
  table: CrashTable,
  text: string,
): Promise<Readonly<Record<string, string>>> {
  const columns = await columnsOf(client, table)
  if (columns.length === 0) return {}
  const visible = columns.includes('__tidegate_deleted') ? 'WHERE NOT __tidegate_deleted' : ''
  const [rows] = await client.query(`SELECT id, ${text} AS text FROM ${table} ${visible}`)
  return Object.fromEntries((rows as { id: number; text: string }[]).map((row) => [String(row.id), row.text]))
}

async function columnsOf(client: Connection, table: string): Promise<readonly string[]> {
  const text =
    'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ?'
  const [rows] = await client.query(text, [table])
  return (rows as { name: string }[]).map(({ name }) => name)
}
