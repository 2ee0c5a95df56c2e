import { clickhouseVersion, startClickhouse } from '../services/clickhouse-server.ts'
import type { StoreStart } from './store-start.ts'

export function clickhouseStores(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_CLICKHOUSE_URL']
  return [
    { name: 'clickhouse', set: 'quick', start: ownServer },
    ...(url === undefined
      ? []
      : [{ name: 'clickhouse-url' as const, set: 'quick' as const, start: () => namedServer(url) }]),
  ]
}

async function ownServer(): ReturnType<StoreStart['start']> {
  const { version, url, stop } = await startClickhouse()
  return { status: { version: `ClickHouse ${version} of npm's engine`, clickhouse: { url } }, stop }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `ClickHouse ${await clickhouseVersion(url)} of TIDEGATE_TEST_CLICKHOUSE_URL`
  return { status: { version, clickhouse: { url } }, stop: async () => {} }
}
