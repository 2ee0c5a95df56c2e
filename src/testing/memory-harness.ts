import { createMemoryStore, type MemoryStore, memory } from '../../adapters/memory/index.ts'
import { must } from '../assert.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import { rowToObject } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import { planTables } from '../sink/create-sink.ts'
import type { Harness } from './harness.ts'

/** The memory connector under the conformance suite; reads the store's rows without the writer. */
export function memoryHarness(): Harness {
  const store = createMemoryStore()
  return {
    connector: memory,
    client: store,
    prepare: async () => ({ connector: 'memory' }),
    snapshot: async (definition) => await memoryRows(store, definition),
    dispose: async () => store.tables.clear(),
  }
}

/** The rows of a table in memory that a reader sees. */
export async function memoryRows(
  store: MemoryStore,
  definition: TableDefinition,
): Promise<Record<string, Value | null>[]> {
  const table = store.tables.get(definition.name)
  if (table === undefined) return []
  const [domain] = await planTables({ tables: [definition], client: store })
  const { merge, schema } = must(domain?.plan.tables[0], 'one table is planned as one')
  const flag = merge.deletedFlag
  const visible = [...table.rows.values(), ...table.appended].filter((row) => flag === undefined || row[flag] !== true)
  return visible.map((row) => rowToObject(schema, row))
}
