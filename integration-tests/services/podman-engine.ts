import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { cacheFolder, createServerFolder } from './folders.ts'
import { keepProcess, shellQuote } from './kept-process.ts'
import { findProgram, runCommand } from './run-command.ts'
import { ServiceUnavailable } from './service-unavailable.ts'
import { installSystemPackages } from './system-packages.ts'

/**
 * A Docker-compatible engine for a Debian machine that has none: Podman serves the Docker API on a socket, and the one image
 * is made from Debian's packages, so that no registry of images is needed.
 */
export interface PodmanEngine {
  /** For `DOCKER_HOST`. */
  readonly socketUrl: string
  /** Holds a PostgreSQL server below /usr/lib/postgresql, and no `EXPOSE`. */
  readonly image: string
  /** Removes the containers that are left and ends the engine. */
  stop(): Promise<void>
}

export async function startPodman(): Promise<PodmanEngine> {
  const programs = ['podman', 'runc', 'debootstrap']
  if (programs.some((name) => findProgram(name, ['/usr/sbin', '/sbin']) === undefined)) {
    await installSystemPackages(programs, 'a container engine')
  }
  const env = configure(join(cacheFolder(), 'podman'))
  const image = await buildImage(env)
  const folder = createServerFolder('podman', undefined)
  const socket = join(folder, 'engine.sock')
  const service = await keepProcess({
    command: ['podman', 'system', 'service', '--time=0', `unix://${socket}`],
    env,
    cwd: folder,
    log: join(folder, 'engine.log'),
    signal: 'TERM',
    // every run has its own label, so that two runs on one machine leave each other alone
    clean: `podman ps -aq --filter label=${runLabel} | xargs -r podman rm -f >/dev/null 2>&1; rm -rf ${shellQuote(folder)}`,
  })
  for (let attempt = 0; attempt < 100 && !existsSync(socket); attempt++) await delay(100)
  if (!existsSync(socket)) {
    const log = readFileSync(join(folder, 'engine.log'), 'utf8')
    await service.stop()
    throw new ServiceUnavailable(`podman serves no Docker API: ${log.trim()}`)
  }
  return { socketUrl: `unix://${socket}`, image, stop: service.stop }
}

/** Containers of this run carry it, as `name=value`. */
export const runLabel = `tidegate.test-run=${process.pid}-${Date.now()}`

/** Storage and settings of our own: what else uses podman on this machine is not touched. */
function configure(folder: string): Record<string, string> {
  mkdirSync(folder, { recursive: true })
  const settings = join(folder, 'containers.conf')
  // runc, since crun refuses a hybrid cgroup layout; the limits, since a machine may allow less than the default ones
  writeFileSync(
    settings,
    `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
`,
  )
  const storage = join(folder, 'storage.conf')
  writeFileSync(
    storage,
    `[storage]
driver = "overlay"
graphroot = "${join(folder, 'storage')}"
runroot = "${join(folder, 'run')}"
`,
  )
  return { CONTAINERS_CONF: settings, CONTAINERS_STORAGE_CONF: storage }
}

async function buildImage(env: Readonly<Record<string, string>>): Promise<string> {
  const { suite, mirror } = debianSources()
  const image = `localhost/tidegate-test/postgres:${suite}`
  try {
    // one lock for all runs on the machine: the second one finds the image made
    await runCommand(
      'flock',
      [join(cacheFolder(), 'image.lock'), 'sh', '-c', buildScript, 'build', image, suite, mirror],
      {
        env: { ...env, WORK: join(cacheFolder(), 'podman', 'rootfs') },
        timeoutMs: 900_000,
      },
    )
  } catch (error) {
    throw new ServiceUnavailable(`the image could not be made: ${(error as Error).message}`)
  }
  return image
}

const buildScript = `
  set -e
  image=$1 suite=$2 mirror=$3
  podman image exists "$image" && exit
  rm -rf "$WORK"
  # no cluster is to be made, let alone started, while the packages are set up
  mkdir -p "$WORK/etc/postgresql-common/createcluster.d"
  echo 'create_main_cluster = false' >"$WORK/etc/postgresql-common/createcluster.d/image.conf"
  debootstrap --variant=minbase --include=postgresql "$suite" "$WORK" "$mirror" >"$WORK.log" 2>&1 || { tail -n 5 "$WORK.log" >&2; exit 1; }
  tar -C "$WORK" --exclude=./var/cache --exclude=./usr/share/doc --exclude=./usr/share/locale -c . | podman import - "$image" >&2
  rm -rf "$WORK" "$WORK.log"
`

/** Suite and archive that the machine itself installs from. */
function debianSources(): { suite: string; mirror: string } {
  const release = readFileSync('/etc/os-release', 'utf8')
  const suite = /^VERSION_CODENAME=(\S+)/m.exec(release)?.[1]
  const sources = [
    '/etc/apt/sources.list.d/debian.sources',
    '/etc/apt/sources.list.d/ubuntu.sources',
    '/etc/apt/sources.list',
  ]
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  const mirror = /^URIs:\s*(\S+)/m.exec(sources)?.[1] ?? /^deb\s+(?:\[[^\]]*\]\s*)?(\S+)/m.exec(sources)?.[1]
  if (suite === undefined || mirror === undefined) {
    throw new ServiceUnavailable('a container engine needs Docker, or a Debian system to make an image from')
  }
  return { suite, mirror }
}
