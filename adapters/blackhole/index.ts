import type { Capabilities } from '../../src/connector/capabilities.ts'
import type { Connector, SinkWriter } from '../../src/connector/connector.ts'
import { aggregateFunctions, takesRetract } from '../../src/merge/merge-plan.ts'
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
    tables: tables.map(({ waves }) => ({ written: waves.reduce((count, wave) => count + wave.length, 0), stale: 0 })),
  }),
  close: async () => {},
}

/** Nobody reads what is written, so every rule is kept. */
const blackholeCapabilities: Capabilities = {
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
  exactlyOnce: false,
  truncate: true,
  outcome: 'none',
  batchShape: 'upsert',
  volatile: true,
  tombstoneLife: 'for no time',
}
