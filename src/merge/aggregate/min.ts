import { compareValues, type Value } from '../../row/value.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createValueAggregate } from './value-aggregate.ts'

/** Least value; null is neutral. */
export function createMin({ position, column: { type } }: AggregateColumn): Aggregate {
  const least = (a: Value, b: Value): Value => (compareValues(type, b, a) < 0 ? b : a)
  return createValueAggregate<Value>(position, {
    contribute: (value) => value ?? undefined,
    apply: (stored, value) => (stored === null ? value : least(stored, value)),
    compose: least,
  })
}
