import type { Row } from '../row/row.ts'
import { createColumnwiseMerge } from './columnwise.ts'
import { changed, unableToRetract } from './lift-outcome.ts'
import { type ContributionRow, createMergeChange, type MergeChange } from './merge-change.ts'
import type { Lifted, LiftInput, MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'

/**
 * `partial-update`: each record brings some columns. Columns of a sequence group go by its sequence (rule G3), the others
 * are overwritten by what is not null. Retracts concern groups alone (Paimon).
 */
export function createPartialUpdate(plan: MergePlan): MergeFunction {
  const { newContributions, groups, ungrouped, liftRemoval, apply, compose } = createColumnwiseMerge(plan)
  const owners = groups.filter((_, index) => plan.groups[index]?.removesRecord)

  return { lift, apply, compose }

  function lift(record: LiftInput): Lifted {
    const { kind, row, key } = record
    if (kind === '+I' || kind === '+U') return changed(createMergeChange(key, 'upsert', contributionsOf(row)))
    if (plan.removeRecordOnDelete) {
      return kind === '-D'
        ? liftRemoval(record)
        : { outcome: 'ignored', reason: '-U does nothing under partial-update.remove-record-on-delete' }
    }
    if (groups.length === 0) return { outcome: 'rejected', code: 'RETRACT_UNSUPPORTED', reason: waysOut(kind) }
    return liftRetract(kind, row, key)
  }

  function contributionsOf(row: Row): ContributionRow {
    const contributions = newContributions(row)
    for (const group of groups) group.contribute(contributions, row)
    ungrouped.contribute(contributions, row)
    return contributions
  }

  function liftRetract(kind: '-U' | '-D', row: Row, key: MergeChange['key']): Lifted {
    const contributions = newContributions(row)
    const unable: number[] = []
    for (const group of groups) group.retract(contributions, row, unable)
    if (unable.length > 0) return unableToRetract(plan, kind, unable)
    if (!groups.some((group) => group.touches(contributions))) {
      return { outcome: 'ignored', reason: `${kind} with no sequence of any group` }
    }
    const removes = kind === '-D' && owners.some((owner) => owner.touches(contributions))
    return changed(createMergeChange(key, removes ? 'delete' : 'retract', contributions))
  }
}

function waysOut(kind: string): string {
  return (
    `merge-engine = partial-update cannot take ${kind} without sequence groups: set ignore-delete = true to drop retracts, ` +
    'or partial-update.remove-record-on-delete = true to remove the row, ' +
    'or protect columns by fields.<sequence>.sequence-group to take them back'
  )
}
