import type { MemoryStore } from '../../adapters/memory/store.ts'
import { builtinConnectors } from '../builtin-connectors.ts'
import type { Connector } from '../connector/connector.ts'
import type { TableSet } from '../sink/plan-tables.ts'

/**
 * The connector that a DDL names, run in memory: it plans by its own capabilities and keeps its own notion of equal keys,
 * and no store is touched. Nothing outlives a simulation, so nothing is delivered twice (rule A3).
 */
export async function simulated(set: TableSet, store: MemoryStore): Promise<TableSet> {
  const memory = await (builtinConnectors['memory'] as () => Promise<Connector>)()
  const { connector } = set
  return {
    ...set,
    connector: {
      ...connector,
      capabilities: (options, version) => ({ ...connector.capabilities(options, version), volatile: true }),
      open: (context) => memory.open({ ...context, client: store }),
      classify: (error) => memory.classify(error),
    },
  }
}
