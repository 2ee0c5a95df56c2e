import { PGlite } from '@electric-sql/pglite'
import { afterAll, describe, test } from 'vitest'
import { conformance } from '../../src/testing/conformance.ts'
import type { Harness } from '../../src/testing/harness.ts'
import { describeEachPostgres, describeStore } from '../stores.ts'
import { filesystemHarness } from './filesystem-harness.ts'
import { pgliteHarness, postgresHarness } from './postgres-harness.ts'

describe('the filesystem connector conforms', () => runAll(filesystemHarness()))

describeStore('pglite', 'the postgres connector conforms', () => runAll(pgliteHarness(new PGlite())))

describeEachPostgres('the postgres connector conforms', (server) => runAll(postgresHarness(server)))

function runAll(harness: Harness): void {
  afterAll(() => harness.dispose())
  for (const { id, title, run } of conformance(harness)) test(`${title} (${id})`, run)
}
