import type { DataType } from '../row/data-type.ts'
import { compareValues, type Value } from '../row/value.ts'
import type { ContributionRow } from './merge-change.ts'
import type { Sequence, StoredColumn } from './merge-plan.ts'

/** A sequence at work: compares tuples field by field, null below every value, in either sort order (rules G1, G4). */
export interface SequenceOrder {
  readonly columns: readonly number[]
  /** Order of two rows by their sequence: positive if `a` is newer. Absent counts as null. */
  compare(a: ContributionRow, b: ContributionRow): number
  /** The same for tuples that stand elsewhere, as a column's own sequence does. */
  compareAt(a: ContributionRow, aColumns: readonly number[], b: ContributionRow, bColumns: readonly number[]): number
  /** Whether something of this order to what is stored takes effect: newer, or equal and the later arrival wins. */
  passes(order: number): boolean
}

export function createSequenceOrder(sequence: Sequence, columns: readonly StoredColumn[]): SequenceOrder {
  const { descending } = sequence
  const types = sequence.columns.map((position) => (columns[position] as StoredColumn).type)
  const compareAt: SequenceOrder['compareAt'] = (a, aColumns, b, bColumns) => {
    for (let field = 0; field < types.length; field++) {
      const order = compareField(
        types[field] as DataType,
        descending,
        a[aColumns[field] as number] as Value | null | undefined,
        b[bColumns[field] as number] as Value | null | undefined,
      )
      if (order !== 0) return order
    }
    return 0
  }
  const [only] = sequence.columns
  const [type] = types
  const compare: SequenceOrder['compare'] =
    types.length === 1 && only !== undefined && type !== undefined
      ? (a, b) => compareField(type, descending, a[only] as Value | null, b[only] as Value | null)
      : (a, b) => compareAt(a, sequence.columns, b, sequence.columns)
  const laterWins = sequence.tie === 'last-arrival'
  return {
    columns: sequence.columns,
    compare,
    compareAt,
    passes: (order) => order > 0 || (order === 0 && laterWins),
  }
}

/** No field of the tuple at `columns` has a value. */
export function isNullTuple(row: ContributionRow, columns: readonly number[]): boolean {
  for (const position of columns) if (row[position] !== null && row[position] !== undefined) return false
  return true
}

/** No field of the tuple at `columns` was sent, not even as null. */
export function isAbsentTuple(row: ContributionRow, columns: readonly number[]): boolean {
  for (const position of columns) if (row[position] !== undefined) return false
  return true
}

function compareField(
  type: DataType,
  descending: boolean,
  a: Value | null | undefined,
  b: Value | null | undefined,
): number {
  if (a === null || a === undefined) return b === null || b === undefined ? 0 : -1
  if (b === null || b === undefined) return 1
  // sort order turns the values round, not the nulls: null is the oldest either way (Paimon)
  return descending ? compareValues(type, b, a) : compareValues(type, a, b)
}
