import type { Capabilities } from '../../connector/capabilities.ts'
import type { ErrorCode } from '../../errors.ts'
import type { AggregateFunction } from '../../merge/merge-plan.ts'

/**
 * What a case asks of a connector. Where it is declared the case must pass; where it is not, opening a sink with the options
 * of the case must be refused with `code`.
 */
export interface Need {
  readonly name: string
  readonly declaredBy: (capabilities: Capabilities) => boolean
  /** Undefined where no option asks for it: then what comes is rejected while the sink runs, and a case of its own says how. */
  readonly code?: ErrorCode | undefined
  /** Options that make the plan ask for it where the case's own do not. */
  readonly ask?: Readonly<Record<string, string>> | undefined
}

/** Updates and deletes at all (rule K3). */
export const upserts: Need = {
  name: 'changelog: upsert',
  declaredBy: ({ changelog }) => changelog === 'upsert',
  code: 'PLAN_REFUSED',
  ask: { 'source.changelog-mode': 'retract' },
}

export const gate = capability('sequence.gate', ({ sequence }) => sequence.gate)
export const compound = capability('sequence.compound', ({ sequence }) => sequence.compound)
export const descending = capability('sequence.descending', ({ sequence }) => sequence.descending)
/** `sequence.tie` = `first-arrival`. */
export const firstArrival = capability('sequence.firstArrival', ({ sequence }) => sequence.firstArrival !== false)
export const textSequences = capability('sequence.text', ({ sequence }) => sequence.text !== false)
export const sequenceGroups = capability('sequenceGroups', (capabilities) => capabilities.sequenceGroups)
export const partialUpdate: Need = {
  ...capability('patch', ({ patch }) => patch),
  ask: { 'merge-engine': 'partial-update' },
}
export const firstRow = capability('firstRow', (capabilities) => capabilities.firstRow)
export const tombstones = capability('deleteModes: tombstone', ({ deleteModes }) => deleteModes.includes('tombstone'))
export const softDeletes = capability('deleteModes: soft', ({ deleteModes }) => deleteModes.includes('soft'))
export const hardDeletes = capability('deleteModes: hard', ({ deleteModes }) => deleteModes.includes('hard'))
/** See the case `move-or-rejected`. */
export const moves: Need = { name: 'moves', declaredBy: (capabilities) => capabilities.moves }
export const groupAlignment: Need = {
  ...capability('transaction', ({ transaction }) => transaction),
  ask: { 'sink.flush.align': 'group' },
}
export const exactlyOnce: Need = {
  ...capability('exactlyOnce', (capabilities) => capabilities.exactlyOnce),
  ask: { 'sink.delivery-guarantee': 'exactly-once', 'sink.id': 'conformance' },
}
export const truncation = capability('truncate', ({ truncate }) => truncate)

export function aggregate(name: AggregateFunction): Need {
  return capability(`aggregates: ${name}`, ({ aggregates }) => aggregates.includes(name))
}

export function retraction(name: AggregateFunction): Need {
  return capability(`retracts: ${name}`, ({ retracts }) => retracts.includes(name))
}

function capability(name: string, declaredBy: Need['declaredBy']): Need {
  return { name, declaredBy, code: 'CAPABILITY_MISSING' }
}
