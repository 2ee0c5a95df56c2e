import { must } from '../../src/assert.ts'
import { readCaFile } from '../../src/connector/read-ca-file.ts'
import { type Problem, problemsError, type TidegateError } from '../../src/errors.ts'
import {
  bufferReplies,
  type GivenClient,
  type IoredisClient,
  importNodeRedis,
  type NodeRedisClient,
  type NodeRedisCluster,
  type NodeRedisDriver,
  type RedisArgument,
  recogniseClient,
} from './client.ts'
import { RedisFailure, toFailure } from './failures.ts'
import { type Endpoint, isCluster, parseEndpoint, type RedisOptions } from './options.ts'

/** A way to the server: one node, or a cluster. Bulk replies are Buffers. Commands are never sent twice by it. */
export interface Link {
  /** `key`: says which node of a cluster. Rejects with a `RedisFailure`. */
  send(args: readonly RedisArgument[], key?: string): Promise<unknown>
  /** A way to each node that holds keys. */
  masters(): Promise<readonly Send[]>
  close(): Promise<void>
}

export type Send = (args: readonly RedisArgument[]) => Promise<unknown>

/** Throws `OPTION_INVALID` and `DRIVER_MISSING`; connections of our own are made when they are needed. */
export async function openLink(client: unknown, options: RedisOptions): Promise<Link> {
  if (client !== undefined) return givenLink(client, options)
  const problems: Problem[] = []
  const endpoint = parseEndpoint(options, problems)
  const ca = readCaFile(options['tls.ca-file'], problems)
  if (problems.length > 0) throw invalid(problems)
  const driver = await importNodeRedis()
  const settings = connectionSettings(must(endpoint, 'no problem was found'), options, ca)
  return isCluster(options)
    ? await openCluster(driver, must(endpoint, 'no problem was found'), settings, options)
    : new OwnLink(driver, settings, options['command-timeout'])
}

function givenLink(client: unknown, options: RedisOptions): Link {
  const given = recogniseClient(client)
  if (given === undefined) {
    const message = 'is neither a client nor a cluster of node-redis or ioredis'
    throw invalid([{ subject: 'client', message, fix: "createClient({ url }) of the package 'redis', connected" }])
  }
  if (isGivenCluster(given) !== isCluster(options)) {
    const found = isGivenCluster(given) ? 'cluster' : 'single'
    const message = `is ${options.mode}, and the client is of ${found === 'cluster' ? 'a cluster' : 'one server'}`
    throw invalid([{ subject: 'mode', message, fix: `'mode' = '${found}'` }])
  }
  return linkOf(given, options['command-timeout'])
}

function invalid(problems: readonly Problem[]): TidegateError {
  return problemsError('the connection to Redis cannot be made:', problems, {
    code: 'OPTION_INVALID',
    connector: 'redis',
  })
}

function isGivenCluster(given: GivenClient): boolean {
  return given.kind === 'node-redis-cluster' || (given.kind === 'ioredis' && given.client.isCluster === true)
}

function linkOf(given: GivenClient, timeoutMs: number): Link {
  const sender = senderOf(given)
  return {
    send: (args, key) => answered(sender.send(args, key), timeoutMs),
    masters: async () => (await sender.masters()).map((send) => (args) => answered(send(args), timeoutMs)),
    // what was handed in is never closed
    close: async () => {},
  }
}

type Sender = Pick<Link, 'send' | 'masters'>

function senderOf(given: GivenClient): Sender {
  switch (given.kind) {
    case 'node-redis': {
      const send: Send = (args) => given.client.sendCommand(args, bufferReplies)
      return { send, masters: async () => [send] }
    }
    case 'node-redis-cluster':
      return clusterSender(given.cluster)
    case 'ioredis': {
      const { client } = given
      const nodes = client.isCluster === true ? (client.nodes?.('master') ?? []) : [client]
      return { send: ioredisSend(client), masters: async () => nodes.map(ioredisSend) }
    }
  }
}

function ioredisSend(client: IoredisClient): Send {
  return ([command, ...args]) => client.callBuffer(String(command), ...args)
}

function clusterSender(cluster: NodeRedisCluster): Sender {
  return {
    send: (args, key) => cluster.sendCommand(key, false, args, bufferReplies),
    masters: async () => {
      const clients = await Promise.all(cluster.masters.map((node) => cluster.nodeClient(node)))
      return clients.map((client) => (args) => client.sendCommand(args, bufferReplies))
    },
  }
}

/** The answer, or a failure; `late` is called when none has come in time. */
async function answered(answer: Promise<unknown>, timeoutMs: number, late?: () => void): Promise<unknown> {
  if (timeoutMs === 0) return await answer.catch(fail)
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new RedisFailure(`no answer came within ${timeoutMs} ms`, 'unknown-outcome'))
      late?.()
    }, timeoutMs)
  })
  try {
    return await Promise.race([answer.catch(fail), deadline])
  } finally {
    clearTimeout(timer)
  }
}

function fail(error: unknown): never {
  throw toFailure(error)
}

function connectionSettings(
  endpoint: Endpoint,
  options: RedisOptions,
  ca: string | undefined,
): Readonly<Record<string, unknown>> {
  const [first] = endpoint.nodes
  return {
    username: endpoint.username,
    password: endpoint.password,
    ...(endpoint.database === 0 ? {} : { database: endpoint.database }),
    // commands are either sent or refused: retries are the sink's
    disableOfflineQueue: true,
    commandOptions: { timeout: 0 },
    name: 'tidegate',
    socket: {
      ...first,
      connectTimeout: options['connect-timeout'] === 0 ? undefined : options['connect-timeout'],
      ...(endpoint.tls ? { tls: true, rejectUnauthorized: options['tls.verify'] } : {}),
      ...(ca === undefined ? {} : { ca }),
    },
  }
}

/**
 * One connection, made anew when it is lost. The server may still hold what was sent on a lost one, and run it after
 * newer changes: so the first thing a new connection does is to end the old one on the server.
 */
class OwnLink implements Link {
  readonly #driver: NodeRedisDriver
  readonly #settings: Readonly<Record<string, unknown>>
  readonly #timeoutMs: number
  #client: Promise<NodeRedisClient> | undefined
  #lastId: string | undefined
  #isClosed = false

  constructor(driver: NodeRedisDriver, settings: Readonly<Record<string, unknown>>, timeoutMs: number) {
    this.#driver = driver
    this.#settings = settings
    this.#timeoutMs = timeoutMs
  }

  async send(args: readonly RedisArgument[]): Promise<unknown> {
    if (this.#isClosed) throw new RedisFailure('the connection is closed', 'fatal')
    this.#client ??= this.#connect()
    const connecting = this.#client
    const client = await connecting.catch((error: unknown) => {
      this.#forget(connecting)
      // nothing was sent yet
      const { failure, message, word } = toFailure(error)
      throw new RedisFailure(message, failure === 'unknown-outcome' ? 'transient' : failure, word, error)
    })
    try {
      return await answered(client.sendCommand(args, bufferReplies), this.#timeoutMs, () => client.destroy())
    } finally {
      if (!client.isReady) this.#forget(connecting)
    }
  }

  async masters(): Promise<readonly Send[]> {
    return [(args) => this.send(args)]
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const client = await this.#client?.catch(() => undefined)
    if (client?.isReady === true) client.destroy()
  }

  #forget(connecting: Promise<NodeRedisClient>): void {
    if (this.#client === connecting) this.#client = undefined
  }

  async #connect(): Promise<NodeRedisClient> {
    const { socket } = this.#settings
    const client = this.#driver.createClient({
      ...this.#settings,
      socket: { ...(socket as object), reconnectStrategy: false },
    })
    // each command that is under way is told, too
    client.on('error', () => {})
    try {
      await answered(client.connect(), this.#timeoutMs)
      if (this.#lastId !== undefined) {
        await answered(client.sendCommand(['CLIENT', 'KILL', 'ID', this.#lastId]), this.#timeoutMs).catch(ignoreAnswer)
      }
      this.#lastId = String(await answered(client.sendCommand(['CLIENT', 'ID']), this.#timeoutMs))
      return client
    } catch (error) {
      client.destroy()
      throw error
    }
  }
}

/** The old connection is gone already, or the user may not end it; without an answer there is no connection either. */
function ignoreAnswer(error: unknown): void {
  if (toFailure(error).word === undefined && toFailure(error).failure !== 'fatal') throw error
}

async function openCluster(
  driver: NodeRedisDriver,
  { nodes }: Endpoint,
  settings: Readonly<Record<string, unknown>>,
  options: RedisOptions,
): Promise<Link> {
  const { socket, commandOptions, ...defaults } = settings
  const { host: _host, port: _port, ...common } = socket as Record<string, unknown>
  const cluster = driver.createCluster({
    rootNodes: nodes.map((node) => ({ socket: { ...common, ...node } })),
    defaults: { ...defaults, socket: common },
    commandOptions,
  })
  cluster.on('error', () => {})
  try {
    await answered(cluster.connect(), options['connect-timeout'])
  } catch (error) {
    cluster.destroy()
    throw error
  }
  return {
    ...linkOf({ kind: 'node-redis-cluster', cluster }, options['command-timeout']),
    close: async () => {
      if (cluster.isOpen) cluster.destroy()
    },
  }
}
