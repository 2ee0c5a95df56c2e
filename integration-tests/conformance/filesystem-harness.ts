import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { filesystem } from '../../adapters/filesystem/index.ts'
import { must } from '../../src/assert.ts'
import type { TableDefinition } from '../../src/ddl/table-definition.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import type { RowObject } from '../../src/row/row.ts'
import type { Harness } from '../../src/testing/harness.ts'

/** The connector that takes only inserts: most of the suite is about what it refuses. */
export function filesystemHarness(): Harness {
  const folder = mkdtemp(join(tmpdir(), 'tidegate-conformance-'))
  let count = 0
  return {
    connector: filesystem,
    prepare: async () => ({ connector: 'filesystem', path: join(await folder, `${++count}.ndjson`) }),
    snapshot: async (table) => await linesOf(table),
    dispose: async () => await rm(await folder, { recursive: true }),
  }
}

async function linesOf({ options }: TableDefinition): Promise<RowObject[]> {
  const path = must(options['path'], 'the table has been prepared')
  const text = await readFile(path, 'utf8').catch(() => '')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => parseExact(line) as RowObject)
}
