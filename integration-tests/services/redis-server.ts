import { readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createServerFolder } from './folders.ts'
import { freePort } from './free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from './kept-process.ts'
import { onRedis, redisVersion } from './redis-database.ts'
import { type RedisSource, redisProgram } from './redis-programs.ts'

/** A server of the tests' own, on a loopback port and a data folder of its own. */
export interface RedisServer extends AsyncDisposable {
  /** As the server itself says, e.g. `Redis 7.0.15`. */
  readonly version: string
  readonly port: number
  readonly pid: number
  readonly url: string
  /** SIGKILL: what a crash of the server looks like. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/** `settings`: further words of its command line. Rejects with `ServiceUnavailable` where this machine cannot run it. */
export async function startRedis(source: RedisSource, settings: readonly string[] = []): Promise<RedisServer> {
  const program = await redisProgram(source)
  const folder = createServerFolder(source, undefined)
  const port = await freePort()
  const command: readonly [string, ...string[]] = [
    program,
    ...['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--loglevel', 'warning'],
    ...settings,
  ]
  try {
    return await serve(command, folder, port)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

async function serve(command: readonly [string, ...string[]], folder: string, port: number): Promise<RedisServer> {
  const url = `redis://127.0.0.1:${port}`
  let running = await start(command, folder, url)
  const stop = async (): Promise<void> => await running.stop()
  return {
    version: await redisVersion(url),
    port,
    get pid() {
      return running.pid
    },
    url,
    kill: async () => {
      process.kill(running.pid, 'SIGKILL')
      await running.pause()
    },
    restart: async () => {
      await running.pause()
      running = await start(command, folder, url)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function start(command: readonly [string, ...string[]], folder: string, url: string): Promise<KeptProcess> {
  const log = join(folder, 'server.log')
  const server = await keepProcess({ command, cwd: '/', log, signal: 'TERM', clean: `rm -rf ${shellQuote(folder)}` })
  const deadline = Date.now() + 180_000
  for (;;) {
    try {
      await onRedis(url, async (client) => await client.sendCommand(['PING']))
      return server
    } catch (error) {
      if (Date.now() < deadline && isRunning(server.pid)) {
        await delay(20)
        continue
      }
      await server.pause()
      const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-8).join('\n')
      throw new Error(`the server did not start (${(error as Error).message}):\n${lines}`)
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
