import { createSearchConnector } from './create-connector.ts'
import { elasticsearchDialect, opensearchDialect } from './dialect.ts'

/** `'connector' = 'elasticsearch'`: Elasticsearch 8 and 9 through `@elastic/elasticsearch`. */
export const elasticsearch = createSearchConnector(elasticsearchDialect)

/** `'connector' = 'opensearch'`: OpenSearch 2 and 3 through `@opensearch-project/opensearch`. */
export const opensearch = createSearchConnector(opensearchDialect)
