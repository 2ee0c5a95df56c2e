import { randomBytes } from 'node:crypto'
import type { GenericContainer, StartedTestContainer } from 'testcontainers'
import { hasDocker } from './docker-engine.ts'
import { freePort } from './free-port.ts'
import { type PodmanEngine, runLabel, startPodman } from './podman-engine.ts'
import { createAppRole, serverVersion } from './postgres-database.ts'
import { ServiceUnavailable } from './service-unavailable.ts'

/** What runs where a Docker engine is found. */
const officialImage = process.env['TIDEGATE_TEST_POSTGRES_IMAGE'] ?? 'postgres:17'

export interface PostgresContainer extends AsyncDisposable {
  /** As the server itself says. */
  readonly version: string
  /** E.g. `Docker, image postgres:17`. */
  readonly engine: string
  readonly adminUrl: string
  stop(): Promise<void>
}

/** A PostgreSQL server in a container, through testcontainers: on Docker where there is one, else on a Podman of our own. */
export async function startPostgresContainer(): Promise<PostgresContainer> {
  if (hasDocker()) return await startOfficialImage()
  try {
    return await startOnPodman(await startPodman())
  } catch (error) {
    if (!(error instanceof ServiceUnavailable)) throw error
    throw new ServiceUnavailable(`no Docker engine was found, and ${error.message}`)
  }
}

async function startOfficialImage(): Promise<PostgresContainer> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const password = randomBytes(12).toString('hex')
  const container = new GenericContainer(officialImage)
    .withEnvironment({ POSTGRES_PASSWORD: password })
    .withCommand(['postgres', ...serverSettings])
    .withExposedPorts(5432)
    // the image starts the server twice: first for its own set-up
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
  const started = await startContainer(container)
  const url = `postgres://postgres:${password}@${started.getHost()}:${started.getMappedPort(5432)}/postgres`
  return await describe(url, `Docker, image ${officialImage}`, async () => {
    await started.stop()
  })
}

/** On the host's network, listening on loopback alone: no port of the machine is opened, and no network has to be set up. */
async function startOnPodman(engine: PodmanEngine): Promise<PostgresContainer> {
  process.env['DOCKER_HOST'] = engine.socketUrl
  process.env['TESTCONTAINERS_HOST_OVERRIDE'] = '127.0.0.1'
  // the reaper's image cannot be had without a registry; the engine's keeper removes what is left
  process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true'
  const { GenericContainer, Wait } = await import('testcontainers')
  const password = randomBytes(12).toString('hex')
  const port = await freePort()
  const [name, value] = runLabel.split('=') as [string, string]
  const container = new GenericContainer(engine.image)
    .withLabels({ [name]: value })
    .withNetworkMode('host')
    .withUser('postgres')
    .withEnvironment({ PGPASSWORD: password, PORT: String(port) })
    .withCommand(['sh', '-c', startScript, 'start', ...serverSettings])
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/))
  try {
    const started = await startContainer(container)
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    return await describe(url, `Podman, image ${engine.image}`, async () => {
      await started.stop()
      await engine.stop()
    })
  } catch (error) {
    await engine.stop()
    throw error
  }
}

const serverSettings = ['-c', 'wal_level=logical', '-c', 'max_prepared_transactions=20', '-c', 'deadlock_timeout=200ms']

const startScript = `
  set -e
  programs=$(ls -d /usr/lib/postgresql/*/bin)
  printf %s "$PGPASSWORD" >/tmp/password
  "$programs/initdb" -D /tmp/data -U postgres -A scram-sha-256 --pwfile /tmp/password -E UTF8 --locale=C.UTF-8
  exec "$programs/postgres" -D /tmp/data -p "$PORT" -c listen_addresses=127.0.0.1 -c unix_socket_directories= "$@"
`

async function startContainer(container: GenericContainer): Promise<StartedTestContainer> {
  try {
    return await container.start()
  } catch (error) {
    throw new ServiceUnavailable(`the container did not start: ${(error as Error).message}`)
  }
}

async function describe(adminUrl: string, engine: string, stop: () => Promise<void>): Promise<PostgresContainer> {
  await createAppRole(adminUrl)
  return { version: await serverVersion(adminUrl), engine, adminUrl, stop, [Symbol.asyncDispose]: stop }
}
