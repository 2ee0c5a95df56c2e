import { clickhouseCrashStore } from './clickhouse-crash-store.ts'
import type { CrashStore, CrashStoreName } from './crash-store.ts'
import { mysqlCrashStore } from './mysql-crash-store.ts'
import { postgresCrashStore } from './postgres-crash-store.ts'
import { redisCrashStore } from './redis-crash-store.ts'
import { elasticsearchCrashStore, opensearchCrashStore } from './search-crash-store.ts'

export const crashStores: Readonly<Record<CrashStoreName, CrashStore>> = {
  postgres: postgresCrashStore,
  mysql: mysqlCrashStore,
  elasticsearch: elasticsearchCrashStore,
  opensearch: opensearchCrashStore,
  clickhouse: clickhouseCrashStore,
  redis: redisCrashStore,
}
