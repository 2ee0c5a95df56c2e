import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createValueAggregate } from './value-aggregate.ts'

/** True as soon as one value was; null is neutral. */
export function createBoolOr({ position }: AggregateColumn): Aggregate {
  return createValueAggregate<boolean>(position, {
    contribute: (value) => (value as boolean | null) ?? undefined,
    apply: (stored, value) => stored === true || value,
    compose: (earlier, later) => earlier || later,
  })
}
