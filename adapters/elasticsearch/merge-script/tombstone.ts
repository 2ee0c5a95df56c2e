import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { nameAt, namesAt, quoted, quotedList } from './painless.ts'

/** Statements that show the row to readers. */
export function visibleText(plan: MergePlan): string {
  const { deletedFlag, deletedAt } = plan
  if (deletedFlag === undefined) return ''
  const shown = `source.put(${quoted(nameAt(plan, deletedFlag))}, false);`
  return deletedAt === undefined ? shown : `${shown} source.put(${quoted(nameAt(plan, deletedAt))}, null);`
}

/** As `visibleText` for a row that only retracts have touched (rule A4). */
export function invisibleText(plan: MergePlan): string {
  const { deletedFlag, deletedAt } = plan
  if (deletedFlag === undefined) return ''
  const flag = quoted(nameAt(plan, deletedFlag))
  const hidden = `source.put(${flag}, true);`
  if (deletedAt === undefined) return hidden
  const since = quoted(nameAt(plan, deletedAt))
  return `if (source.get(${flag}) != true || source.get(${since}) == null) { source.put(${since}, ${now}); } ${hidden}`
}

/** The clock of the node that holds the shard. */
const now = 'Instant.ofEpochMilli(ctx._now).toString()'

/** Condition: the stored row is there for a reader. */
export function isLiveText(plan: MergePlan): string {
  return plan.deletedFlag === undefined
    ? 'exists'
    : `exists && source.get(${quoted(nameAt(plan, plan.deletedFlag))}) != true`
}

/**
 * Statements that leave a tombstone or nothing of the row. `keep`: statements that put what the tombstone remembers into
 * `source`, which holds the key then; `stored` is the row as it was.
 */
export function removeText(plan: MergePlan, keep: string): string {
  const { deletedFlag, deletedAt, deleteMode } = plan
  if (deleteMode === 'hard' || deletedFlag === undefined) return "ctx.op = exists ? 'delete' : 'noop'; return;"
  const flag = quoted(nameAt(plan, deletedFlag))
  const key = quotedList(namesAt(plan, plan.key))
  const lines = ['Map stored = new HashMap(source);']
  if (deleteMode === 'tombstone') lines.push('source.clear();')
  lines.push(`copyAll(source, ${key}, exists ? stored : row, ${key});`, keep, `source.put(${flag}, true);`)
  if (deletedAt !== undefined) {
    const since = quoted(nameAt(plan, deletedAt))
    lines.push(
      `source.put(${since}, exists && stored.get(${flag}) == true && stored.get(${since}) != null ? stored.get(${since}) : ${now});`,
    )
  }
  return [...lines, 'return;'].filter((line) => line !== '').join('\n')
}

/** Statements that refuse a row that a reader would see without a value in a column that is NOT NULL. */
export function requiredText(plan: MergePlan): string {
  const required = plan.columns.flatMap(({ nullable, hidden, name }, position) =>
    nullable || hidden || plan.key.includes(position) || position === plan.deletedFlag ? [] : [name],
  )
  return required
    .map((name) => {
      const fault = quoted(`${faultMark}column ${name} is NOT NULL and would have no value`)
      return `if (source.get(${quoted(name)}) == null) { throw new IllegalArgumentException(${fault}); }`
    })
    .join('\n')
}

/** In front of what a script says of a row that it refuses, to tell it from what the server says. */
export const faultMark = 'tidegate: '
