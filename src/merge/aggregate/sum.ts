import { formatDataType } from '../../row/data-type.ts'
import type { Value } from '../../row/value.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createArithmetic } from './arithmetic.ts'
import { AggregateFault, createValueAggregate } from './value-aggregate.ts'

/** Exact sum; null is neutral, a retract subtracts, also from nothing. Leaving the type's range is a fault (Paimon). */
export function createSum({ position, column }: AggregateColumn): Aggregate {
  const { add, negate, fits } = createArithmetic(column.type)
  const outOfRange = new AggregateFault(`the sum leaves the range of ${formatDataType(column.type)}`)
  return createValueAggregate<Value>(position, {
    contribute: (value) => value ?? undefined,
    retract: (value) => (value === null ? undefined : negate(value)),
    apply(stored, difference) {
      const sum = stored === null ? difference : add(stored, difference)
      return fits(sum) ? sum : outOfRange
    },
    compose(earlier, later) {
      // a store adds in the column's type: a difference that does not fit goes in two steps
      const difference = add(earlier, later)
      return fits(difference) ? difference : undefined
    },
  })
}
