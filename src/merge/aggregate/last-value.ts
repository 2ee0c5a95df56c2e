import type { Value } from '../../row/value.ts'
import type { ClearedValue, Contribution, ContributionRow } from '../merge-change.ts'
import type { Aggregate, AggregateColumn, ComposePoint } from './aggregate.ts'
import { createValueAggregate } from './value-aggregate.ts'

/**
 * The newest value, null included; a retract sets NULL (Paimon). By arrival the latest counts, by the row's sequence the
 * newest, be it a value or a retract. In a sequence group a retract sets NULL however old it is.
 */
export function createLastValue({ position, order, rule }: AggregateColumn): Aggregate {
  if (order === undefined) {
    return createValueAggregate<Value | null>(position, {
      contribute: (value) => value,
      retract: () => null,
      apply: (_stored, value) => value,
      compose: (_earlier, later) => later,
    })
  }
  const inGroup = rule.order === 'group-sequence'
  return {
    contribute(change, value) {
      change[position] = value
    },
    retract(change) {
      change[position] = inGroup ? nothingButCleared : null
    },
    apply(row, change, { inOrder }) {
      const contribution = change[position]
      if (contribution === undefined) return undefined
      if (isCleared(contribution)) row[position] = inOrder ? (contribution.value ?? null) : null
      else if (inOrder) row[position] = contribution as Value | null
      return undefined
    },
    compose: (into, earlier, later, at) => composeBySequence(position, into, earlier, later, at),
  }
}

/** Both changes as one; its sequence will be the newer of the two. */
function composeBySequence(
  position: number,
  into: ContributionRow,
  earlier: ContributionRow,
  later: ContributionRow,
  { relation }: ComposePoint,
): boolean {
  const [first, second] = [earlier[position], later[position]]
  if (relation === 'older') {
    // the later value is not taken, but its retract counts
    into[position] = isCleared(second) ? nothingButCleared : first
    return true
  }
  if (second === undefined) {
    into[position] = first
    // at the newer sequence the value would pass where its own sequence does not
    return relation === 'same' || first === undefined || first === nothingButCleared
  }
  into[position] = isCleared(first) && !isCleared(second) ? { cleared: true, value: second as Value | null } : second
  return true
}

/** What a retract in a sequence group contributes. */
export const nothingButCleared: ClearedValue = Object.freeze({ cleared: true, value: undefined })

export function isCleared(contribution: Contribution): contribution is ClearedValue {
  return typeof contribution === 'object' && contribution !== null && 'cleared' in contribution
}
