import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createValueAggregate } from './value-aggregate.ts'

/** True as long as every value was; null is neutral. */
export function createBoolAnd({ position }: AggregateColumn): Aggregate {
  return createValueAggregate<boolean>(position, {
    contribute: (value) => (value as boolean | null) ?? undefined,
    apply: (stored, value) => stored !== false && value,
    compose: (earlier, later) => earlier && later,
  })
}
