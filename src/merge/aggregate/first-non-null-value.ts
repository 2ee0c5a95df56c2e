import type { Value } from '../../row/value.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createFirstBySequence } from './first-by-sequence.ts'
import { createValueAggregate } from './value-aggregate.ts'

/**
 * The first value that is not null: by a sequence the one with the lowest, and at equal sequences the one that came
 * earlier (rule G5).
 */
export function createFirstNonNullValue({ position, order, rule }: AggregateColumn): Aggregate {
  if (order !== undefined) return createFirstBySequence(position, order, rule.ownSequence, { countsNull: false })
  return createValueAggregate<Value>(position, {
    contribute: (value) => value ?? undefined,
    apply: (stored, value) => stored ?? value,
    compose: (earlier) => earlier,
  })
}
