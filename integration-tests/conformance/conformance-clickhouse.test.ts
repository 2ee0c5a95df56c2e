import { describeStore, type StoreName } from '../stores.ts'
import { clickhouseHarness } from './clickhouse-harness.ts'
import { runConformance } from './run-conformance.ts'

const servers: readonly StoreName[] = ['clickhouse', 'clickhouse-url']

for (const name of servers) {
  describeStore(name, 'the clickhouse connector conforms', ({ clickhouse }) => {
    if (clickhouse !== undefined) runConformance(clickhouseHarness(clickhouse))
  })
}
