import { describeStore, type StoreName } from '../stores.ts'
import { postgresHarness } from './postgres-harness.ts'
import { runConformance } from './run-conformance.ts'

const servers: readonly StoreName[] = ['postgres-npm', 'postgres-container']

for (const name of servers) {
  describeStore(name, 'the postgres connector conforms', ({ postgres }) => {
    if (postgres !== undefined) runConformance(postgresHarness(postgres))
  })
}
