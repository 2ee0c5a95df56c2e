import { must } from '../../src/assert.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import { encodeArray, releaseScratch, UnsendableValue } from './binary-array.ts'
import { PostgresFailure } from './failures.ts'
import type { Statement } from './session.ts'
import type { StagedStatement } from './statements/staged.ts'

export interface EncodedChanges {
  readonly statement: Statement
  /** Those whose values PostgreSQL has no way to hold are left out. */
  readonly changes: readonly MergeChange[]
  readonly faults: readonly ChangeFault[]
}

export interface ChangeFault {
  readonly change: MergeChange
  readonly error: PostgresFailure
  /** Default: `ROW_REJECTED`. */
  readonly code?: ErrorCode | undefined
}

/** The statement with the changes as its arrays, one a column. `name`: prepare it under this name. */
export function encodeChanges(
  { text, columns }: StagedStatement,
  changes: readonly MergeChange[],
  name: string | undefined,
): EncodedChanges {
  const faults: ChangeFault[] = []
  let sound = changes
  for (;;) {
    const encoded = encodeColumns(columns, sound)
    releaseScratch()
    if ('values' in encoded) return { statement: { text, name, values: encoded.values }, changes: sound, faults }
    const { index, failure } = encoded
    faults.push({ change: must(sound[index], 'a fault names one of the changes'), error: failure })
    sound = sound.toSpliced(index, 1)
  }
}

function encodeColumns(
  columns: StagedStatement['columns'],
  changes: readonly MergeChange[],
): { readonly values: Buffer[] } | { readonly index: number; readonly failure: PostgresFailure } {
  const values: Buffer[] = []
  for (const { wire, value, label } of columns) {
    const column: unknown[] = []
    try {
      for (const change of changes) column.push(value(change))
      values.push(encodeArray(wire, column))
    } catch (error) {
      if (!(error instanceof UnsendableValue)) throw error
      const index = error.index < 0 ? column.length : error.index
      return { index, failure: new PostgresFailure(`${label}: ${error.message}`, 'row', error.sqlState) }
    }
  }
  return { values }
}
