import { type Capabilities, everyRule } from '../../src/connector/capabilities.ts'
import type { Connector, SinkWriter } from '../../src/connector/connector.ts'
import { countChanges } from '../../src/connector/count-changes.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { blackholeOptions } from './options.ts'

/** Swallows every change, as Flink's blackhole connector: for measuring what comes before the store. */
export const blackhole = {
  name: 'blackhole',
  options: blackholeOptions,
  identity: () => 'blackhole',
  capabilities: () => blackholeCapabilities,
  typeMapping: {
    nativeType: formatDataType,
    keyNormalizer: () => undefined,
    sequenceFault: () => undefined,
  },
  targetName: () => 'nowhere',
  statements: () => [],
  createTable: () => [],
  open: async () => blackholeWriter,
  classify: () => 'fatal',
} satisfies Connector

const blackholeWriter: SinkWriter = {
  server: 'blackhole',
  write: async ({ tables }) => ({
    tables: tables.map((table) => ({ written: countChanges(table), stale: 0 })),
  }),
  close: async () => {},
}

/** Nobody reads what is written, so every rule is kept. */
const blackholeCapabilities: Capabilities = {
  ...everyRule,
  exactlyOnce: false,
  outcome: 'none',
  volatile: true,
  tombstoneLife: 'for no time',
}
