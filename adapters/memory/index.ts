import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { Connector } from '../../src/connector/connector.ts'
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
  ...everyRule,
  exactlyOnce: true,
  outcome: 'row',
  volatile: true,
  tombstoneLife: 'for the life of the process',
}
