import { formatDataType } from '../../row/data-type.ts'
import type { ProductStep } from '../merge-change.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createArithmetic } from './arithmetic.ts'
import { AggregateFault, createValueAggregate } from './value-aggregate.ts'

/**
 * Product; null is neutral, a retract divides, NULL stays NULL under it (Paimon). Each step rounds to the column's scale
 * and checks its range, so two steps are never one.
 */
export function createProduct({ position, column }: AggregateColumn): Aggregate {
  const { multiply, divide, fits } = createArithmetic(column.type)
  const outOfRange = new AggregateFault(`the product leaves the range of ${formatDataType(column.type)}`)
  const divisionByZero = new AggregateFault('a retract would divide the product by zero')
  return createValueAggregate<ProductStep>(position, {
    contribute: (value) => (value === null ? undefined : { product: 'multiply', by: value }),
    retract: (value) => (value === null ? undefined : { product: 'divide', by: value }),
    apply(stored, { product, by }) {
      if (stored === null) return product === 'multiply' ? by : null
      const result = product === 'multiply' ? multiply(stored, by) : divide(stored, by)
      if (result === undefined) return divisionByZero
      return fits(result) ? result : outOfRange
    },
    compose: () => undefined,
  })
}
