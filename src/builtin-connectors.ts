import type { Connector } from './connector/connector.ts'

/**
 * The connectors that come with the package, loaded when they are named. The one file of the core that knows adapters.
 */
export const builtinConnectors: Readonly<Record<string, () => Promise<Connector>>> = {
  blackhole: async () => (await import('../adapters/blackhole/index.ts')).blackhole,
  clickhouse: async () => (await import('../adapters/clickhouse/index.ts')).clickhouse,
  elasticsearch: async () => (await import('../adapters/elasticsearch/index.ts')).elasticsearch,
  filesystem: async () => (await import('../adapters/filesystem/index.ts')).filesystem,
  memory: async () => (await import('../adapters/memory/index.ts')).memory,
  mysql: async () => (await import('../adapters/mysql/index.ts')).mysql,
  redis: async () => (await import('../adapters/redis/index.ts')).redis,
  opensearch: async () => (await import('../adapters/elasticsearch/index.ts')).opensearch,
  print: async () => (await import('../adapters/print/index.ts')).print,
  postgres: async () => (await import('../adapters/postgres/index.ts')).postgres,
}
