import { clickhouseVersion, startClickhouse } from '../services/clickhouse-server.ts'
import { hasDocker } from '../services/docker-engine.ts'
import { startOfficialImage } from '../services/official-images.ts'
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
  if (hasDocker()) {
    const { url, image, stop } = await startOfficialImage('clickhouse')
    return { status: { version: `ClickHouse ${await clickhouseVersion(url)} of ${image}`, clickhouse: { url } }, stop }
  }
  const { version, url, stop } = await startClickhouse()
  return { status: { version: `ClickHouse ${version} of npm's engine`, clickhouse: { url } }, stop }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `ClickHouse ${await clickhouseVersion(url)} of TIDEGATE_TEST_CLICKHOUSE_URL`
  return { status: { version, clickhouse: { url } }, stop: async () => {} }
}
