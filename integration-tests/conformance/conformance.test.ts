import { PGlite } from '@electric-sql/pglite'
import { describe } from 'vitest'
import { describeStore, type StoreName } from '../stores.ts'
import { filesystemHarness } from './filesystem-harness.ts'
import { pgliteHarness, postgresHarness } from './postgres-harness.ts'
import { runConformance } from './run-conformance.ts'

/** The memory connector is in src/testing/conformance.test.ts; the other servers are in the file beside, for a second worker. */
const servers: readonly StoreName[] = ['postgres-machine', 'postgres-url']

describe('the filesystem connector conforms', { meta: { store: 'filesystem' } }, () =>
  runConformance(filesystemHarness()),
)

describeStore('pglite', 'the postgres connector conforms', () => runConformance(pgliteHarness(new PGlite())))

for (const name of servers) {
  describeStore(name, 'the postgres connector conforms', ({ postgres }) => {
    if (postgres !== undefined) runConformance(postgresHarness(postgres))
  })
}
