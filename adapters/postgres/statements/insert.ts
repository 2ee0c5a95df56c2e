import type { Contribution, MergeChange } from '../../../src/merge/merge-change.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { isRemoval } from './change-shape.ts'
import {
  columnAt,
  columnList,
  excludedValue,
  quotedName,
  StagedSet,
  type StagedStatement,
  storedValue,
} from './staged.ts'

export interface InsertOptions {
  readonly name: string
  /** What the new row holds of each column; undefined: the column's default, or NULL. */
  readonly read: (change: MergeChange, position: number) => Contribution
  /** The row is there, but no reader sees it. */
  readonly isHidden: (change: MergeChange) => boolean
  /** Columns that a change may lack get their default; else NULL. */
  readonly defaults: boolean
  /** Lines from ON CONFLICT on. */
  readonly conflict: readonly string[]
}

/** Rows as new ones, hidden columns included. */
export function insertStatement(plan: MergePlan, target: Target, options: InsertOptions): StagedStatement {
  const set = new StagedSet(target, options.read)
  const positions = plan.columns.map((_, position) => position)
  const values = positions.map((position) => newValue(plan, target, position, set, options))
  const overriding = target.columns.some(({ identityAlways }) => identityAlways) ? ' OVERRIDING SYSTEM VALUE' : ''
  const lines = [
    `INSERT INTO ${quoteQualified(target.name)} AS t (${columnList(target, positions)})${overriding}`,
    `SELECT ${values.join(', ')}`,
    `FROM ${set.from()}`,
    ...options.conflict,
  ]
  return { name: options.name, text: lines.join('\n'), columns: set.columns }
}

/** `ON CONFLICT ("id")`; nothing for a table without a key. */
export function onConflict(plan: MergePlan, target: Target): string {
  return `ON CONFLICT (${columnList(target, plan.key)})`
}

/** The row becomes what comes in, whatever it was. */
export function overwriteConflict(plan: MergePlan, target: Target): readonly string[] {
  const conflict = onConflict(plan, target)
  const assignments = overwriteAssignments(plan, target)
  return [assignments.length === 0 ? `${conflict} DO NOTHING` : `${conflict} DO UPDATE SET ${assignments.join(', ')}`]
}

/** `"a" = EXCLUDED."a"` for every column outside the key. */
export function overwriteAssignments(plan: MergePlan, target: Target): readonly string[] {
  return plan.columns.flatMap((_, position) => {
    if (plan.key.includes(position)) return []
    return [`${quotedName(target, position)} = ${overwritingValue(plan, target, position)}`]
  })
}

/** A tombstone keeps the time at which it became one. */
function overwritingValue(plan: MergePlan, target: Target, position: number): string {
  const value = excludedValue(target, position)
  const { deletedFlag } = plan
  if (position !== plan.deletedAt || deletedFlag === undefined) return value
  const staysDeleted = `${excludedValue(target, deletedFlag)} AND ${storedValue(target, deletedFlag)}`
  return `CASE WHEN ${staysDeleted} THEN COALESCE(${storedValue(target, position)}, ${value}) ELSE ${value} END`
}

/** A row that holds nothing but its key and its sequence: what a removal leaves behind. */
export function readTombstone(plan: MergePlan, { row }: MergeChange, position: number): Contribution {
  const kept = plan.key.includes(position) || plan.sequence?.columns.includes(position) === true
  return kept ? (row[position] ?? null) : null
}

/** The change's columns, of which a removal has none but its key and sequence. */
export function readRow(plan: MergePlan, change: MergeChange, position: number): Contribution {
  return isRemoval(change) ? readTombstone(plan, change, position) : change.row[position]
}

function newValue(
  plan: MergePlan,
  target: Target,
  position: number,
  set: StagedSet,
  { isHidden, defaults }: InsertOptions,
): string {
  if (position === plan.deletedFlag) return hiddenFlag(set, isHidden)
  if (position === plan.deletedAt) return `CASE WHEN ${hiddenFlag(set, isHidden)} THEN now() END`
  const value = set.value(position)
  const { defaultSql } = columnAt(target, position)
  if (!defaults || defaultSql === undefined || plan.key.includes(position)) return value
  return `CASE WHEN ${set.has(position)} THEN ${value} ELSE ${defaultSql} END`
}

function hiddenFlag(set: StagedSet, isHidden: (change: MergeChange) => boolean): string {
  return set.flag('deleted?', isHidden)
}
