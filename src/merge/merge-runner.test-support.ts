import type { Row } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'
import { createMergeFunction } from './create-merge-function.ts'
import { keyOf, type MergeCase, readerView, readRow } from './merge-case.test-support.ts'
import type { MergeChange } from './merge-change.ts'
import type { Applied, Lifted } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'

export type RecordInput = readonly [kind: RowKind, row: readonly unknown[]]

/** A table of INT columns, the first of them its key. */
export function tableOf(
  mergeEngine: MergeCase['mergeEngine'],
  columns: string,
  more: Partial<MergeCase> = {},
): MergeCase {
  const names = columns.split(' ')
  return {
    id: mergeEngine,
    mergeEngine,
    columns: names.map((name) => ({ name, type: 'INT' })),
    primaryKey: names.slice(0, 1),
    steps: [],
    ...more,
  }
}

export function liftRecord(plan: MergePlan, [kind, values]: RecordInput): Lifted {
  const row = readRow(plan, values)
  const isKey = row.every((value, at) => value === undefined || plan.key.includes(at))
  return createMergeFunction(plan).lift({ kind, row, key: keyOf(plan, row), image: isKey ? 'key' : 'full' })
}

export function changeOf(plan: MergePlan, record: RecordInput): MergeChange {
  const lifted = liftRecord(plan, record)
  if (lifted.outcome !== 'change') throw new Error(`${record[0]} is ${lifted.outcome}: ${lifted.reason}`)
  return lifted.change
}

/** One record after the other into a row that is not there at first; the last one's outcome. */
export function applyRecords(plan: MergePlan, ...records: readonly RecordInput[]): Applied {
  const merge = createMergeFunction(plan)
  let applied: Applied = { outcome: 'unchanged', row: undefined }
  for (const record of records) applied = merge.apply(applied.row, changeOf(plan, record))
  return applied
}

/** What a reader sees in the end. */
export function seen(plan: MergePlan, ...records: readonly RecordInput[]): Row | undefined {
  return readerView(plan, applyRecords(plan, ...records).row)
}
