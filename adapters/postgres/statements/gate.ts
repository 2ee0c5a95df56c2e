import { must } from '../../../src/assert.ts'
import type { Sequence } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { columnAt } from './staged.ts'

/** Gives the SQL of a field on one side of a comparison, by its place in the sequence. */
export type Side = (field: number) => string

/**
 * How two tuples of a sequence stand to each other, as SQL (rules G1, G4): field by field, null below every value, also in
 * descending order. Row comparison of SQL can't say it: `(a, b) >= (c, d)` is NULL as soon as a deciding field is. The
 * results may be NULL for false: they are for WHERE and CASE WHEN.
 */
export interface SequenceGate {
  /** The incoming tuple takes effect: it is newer, or equal and the later arrival wins. */
  passes(stored: Side, incoming: Side): string
  newer(stored: Side, incoming: Side): string
  newerOrSame(stored: Side, incoming: Side): string
  same(stored: Side, incoming: Side): string
}

export function sequenceGate(target: Target, sequence: Sequence): SequenceGate {
  const count = sequence.columns.length
  const sign = sequence.descending ? '<' : '>'
  const collated = sequence.columns.map((position) => columnAt(target, position).binding.collated)
  const operand = (field: number, sql: string): string => (collated[field] === true ? `${sql} COLLATE "C"` : sql)

  const compare = (field: number, stored: Side, incoming: Side, orSame: boolean): string => {
    const [old, now] = [stored(field), operand(field, incoming(field))]
    const above = `(${incoming(field)} IS NOT NULL AND (${old} IS NULL OR ${now} ${sign} ${old}))`
    // an incoming null is not above anything, and the same only as a stored null
    if (field === count - 1) return orSame ? `(${old} IS NULL OR ${now} ${sign}= ${old})` : above
    const rest = compare(field + 1, stored, incoming, orSame)
    return `CASE WHEN ${now} IS NOT DISTINCT FROM ${old} THEN ${rest} ELSE ${above} END`
  }

  return {
    passes: (stored, incoming) => compare(0, stored, incoming, sequence.tie === 'last-arrival'),
    newer: (stored, incoming) => compare(0, stored, incoming, false),
    newerOrSame: (stored, incoming) => compare(0, stored, incoming, true),
    same: (stored, incoming) =>
      sequence.columns
        .map((_, field) => `${operand(field, incoming(field))} IS NOT DISTINCT FROM ${stored(field)}`)
        .join(' AND '),
  }
}

/** The tuple says something: not every field is null (rule G3). */
export function anyValue(sequence: Sequence, side: Side): string {
  const fields = sequence.columns.map((_, field) => `${side(field)} IS NOT NULL`)
  return fields.length === 1 ? fields.join('') : `(${fields.join(' OR ')})`
}

/** One side of a comparison, by stored positions. */
export function fieldsOf(order: Sequence, side: (position: number) => string): Side {
  return (field) => side(must(order.columns[field], 'a field of the sequence'))
}
