import type { RedisSource } from '../services/redis-programs.ts'
import { redisVersion, startRedis } from '../services/redis-server.ts'
import type { StoreStart } from './store-start.ts'

export function redisStores(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_REDIS_URL']
  return [
    { name: 'redis', set: 'quick', start: () => ownServer('redis', 'single') },
    { name: 'redis-cluster', set: 'quick', start: () => ownServer('redis', 'cluster') },
    { name: 'valkey', set: 'all', start: () => ownServer('valkey', 'single') },
    { name: 'valkey-cluster', set: 'all', start: () => ownServer('valkey', 'cluster') },
    ...(url === undefined
      ? []
      : [{ name: 'redis-url' as const, set: 'quick' as const, start: () => namedServer(url) }]),
  ]
}

const origin: Readonly<Record<RedisSource, string>> = { redis: "of Debian's packages", valkey: 'of a Python wheel' }

async function ownServer(source: RedisSource, mode: 'single' | 'cluster'): ReturnType<StoreStart['start']> {
  const { version, url, isCluster, stop } = await startRedis({ source, mode })
  return { status: { version: `${version} ${origin[source]}`, redis: { url, isCluster } }, stop }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `${await redisVersion(url)} of TIDEGATE_TEST_REDIS_URL`
  return { status: { version, redis: { url, isCluster: false } }, stop: async () => {} }
}
