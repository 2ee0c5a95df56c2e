import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createServerFolder } from './folders.ts'
import { freePort } from './free-port.ts'
import { type KeptProcess, keepProcess, shellQuote } from './kept-process.ts'
import { mysqlVersion } from './mysql-database.ts'
import { type MysqlPrograms, type MysqlSource, mysqlPrograms } from './mysql-programs.ts'

/** A server of the tests' own, on a loopback port and a data folder of its own. */
export interface MysqlServer extends AsyncDisposable {
  /** As the server itself says, e.g. `MariaDB 10.11.19`. */
  readonly version: string
  readonly port: number
  /** User root, no database. */
  readonly adminUrl: string
  /** SIGKILL: what a crash of the server looks like. */
  kill(): Promise<void>
  /** Starts it again on the same data and port. */
  restart(): Promise<void>
  /** Ends it and removes its data. */
  stop(): Promise<void>
}

/**
 * Rejects with `ServiceUnavailable` and the reason where this machine cannot run it. `settings`: more of the server's
 * command line.
 */
export async function startMysql(source: MysqlSource, settings: readonly string[] = []): Promise<MysqlServer> {
  const programs = await mysqlPrograms(source)
  const folder = createServerFolder(source, undefined)
  try {
    const data = join(folder, 'data')
    mkdirSync(data, { mode: 0o750 })
    await programs.initialize(data)
    writeFileSync(join(folder, 'init.sql'), `${rights.join('\n')}\n`)
    return await serve(withSettings(programs, settings), folder)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
}

function withSettings(programs: MysqlPrograms, settings: readonly string[]): MysqlPrograms {
  return { ...programs, server: [...programs.server, ...settings] }
}

/** Run at every start, one statement a line. */
const rights = [
  "CREATE USER IF NOT EXISTS 'root'@'127.0.0.1';",
  "GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;",
]

async function serve(programs: MysqlPrograms, folder: string): Promise<MysqlServer> {
  const port = await freePort()
  const adminUrl = `mysql://root@127.0.0.1:${port}`
  let running = await start(programs, folder, port, adminUrl)
  const stop = async (): Promise<void> => await running.stop()
  return {
    version: await mysqlVersion(adminUrl),
    port,
    adminUrl,
    kill: async () => {
      process.kill(running.pid, 'SIGKILL')
      await running.pause()
    },
    restart: async () => {
      await running.pause()
      running = await start(programs, folder, port, adminUrl)
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

async function start(programs: MysqlPrograms, folder: string, port: number, adminUrl: string): Promise<KeptProcess> {
  const log = join(folder, 'server.log')
  const process = await keepProcess({
    command: [
      ...programs.server,
      `--datadir=${join(folder, 'data')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'server.sock')}`,
      `--pid-file=${join(folder, 'server.pid')}`,
      `--init-file=${join(folder, 'init.sql')}`,
      ...commonSettings,
    ],
    cwd: '/',
    log,
    signal: 'TERM',
    clean: `rm -rf ${shellQuote(folder)}`,
  })
  const deadline = Date.now() + 180_000
  for (;;) {
    try {
      await mysqlVersion(adminUrl)
      return process
    } catch (error) {
      if (Date.now() < deadline && isRunning(process.pid)) await delay(50)
      else {
        await process.pause()
        const lines = readFileSync(log, 'utf8').trim().split('\n').slice(-8).join('\n')
        throw new Error(`the server did not start (${(error as Error).message}):\n${lines}`)
      }
    }
  }
}

const commonSettings = [
  '--max-allowed-packet=16M',
  '--innodb-buffer-pool-size=128M',
  '--default-time-zone=+05:30',
  '--max-connections=200',
  // a killed process loses nothing that it has handed to the kernel; only a crash of the machine would
  '--innodb-flush-log-at-trx-commit=2',
  '--skip-log-bin',
]

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
