import { randomBytes } from 'node:crypto'
import type { WaitStrategy } from 'testcontainers'
import { ServiceUnavailable } from './service-unavailable.ts'

/** A server in a container of its vendor's image, through testcontainers. */
export interface OfficialServer {
  readonly url: string
  readonly image: string
  stop(): Promise<void>
}

interface OfficialImage {
  /** `TIDEGATE_TEST_<STORE>_IMAGE` names another one. */
  readonly image: string
  readonly port: number
  readonly environment?: (password: string) => Readonly<Record<string, string>>
  readonly command?: readonly string[]
  readonly ready: (wait: typeof import('testcontainers').Wait, port: number) => WaitStrategy
  readonly url: (address: string, password: string) => string
}

const mysqlSettings = [
  '--character-set-server=utf8mb4',
  '--max-allowed-packet=16M',
  '--default-time-zone=+05:30',
  '--max-connections=200',
]

const search = {
  port: 9200,
  ready: (wait, port) => wait.forHttp('/_cluster/health?wait_for_status=yellow&timeout=30s', port).forStatusCode(200),
  url: (address) => `http://${address}`,
} satisfies Partial<OfficialImage>

const singleNode = { 'discovery.type': 'single-node', 'cluster.routing.allocation.disk.threshold_enabled': 'false' }
const elastic = { ...singleNode, 'xpack.security.enabled': 'false', ES_JAVA_OPTS: '-Xms512m -Xmx512m' }
const open = { ...singleNode, DISABLE_SECURITY_PLUGIN: 'true', OPENSEARCH_JAVA_OPTS: '-Xms512m -Xmx512m' }

/** The official images set themselves up with a server that listens on no port. */
const mysql = {
  port: 3306,
  command: mysqlSettings,
  ready: (wait) => wait.forLogMessage(/port: 3306/),
  url: (address, password) => `mysql://root:${password}@${address}/`,
} satisfies Partial<OfficialImage>

const redis = {
  port: 6379,
  ready: (wait) => wait.forLogMessage(/Ready to accept connections/),
  url: (address) => `redis://${address}`,
} satisfies Partial<OfficialImage>

const images = {
  mariadb: { ...mysql, image: 'mariadb:10.11', environment: (password) => ({ MARIADB_ROOT_PASSWORD: password }) },
  'mysql-8': { ...mysql, image: 'mysql:8.0', environment: (password) => ({ MYSQL_ROOT_PASSWORD: password }) },
  'mysql-9': { ...mysql, image: 'mysql:9', environment: (password) => ({ MYSQL_ROOT_PASSWORD: password }) },
  clickhouse: {
    image: 'clickhouse/clickhouse-server:25.8',
    port: 8123,
    environment: () => ({ CLICKHOUSE_SKIP_USER_SETUP: '1' }),
    ready: (wait, port) => wait.forHttp('/ping', port).forStatusCode(200),
    url: (address) => `http://${address}`,
  },
  redis: { ...redis, image: 'redis:7', command: ['redis-server', '--databases', '1000', '--save', ''] },
  valkey: { ...redis, image: 'valkey/valkey:9', command: ['valkey-server', '--databases', '1000', '--save', ''] },
  'elasticsearch-9': { ...search, image: 'elasticsearch:9.2.0', environment: () => elastic },
  'elasticsearch-8': { ...search, image: 'elasticsearch:8.19.0', environment: () => elastic },
  'opensearch-3': { ...search, image: 'opensearchproject/opensearch:3', environment: () => open },
  'opensearch-2': { ...search, image: 'opensearchproject/opensearch:2', environment: () => open },
} satisfies Readonly<Record<string, OfficialImage>>

/** Stores that have an official image. A cluster of Redis tells its clients addresses inside of the containers. */
export type ImagedStore = keyof typeof images

/** Rejects with `ServiceUnavailable` if the container does not start. */
export async function startOfficialImage(store: ImagedStore): Promise<OfficialServer> {
  const { GenericContainer, Wait } = await import('testcontainers')
  const official: OfficialImage = images[store]
  const image = process.env[`TIDEGATE_TEST_${store.replace('-', '_').toUpperCase()}_IMAGE`] ?? official.image
  const password = randomBytes(12).toString('hex')
  const container = new GenericContainer(image)
    .withEnvironment({ ...official.environment?.(password) })
    .withExposedPorts(official.port)
    .withWaitStrategy(official.ready(Wait, official.port))
    .withStartupTimeout(180_000)
  if (official.command !== undefined) container.withCommand([...official.command])
  try {
    const started = await container.start()
    const address = `${started.getHost()}:${started.getMappedPort(official.port)}`
    return {
      url: official.url(address, password),
      image,
      stop: async () => {
        await started.stop()
      },
    }
  } catch (error) {
    throw new ServiceUnavailable(`a container of ${image} did not start: ${(error as Error).message}`)
  }
}
