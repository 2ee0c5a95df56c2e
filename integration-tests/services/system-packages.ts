import { join } from 'node:path'
import { cacheFolder } from './folders.ts'
import { findProgram, runCommand } from './run-command.ts'
import { isRoot } from './server-user.ts'
import { ServiceUnavailable } from './service-unavailable.ts'

/**
 * Installs Debian packages. Only root can, and `TIDEGATE_TEST_INSTALL=no` forbids it.
 * One lock for all runs on the machine: apt waits for its package lock, but not for the lock of its lists.
 */
export async function installSystemPackages(packages: readonly string[], wantedFor: string): Promise<void> {
  const command = `apt-get install ${packages.join(' ')}`
  if (process.env['TIDEGATE_TEST_INSTALL'] === 'no') {
    throw new ServiceUnavailable(`${wantedFor} is not installed, and TIDEGATE_TEST_INSTALL=no forbids "${command}"`)
  }
  if (!isRoot() || findProgram('apt-get') === undefined || findProgram('flock') === undefined) {
    throw new ServiceUnavailable(`${wantedFor} is not installed; on Debian, root gets it by "${command}"`)
  }
  try {
    await runCommand('flock', [join(cacheFolder(), 'apt.lock'), 'sh', '-c', aptScript, 'apt', ...packages], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      timeoutMs: 900_000,
    })
  } catch (error) {
    throw new ServiceUnavailable(`${wantedFor} could not be installed: ${(error as Error).message}`)
  }
}

const aptScript = `
  apt-get update -qq &&
  apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=300 "$@"
`
