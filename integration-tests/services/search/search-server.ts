import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createServerFolder } from '../folders.ts'
import { freePort } from '../free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from '../kept-process.ts'
import { type SearchPrograms, type SearchRelease, searchPrograms } from './search-programs.ts'

/** A node of the tests' own, on a loopback port and a data folder of its own, without users and TLS. */
export interface SearchServer extends AsyncDisposable {
  /** As the node itself says, e.g. `Elasticsearch 9.5.3`. */
  readonly version: string
  readonly url: string
  /** SIGKILL: what a crash of the node looks like. */
  kill(): void
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/** Rejects with `ServiceUnavailable` and the reason where this machine cannot run it. */
export async function startSearchServer(
  release: SearchRelease,
  settings: Readonly<Record<string, string>> = {},
): Promise<SearchServer> {
  const programs = await searchPrograms(release)
  const folder = createServerFolder('search', undefined)
  try {
    return await serve({ programs, folder, port: await freePort(), settings })
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

interface Node {
  readonly programs: SearchPrograms
  readonly folder: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
}

async function serve(node: Node): Promise<SearchServer> {
  const home = join(node.folder, 'home')
  for (const name of ['config', 'logs']) mkdirSync(join(home, name), { recursive: true })
  for (const name of ['modules', 'plugins']) {
    if (node.programs.home === undefined) mkdirSync(join(home, name))
    else symlinkSync(join(node.programs.home, name), join(home, name))
  }
  let process_ = await start(node)
  const url = `http://127.0.0.1:${node.port}`
  const stop = async (): Promise<void> => await process_.stop()
  const { version } = await askVersion(url)
  return {
    version: `${node.programs.product} ${version}`,
    url,
    kill: () => process.kill(process_.pid, 'SIGKILL'),
    restart: async () => {
      await process_.pause()
      process_ = await start(node)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function start({ programs, folder, port, settings }: Node): Promise<KeptProcess> {
  const log = join(folder, 'server.log')
  const all: Record<string, string> = {
    'cluster.name': `tidegate-test-${port}`,
    'node.name': 'test',
    'path.data': join(folder, 'data'),
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': String(port),
    'transport.port': '0',
    'http.type': 'netty4',
    'transport.type': 'netty4',
    'node.store.allow_mmap': 'false',
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    // as in production: nothing makes an index by accident
    'action.auto_create_index': 'true',
    ...settings,
  }
  const process = await keepProcess({
    command: [
      programs.java,
      '-Xms512m',
      '-Xmx512m',
      '-XX:+UseSerialGC',
      ...(programs.javaVersion >= 22 ? ['--enable-native-access=ALL-UNNAMED'] : []),
      `-Dlog4j2.configurationFile=${programs.logSettings}`,
      '-cp',
      programs.classPath,
      programs.mainClass,
      join(folder, 'home'),
      ...Object.entries(all).map(([name, value]) => `${name}=${value}`),
    ],
    cwd: folder,
    log,
    signal: 'TERM',
    clean: `rm -rf ${shellQuote(folder)}`,
  })
  if (await isHealthy(port, process.pid)) return process
  const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-12).join('\n')
  await process.pause()
  throw new Error(`${programs.product} did not start:\n${lines}`)
}

/** False when the process ends before it answers. */
async function isHealthy(port: number, pid: number): Promise<boolean> {
  const deadline = Date.now() + 300_000
  while (Date.now() < deadline) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/_cluster/health?wait_for_status=yellow&timeout=5s`)
      if (answer.ok) return true
    } catch {
      if (!isRunning(pid)) return false
    }
    await delay(100)
  }
  return false
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function askVersion(url: string): Promise<{ readonly version: string }> {
  const answer = (await (await fetch(url)).json()) as { version: { number: string } }
  return { version: answer.version.number }
}

/** Sends a request past the connector; `body` as JSON. Rejects for statuses from 400 on. */
export async function askSearch(url: string, method: string, path: string, body?: unknown): Promise<string> {
  const answer = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`)
  return text
}

/** Sends a bulk request past the connector, a line for each object. */
export async function askBulk(url: string, lines: readonly unknown[], query = ''): Promise<string> {
  const answer = await fetch(`${url}/_bulk${query}`, {
    method: 'POST',
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  })
  return await answer.text()
}
