import type { Value } from '../../row/value.ts'
import type { Contribution } from '../merge-change.ts'
import type { Aggregate } from './aggregate.ts'

/** A function of the column's own value alone, whatever the order by sequence. */
export interface ValueAggregate<C extends Exclude<Contribution, undefined>> {
  /** Undefined: adds nothing. */
  contribute(value: Value | null): C | undefined
  readonly retract?: ((value: Value | null) => C | undefined) | undefined
  apply(stored: Value | null, contribution: C): Value | null | AggregateFault
  /** Undefined: one contribution can't say it. */
  compose(earlier: C, later: C): C | undefined
}

/** Why a value can't be merged, e.g. a sum that leaves the range of its type. */
export class AggregateFault {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

export function createValueAggregate<C extends Exclude<Contribution, undefined>>(
  position: number,
  functions: ValueAggregate<C>,
): Aggregate {
  const { retract } = functions
  return {
    contribute(change, value) {
      change[position] = functions.contribute(value)
    },
    retract:
      retract === undefined
        ? undefined
        : (change, value) => {
            change[position] = retract(value)
          },
    apply(row, change) {
      const contribution = change[position] as C | undefined
      if (contribution === undefined) return undefined
      const merged = functions.apply(row[position] as Value | null, contribution)
      if (merged instanceof AggregateFault) return merged.reason
      row[position] = merged
      return undefined
    },
    compose(into, earlier, later) {
      const [first, second] = [earlier[position] as C | undefined, later[position] as C | undefined]
      if (first === undefined || second === undefined) {
        into[position] = first === undefined ? second : first
        return true
      }
      const both = functions.compose(first, second)
      into[position] = both
      return both !== undefined
    },
  }
}
