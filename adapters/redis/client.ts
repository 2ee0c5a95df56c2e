import { importDriver } from '../../src/connector/import-driver.ts'

export type RedisArgument = string | Buffer

/** The part of node-redis that is used, as shapes, so that its types are not needed to compile against tidegate. */
export interface NodeRedisClient {
  sendCommand(args: readonly RedisArgument[], options?: object): Promise<unknown>
  readonly isReady: boolean
  connect(): Promise<unknown>
  close(): Promise<void>
  destroy(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

export interface NodeRedisCluster {
  sendCommand(
    firstKey: RedisArgument | undefined,
    isReadonly: boolean,
    args: readonly RedisArgument[],
    options?: object,
  ): Promise<unknown>
  readonly isOpen: boolean
  readonly masters: readonly object[]
  nodeClient(node: object): Promise<NodeRedisClient> | NodeRedisClient
  connect(): Promise<unknown>
  close(): Promise<void>
  destroy(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of ioredis that is used. */
export interface IoredisClient {
  callBuffer(command: string, ...args: readonly RedisArgument[]): Promise<unknown>
  /** Of a cluster. */
  nodes?(role: 'master'): readonly IoredisClient[]
  readonly isCluster?: boolean
}

export type GivenClient =
  | { readonly kind: 'node-redis'; readonly client: NodeRedisClient }
  | { readonly kind: 'node-redis-cluster'; readonly cluster: NodeRedisCluster }
  | { readonly kind: 'ioredis'; readonly client: IoredisClient }

/** Tells what a user has handed in; undefined if it is none of them. */
export function recogniseClient(given: unknown): GivenClient | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const has = (name: string): boolean => typeof (given as Record<string, unknown>)[name] === 'function'
  if (has('callBuffer') && has('sendCommand')) return { kind: 'ioredis', client: given as unknown as IoredisClient }
  if (!has('sendCommand')) return undefined
  return has('nodeClient')
    ? { kind: 'node-redis-cluster', cluster: given as unknown as NodeRedisCluster }
    : { kind: 'node-redis', client: given as unknown as NodeRedisClient }
}

export interface NodeRedisDriver {
  createClient(options: object): NodeRedisClient
  createCluster(options: object): NodeRedisCluster
}

/** Throws `DRIVER_MISSING`. */
export async function importNodeRedis(): Promise<NodeRedisDriver> {
  const driver = { connector: 'redis', name: 'redis', range: '^6.3.1' }
  return (await importDriver(driver, () => import('redis'))) as unknown as NodeRedisDriver
}

/** Bulk replies as Buffers: bytes of a row are no text. 36 is `$`, the type of a bulk reply. */
export const bufferReplies = { typeMapping: { 36: Buffer } }
