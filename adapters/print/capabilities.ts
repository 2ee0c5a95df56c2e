import { type Capabilities, noRule } from '../../src/connector/capabilities.ts'

/** Every change is shown once it is folded; nothing is stored, so no rule can depend on what is. */
export const printCapabilities: Capabilities = {
  ...noRule,
  changelog: 'upsert',
  deleteModes: ['hard'],
  patch: true,
  truncate: true,
  exactlyOnce: false,
  outcome: 'none',
  volatile: true,
  tombstoneLife: 'not at all',
}
