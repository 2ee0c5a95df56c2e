import type { Change } from '../changelog/element.ts'
import { type ChangeContext, createChange } from './emit-changes.ts'
import { type JsonObject, member } from './parse-record.ts'

/**
 * The two halves of an update: `-U` and `+U`, or `-D` and `+I` where a key column differs, so that a sink that drops `-U`
 * does not keep the old row. Without key columns the sink finds out by itself.
 */
export function updateChanges(
  context: ChangeContext,
  before: JsonObject,
  after: JsonObject,
  keyColumns: readonly string[] | undefined,
  pair: number,
): [Change, Change] {
  const isMove = keyColumns !== undefined && differsIn(keyColumns, before, after)
  return [
    createChange(isMove ? '-D' : '-U', before, context, pair),
    createChange(isMove ? '+I' : '+U', after, context, pair),
  ]
}

/** Both rows have the column, with different scalars. */
export function differsIn(columns: readonly string[], before: JsonObject, after: JsonObject): boolean {
  return columns.some((column) => {
    const [old, now] = [member(before, column), member(after, column)]
    return isScalar(old) && isScalar(now) && String(old) !== String(now)
  })
}

function isScalar(value: unknown): boolean {
  return value !== undefined && (typeof value !== 'object' || value === null)
}
