import type { Capabilities } from '../../src/connector/capabilities.ts'
import type { Connector } from '../../src/connector/connector.ts'
import { aggregateFunctions, takesRetract } from '../../src/merge/merge-plan.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { memoryOptions } from './options.ts'
import { MemoryWriter } from './writer.ts'

export { createMemoryStore, type MemoryStore } from './store.ts'

/**
 * Tables in the memory of the process: the reference for what every rule means. Hand in a `MemoryStore` as `client` to
 * look at the rows, or to let several sinks share them.
 */
export const memory = {
  name: 'memory',
  options: memoryOptions,
  identity: () => 'memory',
  capabilities: () => memoryCapabilities,
  typeMapping: {
    nativeType: formatDataType,
    keyNormalizer: () => undefined,
    sequenceFault: () => undefined,
  },
  targetName: (plan) => plan.name,
  statements: () => [],
  createTable: () => [],
  open: async (context) => new MemoryWriter(context),
  classify: () => 'fatal',
} satisfies Connector

const memoryCapabilities: Capabilities = {
  changelog: 'upsert',
  deleteModes: ['hard', 'tombstone', 'soft'],
  patch: true,
  sequence: { gate: true, compound: true, descending: true },
  sequenceGroups: true,
  aggregates: aggregateFunctions,
  retracts: [...takesRetract],
  firstRow: true,
  moves: true,
  transaction: true,
  openTransaction: true,
  exactlyOnce: true,
  truncate: true,
  outcome: 'row',
  batchShape: 'upsert',
  volatile: true,
  tombstoneLife: 'for the life of the process',
}
