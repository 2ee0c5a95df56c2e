import { createClient } from 'redis'
import { redis } from '../../adapters/redis/index.ts'
import { applyScript, ledgerScript } from '../../adapters/redis/script.ts'
import { openReader, type RedisReader } from '../services/redis-database.ts'
import type { CrashTable } from './crash-input.ts'
import type { CrashStore } from './crash-store.ts'

/** Of one server: a ledger is not kept on a cluster. */
export const redisCrashStore: CrashStore = {
  connector: redis,
  openWatchedClient: async (url, onCall) => {
    const client = await createClient({ url }).connect()
    const watched = {
      sendCommand: (args: string[], options: object): unknown => {
        const call = onCall(statementOf(args))
        const answer = client.sendCommand(args, options)
        // the driver writes what has come in a turn of the event loop at its end
        setTimeout(call.sent, 2)
        return answer
      },
    }
    return { client: watched, end: async () => client.destroy() }
  },
  openReader: async (url) => {
    const reader = await openReader({ isCluster: false }, url)
    return {
      state: async () => ({
        sums: await readRows(reader, 'sums', ({ total, n }) => `${total} ${n}`),
        versions: await readRows(reader, 'versions', ({ version, body }) => `${version} ${body}`),
      }),
      ledgerOffset: async (sinkId) => {
        const offset = await reader.send(['HGET', `tidegate_ledger:${sinkId}`, 'position:source'])
        return offset === null ? 0 : Number(String(offset))
      },
      end: () => reader.close(),
    }
  },
}

const scriptNames = new Map([
  [applyScript.sha, 'rows'],
  [applyScript.text, 'rows'],
  [ledgerScript.sha, 'ledger'],
  [ledgerScript.text, 'ledger'],
])

/** E.g. `EVALSHA rows`. */
function statementOf([command, second = '']: readonly string[]): string {
  return `${command} ${scriptNames.get(second) ?? second}`
}

async function readRows(
  reader: RedisReader,
  table: CrashTable,
  textOf: (row: Readonly<Record<string, string>>) => string,
): Promise<Readonly<Record<string, string>>> {
  const keys = ((await reader.send(['KEYS', `${table}:*`])) as Buffer[]).map(String)
  const rows = await Promise.all(
    keys.map(async (key) => {
      const fields = [...((await reader.send(['HGETALL', key])) as Map<Buffer, Buffer>)]
      return Object.fromEntries(fields.map(([name, value]) => [String(name), String(value)]))
    }),
  )
  const visible = rows.filter((row) => row['__tidegate_deleted'] !== 'true')
  return Object.fromEntries(visible.map((row) => [row['id'] ?? '', textOf(row)]))
}
