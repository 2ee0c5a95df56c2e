import type { RejectedChange } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { OutgoingRow, TableColumn } from './engine/engine.ts'
import { RowBinary } from './row-binary.ts'
import { UnsendableValue } from './type-mapping.ts'

/** A change with the rows to insert for it. */
export interface OutgoingChange {
  readonly change: MergeChange
  readonly rows: readonly OutgoingRow[]
}

export interface EncodedRows {
  readonly body: Buffer
  /** How many changes it holds. */
  readonly count: number
  readonly faults: readonly RejectedChange[]
}

/** Rows as the body of an insert; changes that hold what the store cannot are left out, each with all of its rows. */
export function encodeRows(
  columns: readonly TableColumn[],
  table: number,
  changes: readonly OutgoingChange[],
): EncodedRows {
  const out = new RowBinary()
  const faults: RejectedChange[] = []
  let count = 0
  for (const { change, rows } of changes) {
    const start = out.length
    const fault = writeRows(out, columns, rows)
    if (fault === undefined) count++
    else {
      out.rewind(start)
      faults.push({ table, change, reason: fault })
    }
  }
  return { body: out.take(), count, faults }
}

function writeRows(out: RowBinary, columns: readonly TableColumn[], rows: readonly OutgoingRow[]): string | undefined {
  let at = 0
  try {
    for (const row of rows) {
      for (at = 0; at < columns.length; at++) columns[at]?.write(out, row)
    }
    return undefined
  } catch (error) {
    if (error instanceof UnsendableValue) return `column ${columns[at]?.name}: ${error.message}`
    throw error
  }
}
