import { randomBytes } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createServerFolder } from './folders.ts'
import { freePort } from './free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from './kept-process.ts'
import { createAppRole, serverVersion } from './postgres-database.ts'
import { machinePrograms, npmPrograms } from './postgres-programs.ts'
import { runCommand } from './run-command.ts'
import { type ServerUser, unprivilegedUser } from './server-user.ts'

/** Where the server's programs come from: the machine's packages, or npm. */
export type PostgresSource = 'machine' | 'npm'

export interface PostgresServerOptions {
  readonly source: PostgresSource
  /** Lines of postgresql.conf beyond those that every test needs. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/** A server of the tests' own, on a loopback port and a data folder of its own, with logical decoding on. */
export interface PostgresServer extends AsyncDisposable {
  /** As the server itself says, e.g. `15.18`. */
  readonly version: string
  readonly port: number
  /** Superuser, database `postgres`. */
  readonly adminUrl: string
  /** SIGKILL to the postmaster: what a crash of the server looks like. */
  kill(): Promise<void>
  /** SIGSTOP and SIGCONT to every process of the server: it hangs, and its connections with it. */
  suspend(): Promise<void>
  resume(): Promise<void>
  /** Starts it again on the same data and port, after a kill or in good order. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/** Rejects with `ServiceUnavailable` and the reason where this machine cannot run it. */
export async function startPostgres(options: PostgresServerOptions): Promise<PostgresServer> {
  const programs = options.source === 'machine' ? await machinePrograms() : await npmPrograms()
  const user = unprivilegedUser()
  const folder = createServerFolder('postgres', user)
  const password = randomBytes(12).toString('hex')
  const cluster = { programs, user, folder, password }
  try {
    await createCluster(cluster, options.settings ?? {})
    return await serve(cluster)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Cluster {
  readonly programs: string
  readonly user: ServerUser | undefined
  readonly folder: string
  readonly password: string
}

async function createCluster(cluster: Cluster, settings: Readonly<Record<string, string>>): Promise<void> {
  const { programs, user, folder, password } = cluster
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o644 })
  const data = join(folder, 'data')
  const args = ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', passwordFile]
  await runCommand(join(programs, 'initdb'), [...args, '-E', 'UTF8', '--locale=C', '--no-sync'], { user, cwd: folder })
  await rm(passwordFile)
  const lines = Object.entries({ ...serverSettings, ...settings }).map(([name, value]) => `${name} = '${value}'`)
  appendFileSync(join(data, 'postgresql.conf'), `${lines.join('\n')}\n`)
}

const serverSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  wal_level: 'logical',
  max_wal_senders: '20',
  max_replication_slots: '20',
  max_connections: '200',
  max_prepared_transactions: '20',
  shared_buffers: '128MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  deadlock_timeout: '200ms',
  // a killed process loses nothing that it has handed to the kernel; only a crash of the machine would
  fsync: 'off',
}

async function serve(cluster: Cluster): Promise<PostgresServer> {
  let running = await startOnFreePort(cluster)
  const { port } = running
  const adminUrl = urlOf(cluster, port)
  await createAppRole(adminUrl)
  const processes = (signal: NodeJS.Signals): void => {
    for (const pid of [running.process.pid, ...childrenOf(running.process.pid)]) send(pid, signal)
  }
  const stop = async (): Promise<void> => {
    processes('SIGCONT')
    await running.process.stop()
  }
  return {
    version: await serverVersion(adminUrl),
    port,
    adminUrl,
    kill: async () => send(running.process.pid, 'SIGKILL'),
    suspend: async () => processes('SIGSTOP'),
    resume: async () => processes('SIGCONT'),
    restart: async () => {
      await running.process.pause()
      running = await startOnPort(cluster, port)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

interface RunningCluster {
  readonly port: number
  readonly process: KeptProcess
}

async function startOnFreePort(cluster: Cluster): Promise<RunningCluster> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnPort(cluster, await freePort())
    } catch (error) {
      if (attempt === 5 || !(error as Error).message.includes('could not bind')) throw error
    }
  }
}

/** A postmaster that was killed a moment ago may still hold its memory: then the start is tried again for a while. */
async function startOnPort(cluster: Cluster, port: number): Promise<RunningCluster> {
  const { folder, programs, user } = cluster
  const data = join(folder, 'data')
  const log = join(folder, 'server.log')
  for (let attempt = 1; ; attempt++) {
    const process = await keepProcess({
      command: [join(programs, 'postgres'), '-D', data, '-p', String(port)],
      user,
      cwd: folder,
      log,
      signal: 'INT',
      clean: `rm -rf ${shellQuote(folder)}`,
    })
    if (await answers(urlOf(cluster, port), process.pid)) return { port, process }
    await process.pause()
    const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-10).join('\n')
    if (attempt === 10 || !/lock file|shared memory/.test(lines)) throw new Error(`PostgreSQL did not start:\n${lines}`)
    await delay(500)
  }
}

/** False when the process ends before it answers. */
async function answers(url: string, pid: number): Promise<boolean> {
  const deadline = Date.now() + 180_000
  while (Date.now() < deadline) {
    try {
      await serverVersion(url)
      return true
    } catch {
      if (!isRunning(pid)) return false
      await delay(50)
    }
  }
  return false
}

function urlOf(cluster: Cluster, port: number): string {
  return `postgres://postgres:${cluster.password}@127.0.0.1:${port}/postgres`
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function childrenOf(pid: number): number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children.trim().split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}
