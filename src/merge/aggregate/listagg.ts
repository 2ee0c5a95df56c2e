import type { Value } from '../../row/value.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'

/**
 * Text joined by a delimiter; null and blank entries are skipped (Paimon). `distinct` skips the entries that are there
 * already. In a sequence group an older record goes in front.
 */
export function createListagg({ position, rule, order }: AggregateColumn): Aggregate {
  const { delimiter, distinct } = rule
  const join = (front: string | null, back: string): string => {
    if (front === null) return back
    const added = distinct ? without(back, front, delimiter) : back
    return added === '' ? front : `${front}${delimiter}${added}`
  }
  return {
    contribute(change, value) {
      const text = value as string | null
      if (text === null || text.trim() === '') return
      change[position] = distinct ? distinctEntries(text, delimiter) : text
    },
    retract: undefined,
    apply(row, change, { inOrder }) {
      const entry = change[position] as string | undefined
      if (entry === undefined) return undefined
      const stored = row[position] as string | null
      row[position] = inOrder || stored === null ? join(stored, entry) : join(entry, stored)
      return undefined
    },
    compose(into, earlier, later, { relation }) {
      const [first, second] = [earlier[position] as string | undefined, later[position] as string | undefined]
      // by sequence an entry goes before or behind what is stored, which only its own sequence and the store can tell
      if (order !== undefined && first !== undefined && (second !== undefined || relation === 'newer')) return false
      if (order !== undefined && second !== undefined && relation === 'older') return false
      into[position] = first === undefined || second === undefined ? (first ?? second) : join(first, second)
      return true
    },
  }
}

function distinctEntries(text: string, delimiter: string): Value {
  return [...new Set(text.split(delimiter))].join(delimiter)
}

function without(text: string, known: string, delimiter: string): string {
  const there = new Set(known.split(delimiter))
  return text
    .split(delimiter)
    .filter((entry) => !there.has(entry))
    .join(delimiter)
}
