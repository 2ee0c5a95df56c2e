import { must } from '../../../src/assert.ts'
import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { ColumnRule, MergePlan, SequenceGroup } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { columnAt, quotedName, storedName } from './staged.ts'
import { insertRows, passes } from './upsert.ts'

/**
 * What `partial-update` and `aggregation` make of a change that lacks nothing, by `INSERT … ON DUPLICATE KEY UPDATE`: no row
 * is locked first. Assignments take effect from left to right, so the columns of a group are decided before its sequence is
 * assigned, whose most significant field comes last (rules G3, A1).
 */
export function mergeUpsert(merge: MergePlan, target: Target): string {
  const fields = merge.groups.flatMap(({ columns }) => columns.toReversed())
  const others = [...merge.columns.keys()].filter((at) => !merge.key.includes(at) && !fields.includes(at))
  const assignments = [...others, ...fields].map((at) => `${quotedName(target, at)} = ${merged(merge, target, at)}`)
  return `${insertRows(merge, target)}\nON DUPLICATE KEY UPDATE\n  ${assignments.join(',\n  ')}`
}

/** Every column's rule can be said in such an assignment. */
export function mergesByUpsert(merge: MergePlan, target: Target): boolean {
  if (merge.engine !== 'partial-update' && merge.engine !== 'aggregation') return false
  if (merge.sequence !== undefined || merge.removeRecordOnDelete) return false
  const isOrdered = (at: number): boolean => columnAt(target, at).codec.isOrdered
  const groupsFit = merge.groups.every(
    ({ columns, tie, removesRecord }) => !removesRecord && tie === 'last-arrival' && columns.every(isOrdered),
  )
  // a table that consists of its key has nothing to assign
  return groupsFit && merge.columns.length > merge.key.length && merge.rules.every((rule, at) => fits(rule, at))

  function fits(rule: ColumnRule, at: number): boolean {
    if (rule.kind !== 'aggregate') return rule.kind !== 'own-sequence'
    switch (rule.function) {
      case 'max':
      case 'min':
        return isOrdered(at)
      case 'bool_and':
      case 'bool_or':
        return true
      case 'sum':
        return addsExactly(must(merge.columns[at], 'a column').type)
      case 'last_value':
      case 'last_non_null_value':
      case 'first_non_null_value':
        return rule.group === undefined
      default:
        return false
    }
  }
}

/** Nothing of the change needs a look at the row: it adds, and says something of every column that a null would change. */
export function fitsMergeUpsert(merge: MergePlan, { op, row, replace }: MergeChange): boolean {
  if (op !== 'upsert' || replace) return false
  for (let at = 0; at < merge.declaredCount; at++) {
    const { nullable } = must(merge.columns[at], 'a column')
    // the server looks at NOT NULL before it finds that the row is there
    if (!nullable && (row[at] ?? null) === null) return false
    if (row[at] === undefined && nullCounts(merge, row, must(merge.rules[at], 'a rule'))) return false
  }
  return true
}

/** Would a null that stands for "says nothing" be taken for a value? */
function nullCounts({ groups }: MergePlan, row: MergeChange['row'], rule: ColumnRule): boolean {
  if (rule.kind === 'overwrite') return rule.nulls
  if (rule.kind === 'aggregate') return rule.function === 'last_value'
  if (rule.kind !== 'group-replace') return false
  // without its sequence the group is left alone
  return row[groups[rule.group]?.columns[0] ?? -1] !== undefined
}

/** Whole numbers and decimals; a sum of doubles that leaves FLOAT would not be noticed. */
function addsExactly({ name, ...type }: MergePlan['columns'][number]['type']): boolean {
  switch (name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return true
    case 'DECIMAL':
      // one digit more, and the server would round what runs over
      return 'precision' in type && type.precision < 65
    default:
      return false
  }
}

function merged(merge: MergePlan, target: Target, at: number): string {
  const stored = storedName(target, at)
  const incoming = `VALUES(${quotedName(target, at)})`
  const rule = must(merge.rules[at], 'a rule')
  switch (rule.kind) {
    case 'sequence':
    case 'group-replace': {
      const group = must(merge.groups[rule.group ?? -1], 'a group')
      return `IF(${takes(target, group)}, ${incoming}, ${stored})`
    }
    case 'overwrite':
      return rule.nulls ? incoming : `COALESCE(${incoming}, ${stored})`
    case 'aggregate':
      return aggregated(rule.function, stored, incoming)
    default:
      // the flag, and since when it was set: whoever adds makes the row visible (rule A4)
      return incoming
  }
}

/** The group's sequence is there, and not older than the stored one. */
function takes(target: Target, group: SequenceGroup): string {
  const given = group.columns.map((at) => `VALUES(${quotedName(target, at)}) IS NOT NULL`).join(' OR ')
  return `(${given}) AND ${passes(target, group)}`
}

function aggregated(name: string, stored: string, incoming: string): string {
  switch (name) {
    case 'sum':
      return `COALESCE(${stored} + ${incoming}, ${stored}, ${incoming})`
    case 'max':
    case 'bool_or':
      return `COALESCE(GREATEST(${stored}, ${incoming}), ${stored}, ${incoming})`
    case 'min':
    case 'bool_and':
      return `COALESCE(LEAST(${stored}, ${incoming}), ${stored}, ${incoming})`
    case 'last_value':
      return incoming
    case 'first_non_null_value':
      return `COALESCE(${stored}, ${incoming})`
    default:
      return `COALESCE(${incoming}, ${stored})`
  }
}
