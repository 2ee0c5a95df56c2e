import { describeStore, type StoreName } from '../stores.ts'
import { redisHarness } from './redis-harness.ts'
import { runConformance } from './run-conformance.ts'

const servers: readonly StoreName[] = ['redis', 'redis-cluster', 'valkey', 'valkey-cluster', 'redis-url']

for (const name of servers) {
  describeStore(name, 'the redis connector conforms', ({ redis }) => {
    if (redis !== undefined) runConformance(redisHarness(redis))
  })
}
