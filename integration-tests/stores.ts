import { describe, inject, test } from 'vitest'
import type { MysqlAccess } from './services/mysql-database.ts'
import type { PostgresAccess } from './services/postgres-database.ts'
import type { RedisAccess } from './services/redis-database.ts'

/** A store that tests run against, or why this machine cannot run it. */
export interface StoreStatus {
  readonly name: StoreName
  /** What was found, e.g. `PostgreSQL 15.18 of the machine's packages`. */
  readonly version?: string | undefined
  readonly missing?: string | undefined
  /** It should run here, but does not: that fails the run, required or not. */
  readonly broken?: boolean | undefined
  readonly postgres?: PostgresAccess | undefined
  readonly mysql?: MysqlAccess | undefined
  readonly clickhouse?: { readonly url: string } | undefined
  readonly redis?: RedisAccess | undefined
  readonly search?: SearchAccess | undefined
}

/** A node of Elasticsearch or OpenSearch. */
export interface SearchAccess {
  readonly connector: 'elasticsearch' | 'opensearch'
  readonly url: string
}

export type StoreName =
  | 'pglite'
  | 'postgres-machine'
  | 'postgres-npm'
  | 'postgres-container'
  | 'postgres-url'
  | 'mariadb'
  | 'mysql-8'
  | 'mysql-9'
  | 'mysql-url'
  | 'clickhouse'
  | 'clickhouse-url'
  | 'redis'
  | 'redis-cluster'
  | 'valkey'
  | 'valkey-cluster'
  | 'redis-url'
  | 'elasticsearch-9'
  | 'elasticsearch-8'
  | 'elasticsearch-url'
  | 'opensearch-3'
  | 'opensearch-2'
  | 'opensearch-url'

declare module 'vitest' {
  interface ProvidedContext {
    stores: readonly StoreStatus[]
  }
  interface TaskMeta {
    /** The store that a test ran against; the closing report counts by it. */
    store?: string
  }
}

/**
 * Defines tests that run against one store; the closing report counts them as its. Where the run leaves the store out, or
 * this machine cannot run it, one skipped test says why.
 */
export function describeStore(name: StoreName, title: string, define: (status: StoreStatus) => void): void {
  const status = inject('stores').find((store) => store.name === name)
  describe(`${title} on ${name}`, { meta: { store: name } }, () => {
    if (status === undefined) leaveOut(`${name} is not among the stores of this run`)
    else if (status.missing !== undefined) leaveOut(`${name}: ${status.missing}`)
    else define(status)
  })
}

function leaveOut(reason: string): void {
  test('the server runs', (context) => context.skip(reason))
}

/** The same tests for every PostgreSQL server of the run. PGlite, which has no server, is not among them. */
export function describeEachPostgres(title: string, define: (server: PostgresAccess, store: StoreName) => void): void {
  for (const name of postgresStores) {
    describeStore(name, title, ({ postgres }) => {
      if (postgres !== undefined) define(postgres, name)
    })
  }
}

const postgresStores: readonly StoreName[] = ['postgres-machine', 'postgres-npm', 'postgres-container', 'postgres-url']

/** The same tests for every MySQL and MariaDB of the run. */
export function describeEachMysql(title: string, define: (server: MysqlAccess, store: StoreName) => void): void {
  for (const name of mysqlStores) {
    describeStore(name, title, ({ mysql }) => {
      if (mysql !== undefined) define(mysql, name)
    })
  }
}

const mysqlStores: readonly StoreName[] = ['mariadb', 'mysql-8', 'mysql-9', 'mysql-url']

/** The same tests for every node of Elasticsearch and OpenSearch of the run. */
export function describeEachSearch(title: string, define: (server: SearchAccess, store: StoreName) => void): void {
  for (const name of searchStores) {
    describeStore(name, title, ({ search }) => {
      if (search !== undefined) define(search, name)
    })
  }
}

const searchStores: readonly StoreName[] = [
  'elasticsearch-9',
  'elasticsearch-8',
  'elasticsearch-url',
  'opensearch-3',
  'opensearch-2',
  'opensearch-url',
]
