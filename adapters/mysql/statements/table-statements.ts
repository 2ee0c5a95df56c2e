import type { StatementText } from '../../../src/connector/connector.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Dialect } from '../session.ts'
import type { Target } from '../target.ts'
import { deleteRows, lockRows, updateRows } from './locked.ts'
import { mergesByUpsert, mergeUpsert } from './merge-upsert.ts'
import { gatesInStore, insertRows, upsertRows } from './upsert.ts'

/** What a flush may send for a table, for `explain`; all of a flush is one transaction. */
export function tableStatements(merge: MergePlan, target: Target, dialect: Dialect): readonly StatementText[] {
  if (merge.key.length === 0) return [{ purpose: 'rows to append', text: insertRows(merge, target) }]
  const update = updateRows(merge, target)
  const merging: StatementText[] = [
    {
      purpose: 'changes that need what is stored: their rows are locked and merged by tidegate',
      text: lockRows(merge, target, dialect),
    },
    ...(update === undefined ? [] : [{ purpose: 'merged rows that are there', text: update }]),
    { purpose: 'merged rows that are new', text: insertRows(merge, target) },
    ...(merge.deletedFlag === undefined ? [{ purpose: 'merged rows that go', text: deleteRows(merge, target) }] : []),
  ]
  if (mergesByUpsert(merge, target)) {
    const purpose = 'changes that add and lack nothing: merged by the statement'
    return [{ purpose, text: mergeUpsert(merge, target) }, ...merging]
  }
  if (merge.engine !== 'deduplicate' || !gatesInStore(merge, target)) return merging
  const upsert = { purpose: 'complete images, and deletes that leave a tombstone', text: upsertRows(merge, target) }
  if (merge.deletedFlag !== undefined) return [upsert, ...merging]
  return [
    { purpose: 'complete images', text: upsertRows(merge, target) },
    { purpose: 'deletes', text: deleteRows(merge, target) },
    ...merging.slice(0, -1),
  ]
}
