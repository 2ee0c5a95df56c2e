import type { Value } from '../../row/value.ts'
import { isNullTuple, type SequenceOrder } from '../sequence.ts'
import type { Aggregate } from './aggregate.ts'
import { createOwnSequence } from './own-sequence.ts'

/**
 * FIRST as the value of the lowest sequence, which the column keeps (rule G5; Paimon keeps only the newest sequence and
 * goes astray on late records). A null at an all-null sequence is not remembered: nothing tells it from "never set".
 */
export function createFirstBySequence(
  position: number,
  order: SequenceOrder,
  ownColumns: readonly number[],
  { countsNull }: { readonly countsNull: boolean },
): Aggregate {
  const own = createOwnSequence(ownColumns, order)
  return {
    contribute(change, value) {
      if (value === null && (!countsNull || isNullTuple(change, order.columns))) return
      change[position] = value
      own.stamp(change)
    },
    retract: undefined,
    apply(row, change) {
      const value = change[position]
      if (value === undefined) return undefined
      const unset = row[position] === null && own.isNull(row)
      if (!unset && own.compare(change, row) >= 0) return undefined
      row[position] = value as Value | null
      own.copy(row, change)
      return undefined
    },
    compose(into, earlier, later) {
      const laterCounts =
        later[position] !== undefined && (earlier[position] === undefined || own.compare(later, earlier) < 0)
      const from = laterCounts ? later : earlier
      into[position] = from[position]
      own.copy(into, from)
      return true
    },
  }
}
