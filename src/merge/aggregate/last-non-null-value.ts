import type { Value } from '../../row/value.ts'
import { isNullTuple, type SequenceOrder } from '../sequence.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { isCleared } from './last-value.ts'
import { createOwnSequence, type OwnSequence } from './own-sequence.ts'
import { createValueAggregate } from './value-aggregate.ts'

/**
 * The newest value that is not null; a retract of a value sets NULL, whichever value it is (Paimon). By a sequence the
 * column keeps that of its value, so that of two late records the newer one counts. A retract by the row's sequence is
 * one more value, null; in a sequence group it clears the column however old it is, and any later record fills it.
 */
export function createLastNonNullValue(aggregate: AggregateColumn): Aggregate {
  const { position, order, rule } = aggregate
  if (order === undefined) {
    return createValueAggregate<Value | null>(position, {
      contribute: (value) => value ?? undefined,
      retract: (value) => (value === null ? undefined : null),
      apply: (_stored, value) => value,
      compose: (_earlier, later) => later,
    })
  }
  const own = createOwnSequence(rule.ownSequence, order)
  return rule.order === 'group-sequence'
    ? createInGroup(position, order, own)
    : createByRowSequence(position, order, own)
}

function createByRowSequence(position: number, order: SequenceOrder, own: OwnSequence): Aggregate {
  return {
    contribute(change, value) {
      if (value === null) return
      change[position] = value
      own.stamp(change)
    },
    retract(change, value) {
      // at the lowest sequence of all, NULL can't be told from a column that was never set
      if (value === null || (!order.passes(0) && isNullTuple(change, order.columns))) return
      change[position] = null
      own.stamp(change)
    },
    apply(row, change) {
      const value = change[position]
      if (value === undefined) return undefined
      const unset = row[position] === null && own.isNull(row)
      if (!unset && !order.passes(own.compare(change, row))) return undefined
      row[position] = value as Value | null
      own.copy(row, change)
      return undefined
    },
    compose(into, earlier, later) {
      const laterCounts =
        later[position] !== undefined && (earlier[position] === undefined || order.passes(own.compare(later, earlier)))
      const from = laterCounts ? later : earlier
      into[position] = from[position]
      own.copy(into, from)
      return true
    },
  }
}

function createInGroup(position: number, order: SequenceOrder, own: OwnSequence): Aggregate {
  return {
    contribute(change, value) {
      if (value === null) return
      change[position] = value
      own.stamp(change)
    },
    retract(change, value) {
      if (value !== null) change[position] = null
    },
    apply(row, change) {
      const contribution = change[position]
      if (contribution === undefined) return undefined
      if (contribution === null) {
        row[position] = null
        own.clear(row)
      } else if (isCleared(contribution) || order.passes(own.compare(change, row))) {
        row[position] = (isCleared(contribution) ? contribution.value : contribution) as Value
        own.copy(row, change)
      }
      return undefined
    },
    compose(into, earlier, later) {
      const [first, second] = [earlier[position], later[position]]
      const laterCounts =
        second !== undefined &&
        (second === null ||
          isCleared(second) ||
          first === undefined ||
          first === null ||
          order.passes(own.compare(later, earlier)))
      const from = laterCounts ? later : earlier
      const cleared = laterCounts && second !== null && (first === null || isCleared(first)) && !isCleared(second)
      into[position] = cleared ? { cleared: true, value: second as Value } : from[position]
      own.copy(into, from)
      return true
    },
  }
}
