import type { Row } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import type { ContributionRow, MergeChange } from './merge-change.ts'
import type { MergePlan } from './merge-plan.ts'
import { type RowRemoval, removedRow } from './row-removal.ts'
import { createSequenceOrder, isAbsentTuple, type SequenceOrder } from './sequence.ts'

/**
 * Removal by the sequence groups that `partial-update.remove-record-on-sequence-group` names: a `-D` that is not older
 * than such a group removes the row, else it is a retract like any other. The tombstone keeps the sequence of every group.
 */
export function createRemovalByGroup(plan: MergePlan): RowRemoval {
  const orders = plan.groups.map((group) => createSequenceOrder(group, plan.columns))
  const owners = orders.filter((_, index) => plan.groups[index]?.removesRecord)

  return {
    remove(stored, { row }) {
      if (!owners.some((owner) => touches(row, owner) && owner.compare(row, stored ?? []) >= 0)) return undefined
      return removedRow(plan, stored, row, (tombstone) => {
        if (stored !== undefined) keepSequence(tombstone, plan.sequence?.columns ?? [], stored)
        for (const order of orders) {
          const newer = stored === undefined || order.compare(row, stored) > 0 ? row : stored
          keepSequence(tombstone, order.columns, newer)
        }
      })
    },
    revives: (stored, change) =>
      owners.every((owner) => !touches(change, owner) || owner.passes(owner.compare(change, stored))),
    // whether the row is removed depends on what is stored
    composeDelete: () => 'cannot',
    reviveAlike,
  }

  function reviveAlike(earlier: MergeChange, later: MergeChange): boolean {
    const [first, second] = [earlier.row, later.row]
    const laterLeads = (owner: SequenceOrder): boolean => owner.passes(owner.compare(second, first))
    const earlierLeads = (owner: SequenceOrder): boolean => !laterLeads(owner) || owner.compare(second, first) === 0
    if (earlier.op === 'retract' && later.op === 'retract') return true
    if (earlier.op === 'retract')
      return owners.every((o) => !touches(first, o) || (touches(second, o) && laterLeads(o)))
    if (later.op === 'retract')
      return owners.every((o) => !touches(second, o) || (touches(first, o) && earlierLeads(o)))
    if (owners.some((owner) => touches(first, owner) !== touches(second, owner))) return false
    const touched = owners.filter((owner) => touches(first, owner))
    return touched.every(laterLeads) || touched.every(earlierLeads)
  }
}

function touches(change: ContributionRow, order: SequenceOrder): boolean {
  return !isAbsentTuple(change, order.columns)
}

function keepSequence(tombstone: Row, columns: readonly number[], from: ContributionRow): void {
  for (const position of columns) tombstone[position] = (from[position] ?? null) as Value | null
}
