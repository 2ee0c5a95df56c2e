import type { Entry } from '../buffer/entry.ts'
import type { Change } from '../changelog/element.ts'
import type { Position } from '../changelog/position.ts'
import type { DeadLetter } from '../delivery/failure-handler.ts'
import type { ErrorCode } from '../errors.ts'
import { changeToRecords } from '../merge/change-to-records.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { TablePlan } from '../plan/plan.ts'
import { type RowObject, rowToObject } from '../row/row.ts'
import { primaryKeyNames } from '../row/schema.ts'

/** The letter of a change that was refused on its way in: as it came. */
export function changeLetter(plan: TablePlan, change: Change, code: ErrorCode, reason: string): DeadLetter {
  const { kind, row, record, position } = change
  return { table: plan.name, kind, key: keyOf(plan, row), row, code, reason, record, position }
}

/** Letters of everything that an entry of the buffer holds. */
export function entryLetters(plan: TablePlan, entry: Entry, code: ErrorCode, reason: string): readonly DeadLetter[] {
  const changes = [entry.change, ...(entry.later ?? []).map(({ change }) => change)]
  return changes.flatMap((change) => (change === undefined ? [] : lettersOf(plan, change, entry, code, reason)))
}

/** Letters that do together what the change does. */
export function lettersOf(
  plan: TablePlan,
  change: MergeChange,
  origin: { readonly record: number | undefined; readonly position: Position | undefined },
  code: ErrorCode,
  reason: string,
): readonly DeadLetter[] {
  return changeToRecords(plan.merge, change).map(({ kind, row }) => {
    const object = rowToObject(plan.schema, row)
    const { record, position } = origin
    return { table: plan.name, kind, key: keyOf(plan, object), row: object, code, reason, record, position }
  })
}

function keyOf(plan: TablePlan, row: RowObject): RowObject {
  return Object.fromEntries(
    primaryKeyNames(plan.schema).map((name) => [name, Object.hasOwn(row, name) ? row[name] : undefined]),
  )
}
