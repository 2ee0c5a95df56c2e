import type { Capabilities } from '../../src/connector/capabilities.ts'

/** Every change is shown once it is folded; nothing is stored, so no rule can depend on what is. */
export const printCapabilities: Capabilities = {
  changelog: 'upsert',
  deleteModes: ['hard'],
  patch: true,
  sequence: { gate: false, compound: false, descending: false },
  sequenceGroups: false,
  aggregates: [],
  retracts: [],
  firstRow: false,
  moves: false,
  transaction: false,
  openTransaction: false,
  exactlyOnce: false,
  truncate: true,
  outcome: 'none',
  batchShape: 'upsert',
  volatile: true,
  tombstoneLife: 'not at all',
}
