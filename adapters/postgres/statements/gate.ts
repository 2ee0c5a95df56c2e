import { must } from '../../../src/assert.ts'
import type { Sequence } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'

/** Gives the SQL of a column's value on one side of a comparison. */
export type Side = (position: number) => string

/**
 * True if the incoming tuple is not older than the stored one (rules G1, G4): field by field, null below every value, also
 * in descending order; at equal tuples the later arrival wins unless the tie is the first's. May be NULL for false: for
 * WHERE and CASE WHEN. Row comparison of SQL can't say it: `(a, b) >= (c, d)` is NULL as soon as a deciding field is.
 */
export function notOlder(target: Target, sequence: Sequence, stored: Side, incoming: Side): string {
  return compare(target, sequence, stored, incoming, sequence.tie === 'last-arrival')
}

/** True if the incoming tuple is newer, whatever the tie. */
export function newer(target: Target, sequence: Sequence, stored: Side, incoming: Side): string {
  return compare(target, sequence, stored, incoming, false)
}

/** True if both tuples are the same, null being equal to null. */
export function sameSequence(target: Target, sequence: Sequence, stored: Side, incoming: Side): string {
  return sequence.columns
    .map((position) => `${collated(target, position, incoming(position))} IS NOT DISTINCT FROM ${stored(position)}`)
    .join(' AND ')
}

/** True if no field has a value: the tuple says nothing (rule G3). */
export function allNull(sequence: Sequence, side: Side): string {
  return sequence.columns.map((position) => `${side(position)} IS NULL`).join(' AND ')
}

/** The expression, compared by code point where its type has a collation (rule G7). */
export function collated(target: Target, position: number, sql: string): string {
  return must(target.columns[position], 'a stored column').binding.collated ? `${sql} COLLATE "C"` : sql
}

function compare(target: Target, sequence: Sequence, stored: Side, incoming: Side, orEqual: boolean): string {
  const [first, ...rest] = sequence.columns
  if (first === undefined) return 'TRUE'
  const [old, now] = [stored(first), incoming(first)]
  const sign = sequence.descending ? '<' : '>'
  if (rest.length === 0) {
    // a null that comes in is not above anything, and equal only to a stored null
    return orEqual
      ? `(${old} IS NULL OR ${collated(target, first, now)} ${sign}= ${old})`
      : `(${now} IS NOT NULL AND (${old} IS NULL OR ${collated(target, first, now)} ${sign} ${old}))`
  }
  const below = compare(target, { ...sequence, columns: rest }, stored, incoming, orEqual)
  return (
    `CASE WHEN ${collated(target, first, now)} IS NOT DISTINCT FROM ${old} THEN ${below}` +
    ` ELSE ${now} IS NOT NULL AND (${old} IS NULL OR ${collated(target, first, now)} ${sign} ${old}) END`
  )
}
