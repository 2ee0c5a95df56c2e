import { must } from '../../src/assert.ts'
import type { RejectedChange } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Value } from '../../src/row/value.ts'
import { RowBinary } from './row-binary.ts'
import { isNullable } from './statements.ts'
import type { Target } from './target.ts'
import { UnsendableValue, valueWriter } from './type-mapping.ts'

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

export type RowEncoder = (table: number, rows: readonly OutgoingRow[]) => EncodedRows

/** Rows as the body of an insert; those that hold what the store cannot are left out. */
export function rowEncoder({ plan: { merge }, version: bytes }: Target): RowEncoder {
  const columns = merge.columns.map(({ name, type, nullable }, at) => ({
    name,
    isFlag: at === merge.deletedFlag,
    isNullable: isNullable(merge, at, nullable),
    write: valueWriter(type),
  }))
  return (table, rows) => {
    const out = new RowBinary()
    const faults: RejectedChange[] = []
    let count = 0
    for (const row of rows) {
      const start = out.length
      const fault = writeRow(out, row)
      if (fault === undefined) count++
      else {
        out.rewind(start)
        faults.push({ table, change: row.change, reason: fault })
      }
    }
    return { body: out.take(), count, faults }
  }

  function writeRow(out: RowBinary, { row, isDeleted, version }: OutgoingRow): string | undefined {
    let at = 0
    try {
      for (; at < columns.length; at++) {
        const column = must(columns[at], 'a column')
        if (column.isFlag) {
          out.byte(isDeleted ? 1 : 0)
          continue
        }
        const value = (row[at] ?? null) as Value | null
        if (column.isNullable) {
          out.byte(value === null ? 1 : 0)
          if (value === null) continue
        }
        column.write(out, value)
      }
    } catch (error) {
      if (error instanceof UnsendableValue) return `column ${columns[at]?.name}: ${error.message}`
      throw error
    }
    if (bytes === 8) out.long(version)
    else if (bytes !== undefined) out.wide(version, bytes)
    return undefined
  }
}
