import { mkdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from 'redis'
import { createServerFolder } from './folders.ts'
import { freePort } from './free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from './kept-process.ts'
import { type RedisSource, redisProgram } from './redis-programs.ts'

/** A server, or a cluster of three nodes without replicas, on loopback ports and data folders of its own. */
export interface RedisServer extends AsyncDisposable {
  /** E.g. `Redis 7.0.15` or `Valkey 9.1.2 cluster`. */
  readonly version: string
  /** Of the server, or of one node of the cluster. */
  readonly url: string
  readonly isCluster: boolean
  /** SIGKILL to every node. */
  kill(): Promise<void>
  /** Starts a single server again, on the same port and on what it has kept. */
  restart(): Promise<void>
  stop(): Promise<void>
}

export interface RedisServerOptions {
  readonly source: RedisSource
  readonly mode: 'single' | 'cluster'
  readonly args?: readonly string[] | undefined
}

/** Rejects with `ServiceUnavailable` and the reason where this machine cannot run it. */
export async function startRedis(options: RedisServerOptions): Promise<RedisServer> {
  const program = await redisProgram(options.source)
  const folder = createServerFolder(options.source, undefined)
  const nodes: Node[] = []
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.process.stop()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    for (let at = 0; at < (options.mode === 'cluster' ? 3 : 1); at++) {
      nodes.push(await startNode(program, join(folder, String(at)), await nodePort(nodes), options))
    }
    if (options.mode === 'cluster') await formCluster(nodes.map(({ port }) => port))
    const [first] = nodes as [Node, ...Node[]]
    return {
      version: `${await redisVersion(urlOf(first.port))}${options.mode === 'cluster' ? ' cluster' : ''}`,
      url: urlOf(first.port),
      isCluster: options.mode === 'cluster',
      kill: async () => {
        for (const { process: kept } of nodes) process.kill(kept.pid, 'SIGKILL')
        await Promise.all(nodes.map((node) => node.process.pause()))
      },
      restart: async () => {
        await first.process.pause()
        first.process = (await startNode(program, join(folder, '0'), first.port, options)).process
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** E.g. `Redis 7.0.15`. */
export async function redisVersion(url: string): Promise<string> {
  const info = await onRedis(url, (client) => client.sendCommand(['INFO', 'server']))
  const member = (name: string): string | undefined => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(String(info))?.[1]
  const valkey = member('valkey_version')
  return valkey === undefined ? `Redis ${member('redis_version') ?? 'unknown'}` : `Valkey ${valkey}`
}

interface Node {
  readonly port: number
  process: KeptProcess
}

async function startNode(
  program: string,
  folder: string,
  port: number,
  { mode, args = [] }: RedisServerOptions,
): Promise<Node> {
  mkdirSync(folder, { recursive: true })
  const log = join(folder, 'server.log')
  const cluster = [
    '--cluster-enabled',
    'yes',
    '--cluster-node-timeout',
    '2000',
    '--cluster-require-full-coverage',
    'yes',
  ]
  const process = await keepProcess({
    command: [
      program,
      ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'],
      ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction'],
      ...(mode === 'cluster' ? cluster : []),
      ...args,
    ],
    cwd: folder,
    log,
    signal: 'TERM',
    clean: `rm -rf ${shellQuote(folder)}`,
  })
  const deadline = Date.now() + 20_000
  for (;;) {
    try {
      await redisVersion(urlOf(port))
      return { port, process }
    } catch (error) {
      if (Date.now() < deadline) await delay(30)
      else {
        await process.stop()
        throw new Error(
          `the server did not start (${(error as Error).message}):\n${readFileSync(log, 'utf8').slice(-800)}`,
        )
      }
    }
  }
}

/** Nodes talk to each other on the port that is 10,000 higher, which must not be one that outgoing connections take. */
async function nodePort(others: readonly Node[]): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (port < 22_500 && others.every((other) => other.port !== port)) return port
  }
}

/** Slots by hand, then the nodes meet: no client program is needed. */
async function formCluster(ports: readonly number[]): Promise<void> {
  const share = Math.ceil(16_384 / ports.length)
  for (const [at, port] of ports.entries()) {
    const range = [String(at * share), String(Math.min((at + 1) * share, 16_384) - 1)]
    await onRedis(urlOf(port), async (client) => {
      await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', ...range])
      await client.sendCommand(['CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1)])
    })
  }
  const [first = 0, ...rest] = ports
  await onRedis(urlOf(first), async (client) => {
    for (const port of rest) await client.sendCommand(['CLUSTER', 'MEET', '127.0.0.1', String(port)])
  })
  const deadline = Date.now() + 30_000
  for (const port of ports) {
    await onRedis(urlOf(port), async (client) => {
      for (;;) {
        const info = String(await client.sendCommand(['CLUSTER', 'INFO']))
        if (/cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${ports.length}`)) return
        if (Date.now() > deadline) throw new Error(`the cluster did not form: ${info}`)
        await delay(50)
      }
    })
  }
}

type Client = ReturnType<typeof createClient>

export async function onRedis<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = createClient({ url, socket: { reconnectStrategy: false, connectTimeout: 5000 } }) as Client
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    client.destroy()
  }
}

function urlOf(port: number): string {
  return `redis://127.0.0.1:${port}`
}
