import Big from 'big.js'
import type { RowObject } from '../row/row.ts'
import { isAdd, type RowKind } from '../row/row-kind.ts'
import { compareCodePoints } from '../row/value.ts'
import { CaseCounter } from './case-counter.ts'
import type { SequenceReport } from './inspect-report.ts'
import { keyTextOf, ownMember } from './row-view.ts'

/** Checks the order of the changes of each key by sequence columns: what a gate (rule G1) would drop as stale. */
export class SequenceCheck {
  readonly #columns: readonly string[]
  readonly #key: readonly string[]
  readonly #newest = new Map<string, readonly unknown[]>()
  readonly #older = new CaseCounter()
  #ties = 0
  #missing = 0

  constructor(columns: readonly string[], key: readonly string[]) {
    this.#columns = columns
    this.#key = key
  }

  add(kind: RowKind, row: RowObject, record: number | undefined): void {
    const key = keyTextOf(this.#key, row)
    // the image before an update, and the row of a delete, bear the sequence of the version that they take back
    if (key === undefined || !isAdd(kind)) return
    const sequence = this.#columns.map((name) => ownMember(row, name) ?? null)
    if (sequence.includes(null)) this.#missing++
    const newest = this.#newest.get(key)
    const order = newest === undefined ? 1 : compareTuples(sequence, newest)
    if (order < 0) this.#older.add(record)
    else this.#newest.set(key, sequence)
    if (order === 0) this.#ties++
  }

  report(): SequenceReport {
    return { columns: this.#columns, older: this.#older.report(), ties: this.#ties, missing: this.#missing }
  }
}

function compareTuples(a: readonly unknown[], b: readonly unknown[]): number {
  for (const [at, value] of a.entries()) {
    const order = compareLoosely(value, b[at])
    if (order !== 0) return order
  }
  return 0
}

/** Values as JSON has them, whose type nobody has declared: numbers, also as text, by value; other text by code point. */
function compareLoosely(a: unknown, b: unknown): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? -1 : 1
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined && y !== undefined) return x.cmp(y)
  return compareCodePoints(String(a), String(b))
}

function numberOf(value: unknown): Big | undefined {
  return /^-?\d+(\.\d+)?$/.test(String(value)) ? new Big(String(value)) : undefined
}
