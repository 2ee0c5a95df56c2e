import type { Value } from '../../row/value.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createFirstBySequence } from './first-by-sequence.ts'

/**
 * The value of the first record, null included: by a sequence the one with the lowest, and at equal sequences the one
 * that came earlier (rule G5). By arrival, a first record that lacks the column counts as null.
 */
export function createFirstValue(aggregate: AggregateColumn): Aggregate {
  const { position, order, rule } = aggregate
  if (order !== undefined) return createFirstBySequence(position, order, rule.ownSequence, { countsNull: true })
  return {
    contribute(change, value) {
      change[position] = value
    },
    retract: undefined,
    apply(row, change, { fresh }) {
      if (fresh) row[position] = (change[position] ?? null) as Value | null
      return undefined
    },
    compose(into, earlier, later, { earlierAdds }) {
      into[position] = earlierAdds ? earlier[position] : later[position]
      return true
    },
  }
}
