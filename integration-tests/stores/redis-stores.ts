import { hasDocker } from '../services/docker-engine.ts'
import { startOfficialImage } from '../services/official-images.ts'
import { startRedisCluster } from '../services/redis-cluster.ts'
import { redisVersion } from '../services/redis-database.ts'
import type { RedisSource } from '../services/redis-programs.ts'
import { startRedis } from '../services/redis-server.ts'
import type { StoreStart } from './store-start.ts'

export function redisStores(): readonly StoreStart[] {
  const url = process.env['TIDEGATE_TEST_REDIS_URL']
  return [
    { name: 'redis', set: 'quick', start: () => ownServer('redis', "of the machine's packages") },
    { name: 'redis-cluster', set: 'quick', start: () => ownCluster('redis', "of the machine's packages") },
    { name: 'valkey', set: 'all', start: () => ownServer('valkey', 'of a Python wheel') },
    { name: 'valkey-cluster', set: 'all', start: () => ownCluster('valkey', 'of a Python wheel') },
    ...(url === undefined
      ? []
      : [{ name: 'redis-url' as const, set: 'quick' as const, start: () => namedServer(url) }]),
  ]
}

const databases = 1000

async function ownServer(source: RedisSource, origin: string): ReturnType<StoreStart['start']> {
  if (hasDocker()) {
    const { url, image, stop } = await startOfficialImage(source)
    const version = `${await redisVersion(url)} of ${image}`
    return { status: { version, redis: { url, isCluster: false, databases } }, stop }
  }
  const server = await startRedis(source, ['--databases', String(databases)])
  const redis = { url: server.url, isCluster: false, databases }
  return { status: { version: `${server.version} ${origin}`, redis }, stop: server.stop }
}

async function ownCluster(source: RedisSource, origin: string): ReturnType<StoreStart['start']> {
  const cluster = await startRedisCluster(source)
  const redis = { url: cluster.url, isCluster: true, databases: 1 }
  return { status: { version: `${cluster.version} cluster ${origin}`, redis }, stop: cluster.stop }
}

async function namedServer(url: string): ReturnType<StoreStart['start']> {
  const version = `${await redisVersion(url)} of TIDEGATE_TEST_REDIS_URL`
  return { status: { version, redis: { url, isCluster: url.includes(','), databases: 1 } }, stop: async () => {} }
}
