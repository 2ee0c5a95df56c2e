import type { RejectedChange } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Value } from '../../src/row/value.ts'
import { RowBinary } from './row-binary.ts'
import { isNullable } from './statements.ts'
import type { Target } from './target.ts'
import { UnsendableValue, writeValue } from './type-mapping.ts'

/** A row to insert, and the change that it comes from. */
export interface OutgoingRow {
  readonly change: MergeChange
  readonly row: ArrayLike<unknown>
  readonly isDeleted: boolean
  readonly version: bigint
}

export interface EncodedRows {
  readonly body: Buffer
  readonly count: number
  readonly faults: readonly RejectedChange[]
}

/** Rows as the body of an insert; those that hold what the store cannot are left out. */
export function encodeRows(target: Target, table: number, rows: readonly OutgoingRow[]): EncodedRows {
  const out = new RowBinary()
  const faults: RejectedChange[] = []
  let count = 0
  for (const row of rows) {
    const start = out.length
    try {
      writeRow(out, target, row)
      count++
    } catch (error) {
      if (!(error instanceof UnsendableValue)) throw error
      out.rewind(start)
      faults.push({ table, change: row.change, reason: error.message })
    }
  }
  return { body: out.take(), count, faults }
}

function writeRow(
  out: RowBinary,
  { plan: { merge }, version: bytes }: Target,
  { row, isDeleted, version }: OutgoingRow,
): void {
  for (const [at, { name, type, nullable }] of merge.columns.entries()) {
    if (at === merge.deletedFlag) {
      out.byte(isDeleted ? 1 : 0)
      continue
    }
    const value = (row[at] ?? null) as Value | null
    if (isNullable(merge, at, nullable)) {
      out.byte(value === null ? 1 : 0)
      if (value === null) continue
    }
    try {
      writeValue(out, type, value)
    } catch (error) {
      if (error instanceof UnsendableValue) throw new UnsendableValue(`column ${name}: ${error.message}`)
      throw error
    }
  }
  if (bytes !== undefined) out.wide(version, bytes)
}
