import { AssertionFailure } from '../../assert.ts'
import { type DataType, formatDataType } from '../../row/data-type.ts'
import { keyText } from '../../row/row-key.ts'
import type { Value } from '../../row/value.ts'
import type { CollectDelta } from '../merge-change.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createValueAggregate } from './value-aggregate.ts'

type Element = Value | null

/**
 * Elements of arrays in one array; a retract takes one equal element out for each of its own. `distinct`: as a set. The
 * order of the elements is not defined (Paimon).
 */
export function createCollect({ position, column, rule }: AggregateColumn): Aggregate {
  const bag = createBag(elementType(column.type), rule.distinct)
  return createValueAggregate<CollectDelta>(position, {
    contribute: (value) => (value === null ? undefined : { add: bag.plus([], value as Element[]), remove: [] }),
    retract: (value) => (value === null ? undefined : { add: undefined, remove: value as Element[] }),
    apply(stored, { add, remove }) {
      const elements = stored as readonly Element[] | null
      if (elements === null) return add ?? null
      const rest = bag.minus(elements, remove)
      return add === undefined ? rest : bag.plus(rest, add)
    },
    compose(earlier, later) {
      const kept = earlier.add === undefined ? undefined : bag.minus(earlier.add, later.remove)
      const missed = bag.minus(later.remove, earlier.add ?? [])
      return {
        add: later.add === undefined ? kept : bag.plus(kept ?? [], later.add),
        // out of a set everything equal goes, also what was there before the earlier change added it once more
        remove: bag.plus(earlier.remove, rule.distinct ? later.remove : missed),
      }
    },
  })
}

function elementType(type: DataType): DataType {
  if (type.name !== 'ARRAY') throw new AssertionFailure(`collect needs an ARRAY, not ${formatDataType(type)}`)
  return type.element
}

interface Bag {
  plus(elements: readonly Element[], added: readonly Element[]): readonly Element[]
  minus(elements: readonly Element[], removed: readonly Element[]): readonly Element[]
}

function createBag(type: DataType, distinct: boolean): Bag {
  const textOf = (element: Element): string | null => (element === null ? null : keyText(type, element))
  return {
    plus(elements, added) {
      if (!distinct) return added.length === 0 ? elements : [...elements, ...added]
      const known = new Set(elements.map(textOf))
      const fresh = added.filter((element) => {
        const text = textOf(element)
        const isFresh = !known.has(text)
        known.add(text)
        return isFresh
      })
      return [...elements, ...fresh]
    },
    minus(elements, removed) {
      if (removed.length === 0) return elements
      const counts = new Map<string | null, number>()
      for (const element of removed) {
        const text = textOf(element)
        counts.set(text, distinct ? Number.POSITIVE_INFINITY : (counts.get(text) ?? 0) + 1)
      }
      return elements.filter((element) => {
        const text = textOf(element)
        const left = counts.get(text) ?? 0
        if (left > 0) counts.set(text, left - 1)
        return left === 0
      })
    },
  }
}
