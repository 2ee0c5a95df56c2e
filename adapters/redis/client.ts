import { readFile } from 'node:fs/promises'
import { importDriver } from '../../src/connector/import-driver.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import { toFailure } from './failures.ts'
import { type Endpoint, parseEndpoint, type RedisOptions } from './options.ts'

/** A server or a cluster, as the writer needs it. */
export interface Connection {
  readonly isCluster: boolean
  /** Sends a command to the node of `key`; without a key, to the server or some node. Throws `RedisFailure`. */
  call(key: string | undefined, args: readonly string[]): Promise<unknown>
  /** Sends a command to every node that takes writes. */
  callEach(args: readonly string[]): Promise<readonly unknown[]>
  /** Walks over all names that match, node by node. */
  scan(pattern: string): AsyncIterable<readonly string[]>
  /** Does nothing to a client that was handed in. */
  close(): Promise<void>
}

/** The part of node-redis that is used, as shapes: its types are not needed to compile against tidegate. */
interface Client {
  sendCommand(args: readonly string[]): Promise<unknown>
}

interface OwnClient extends Client {
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface Cluster {
  sendCommand(key: string | undefined, isReadonly: boolean, args: readonly string[]): Promise<unknown>
  readonly masters: readonly unknown[]
  nodeClient(node: unknown): Promise<Client> | Client
}

interface OwnCluster extends Cluster {
  connect(): Promise<unknown>
  destroy(): void
  on(event: 'error', listener: (error: Error) => void): unknown
}

interface Driver {
  createClient(options: object): OwnClient
  createCluster(options: object): OwnCluster
}

/** Throws `OPTION_INVALID`, `DRIVER_MISSING` and what the driver meets when it connects. */
export async function openConnection(given: unknown, options: RedisOptions): Promise<Connection> {
  if (given !== undefined && given !== null) return givenConnection(given)
  const problems: Problem[] = []
  const endpoint = parseEndpoint(options, problems)
  if (endpoint === undefined || problems.length > 0) {
    throw problemsError('the connection to Redis cannot be made:', problems, {
      code: 'OPTION_INVALID',
      connector: 'redis',
    })
  }
  const driver = (await importDriver(
    { connector: 'redis', name: 'redis', range: '^6.3.1' },
    () => import('redis'),
  )) as unknown as Driver
  return options.mode === 'cluster'
    ? await openCluster(driver, endpoint, options)
    : await openServer(driver, endpoint, options)
}

function givenConnection(given: unknown): Connection {
  const client = given as Record<string, unknown>
  if (typeof client['sendCommand'] === 'function') {
    return 'masters' in client && typeof client['nodeClient'] === 'function'
      ? clusterConnection(given as Cluster, async () => {})
      : serverConnection(given as Client, async () => {})
  }
  throw new TidegateError('the client that was handed in is no client or cluster of the package redis', {
    code: 'OPTION_INVALID',
    connector: 'redis',
    hint: 'hand in what createClient or createCluster gives, connected',
  })
}

async function openServer(driver: Driver, endpoint: Endpoint, options: RedisOptions): Promise<Connection> {
  const settings = await clientSettings(endpoint, options)
  const client = driver.createClient({ ...settings, url: endpoint.urls[0] })
  // the failure of a command is told by the command
  client.on('error', () => {})
  await connect(client)
  return serverConnection(client, async () => client.destroy())
}

async function openCluster(driver: Driver, endpoint: Endpoint, options: RedisOptions): Promise<Connection> {
  const defaults = await clientSettings(endpoint, options)
  const cluster = driver.createCluster({ rootNodes: endpoint.urls.map((url) => ({ url })), defaults })
  cluster.on('error', () => {})
  await connect(cluster)
  return clusterConnection(cluster, async () => cluster.destroy())
}

async function connect(client: { connect(): Promise<unknown>; destroy(): void }): Promise<void> {
  try {
    await client.connect()
  } catch (error) {
    try {
      client.destroy()
    } catch {
      // it was never open
    }
    throw toFailure(error)
  }
}

/** Retries are tidegate's: a command on a lost connection fails at once, and none is kept for a later one. */
async function clientSettings({ username, password, isEncrypted }: Endpoint, options: RedisOptions): Promise<object> {
  const timeout = options['command-timeout']
  const caFile = options['tls.ca-file']
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    disableOfflineQueue: true,
    socket: {
      connectTimeout: options['connect-timeout'],
      ...(timeout === 0 ? {} : { socketTimeout: timeout }),
      reconnectStrategy: (retries: number) => Math.min(50 * 2 ** retries, 2000),
      ...(isEncrypted ? { tls: true, rejectUnauthorized: true } : {}),
      ...(caFile === undefined ? {} : { ca: await readFile(caFile, 'utf8') }),
    },
  }
}

function serverConnection(client: Client, close: () => Promise<void>): Connection {
  const call = async (args: readonly string[]): Promise<unknown> => await guarded(() => client.sendCommand(args))
  return {
    isCluster: false,
    call: (_key, args) => call(args),
    callEach: async (args) => [await call(args)],
    scan: (pattern) => scanNode(call, pattern),
    close,
  }
}

function clusterConnection(cluster: Cluster, close: () => Promise<void>): Connection {
  const nodes = async (): Promise<readonly Client[]> =>
    await Promise.all(cluster.masters.map(async (node) => await cluster.nodeClient(node)))
  return {
    isCluster: true,
    call: (key, args) => guarded(() => cluster.sendCommand(key, false, args)),
    callEach: (args) => guarded(async () => await Promise.all((await nodes()).map((node) => node.sendCommand(args)))),
    scan: async function* (pattern) {
      for (const node of await nodes()) yield* scanNode((args) => guarded(() => node.sendCommand(args)), pattern)
    },
    close,
  }
}

async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toFailure(error)
  }
}

async function* scanNode(
  call: (args: readonly string[]) => Promise<unknown>,
  pattern: string,
): AsyncGenerator<readonly string[]> {
  let cursor = '0'
  do {
    const [next, names] = (await call(['SCAN', cursor, 'MATCH', pattern, 'COUNT', '500'])) as [
      string,
      readonly string[],
    ]
    cursor = String(next)
    if (names.length > 0) yield names
  } while (cursor !== '0')
}
