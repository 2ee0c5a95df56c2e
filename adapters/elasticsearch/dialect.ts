import { importDriver } from '../../src/connector/import-driver.ts'
import type { SearchDriver } from './driver.ts'

/** What tells the two products apart; everything else they do alike. */
export interface Dialect {
  /** Value of `'connector'`. */
  readonly name: 'elasticsearch' | 'opensearch'
  /** As people write it. */
  readonly product: string
  /** Other values of `'connector'` that mean it: those of Flink. */
  readonly aliases: readonly string[]
  /** Oldest major version that is tested. */
  readonly oldestMajor: number
  /** The connector that the other product has. */
  readonly other: string
  /** Names of fields that a document cannot have if a script is to change it. */
  readonly reservedFields: readonly string[]
  /** Does a server that calls itself so belong to this dialect? Elasticsearch names no distribution. */
  isDistribution(distribution: string | undefined): boolean
  /** Throws `DRIVER_MISSING`. */
  loadDriver(): Promise<SearchDriver>
}

export const elasticsearchDialect: Dialect = {
  name: 'elasticsearch',
  product: 'Elasticsearch',
  aliases: ['elasticsearch-6', 'elasticsearch-7', 'elasticsearch-8'],
  oldestMajor: 8,
  other: 'opensearch',
  // since 8.x the server takes them for its own in the script's context, and refuses to run it
  reservedFields: ['op', '_now'],
  isDistribution: (distribution) => distribution === undefined,
  async loadDriver() {
    const driver = { connector: 'elasticsearch', name: '@elastic/elasticsearch', range: '^9.4.3' }
    const { Client } = await importDriver(driver, () => import('@elastic/elasticsearch'))
    return { Client: Client as unknown as SearchDriver['Client'], tlsOption: 'tls' }
  },
}

export const opensearchDialect: Dialect = {
  name: 'opensearch',
  product: 'OpenSearch',
  aliases: ['opensearch-1', 'opensearch-2'],
  oldestMajor: 2,
  other: 'elasticsearch',
  reservedFields: [],
  isDistribution: (distribution) => distribution === 'opensearch',
  async loadDriver() {
    const driver = { connector: 'opensearch', name: '@opensearch-project/opensearch', range: '^3.9.0' }
    const { Client } = await importDriver(driver, () => import('@opensearch-project/opensearch'))
    return { Client: Client as unknown as SearchDriver['Client'], tlsOption: 'ssl' }
  },
}
