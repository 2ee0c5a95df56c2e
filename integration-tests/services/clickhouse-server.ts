import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cacheFolder, createServerFolder } from './folders.ts'
import { freePort } from './free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from './kept-process.ts'
import { findProgram, runCommand } from './run-command.ts'
import { ServiceUnavailable } from './service-unavailable.ts'

/** A server of the tests' own, on a loopback port and a data folder of its own. */
export interface ClickhouseServer extends AsyncDisposable {
  /** As the server itself says, e.g. `26.7.2.1`. */
  readonly version: string
  /** User `default`, database `default`. */
  readonly url: string
  /** SIGKILL: what a crash of the server looks like. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** npm's package with ClickHouse's engine, 540 MB: no dependency of the project. The version is pinned here alone. */
const engine = { name: '@chdb/lib-linux-x64-gnu', version: '26.7.3-stable.1' }

/** Rejects with `ServiceUnavailable` and the reason where this machine cannot run it. */
export async function startClickhouse(): Promise<ClickhouseServer> {
  const library = await engineLibrary()
  const folder = createServerFolder('clickhouse', undefined)
  try {
    writeFileSync(join(folder, 'config.xml'), configuration(folder))
    writeFileSync(join(folder, 'users.xml'), users)
    mkdirSync(join(folder, 'run'))
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    let running = await start(library, folder, port)
    const stop = async (): Promise<void> => await running.stop()
    return {
      version: await clickhouseVersion(url),
      url,
      kill: async () => {
        process.kill(running.pid, 'SIGKILL')
        await running.pause()
      },
      restart: async () => {
        await running.pause()
        running = await start(library, folder, port)
      },
      stop,
      [Symbol.asyncDispose]: stop,
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

export async function clickhouseVersion(url: string): Promise<string> {
  const answer = await fetch(`${url}/?query=${encodeURIComponent('SELECT version()')}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text.trim()
}

async function engineLibrary(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ServiceUnavailable(
      `npm's ClickHouse engine is for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    )
  }
  if (findProgram('python3') === undefined)
    throw new ServiceUnavailable('python3, which starts ClickHouse’s engine, is not on PATH')
  const folder = join(cacheFolder(), `clickhouse-${engine.version}`)
  if (!existsSync(folder)) await installEngine(folder)
  return join(folder, 'node_modules', engine.name, 'libchdb.so')
}

async function installEngine(folder: string): Promise<void> {
  const work = mkdtempSync(`${folder}-`)
  try {
    writeFileSync(join(work, 'package.json'), '{ "private": true }\n')
    const args = [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--save-exact',
      `${engine.name}@${engine.version}`,
    ]
    await runCommand('npm', args, { cwd: work, env: { npm_config_local_prefix: work } })
    if (!existsSync(folder)) renameSync(work, folder)
  } catch (error) {
    throw new ServiceUnavailable(`${engine.name}@${engine.version} could not be installed: ${(error as Error).message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

async function start(library: string, folder: string, port: number): Promise<KeptProcess> {
  const log = join(folder, 'server.log')
  const script = join(import.meta.dirname, 'clickhouse-server.py')
  const process = await keepProcess({
    command: ['python3', script, library, join(folder, 'run'), String(port), join(folder, 'config.xml')],
    env: { TZ: 'UTC' },
    cwd: folder,
    log,
    signal: 'TERM',
    clean: `rm -rf ${shellQuote(folder)}`,
  })
  const deadline = Date.now() + 180_000
  for (;;) {
    try {
      await clickhouseVersion(`http://127.0.0.1:${port}`)
      return process
    } catch (error) {
      if (Date.now() < deadline) await delay(50)
      else {
        await process.pause()
        throw new Error(
          `the server did not start (${(error as Error).message}):\n${readFileSync(log, 'utf8').slice(-800)}`,
        )
      }
    }
  }
}

function configuration(folder: string): string {
  return `<clickhouse>
  <users_config>${folder}/users.xml</users_config>
  <user_directories><users_xml><path>${folder}/users.xml</path></users_xml></user_directories>
  <default_profile>default</default_profile>
  <max_server_memory_usage>1500000000</max_server_memory_usage>
</clickhouse>
`
}

const users = `<clickhouse>
  <profiles><default/></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip><ip>::1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <access_management>1</access_management>
    </default>
  </users>
</clickhouse>
`
