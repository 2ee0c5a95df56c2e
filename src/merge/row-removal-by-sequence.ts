import type { Row } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import type { ContributionRow } from './merge-change.ts'
import type { AggregateRule, MergePlan, Sequence } from './merge-plan.ts'
import { type RowRemoval, removedRow } from './row-removal.ts'
import { createSequenceOrder } from './sequence.ts'
import { unchangedOr } from './stored-row.ts'

/**
 * Removal where the row has a sequence that orders but does not gate (rule G5). A `-D` that is not older than the row
 * removes it. An older one leaves it, but clears the columns whose own sequence is not newer than the `-D`: so it is as
 * if the records had been merged in order, as far as columns know their sequence.
 */
export function createRemovalBySequence(plan: MergePlan, sequence: Sequence): RowRemoval {
  const order = createSequenceOrder(sequence, plan.columns)
  const owned = plan.rules.flatMap((rule, position) => (isClearable(rule) ? [{ position, own: rule.ownSequence }] : []))

  return {
    remove(stored, change) {
      if (change.ungated === true) {
        if (stored === undefined) return { outcome: 'unchanged', row: undefined }
        return removedRow(plan, stored, change.row, (tombstone) => leaveSequence(tombstone, stored))
      }
      if (stored !== undefined && order.compare(change.row, stored) < 0) return clearOlder(stored, change.row)
      return removedRow(plan, stored, change.row, (tombstone) => leaveSequence(tombstone, change.row))
    },
    revives: (stored, change) => order.passes(order.compare(change, stored)),
    composeDelete(earlier, later) {
      if (earlier.op !== later.op || earlier.ungated === true || later.ungated === true) return 'cannot'
      return order.compare(later.row, earlier.row) < 0 ? 'stale' : later
    },
    reviveAlike(earlier, later) {
      if (earlier.op === later.op) return true
      const difference = order.compare(later.row, earlier.row)
      // the newer sequence must be that of the one that adds
      return later.op === 'upsert' ? order.passes(difference) : !order.passes(difference) || difference === 0
    },
  }

  /** Columns with a sequence of their own are cleared at the same sequence as the row. */
  function leaveSequence(tombstone: Row, from: ContributionRow): void {
    copy(tombstone, order.columns, from)
    for (const { own } of owned) copy(tombstone, own, from)
  }

  function copy(tombstone: Row, columns: readonly number[], from: ContributionRow): void {
    for (const [field, position] of columns.entries()) {
      tombstone[position] = (from[order.columns[field] as number] ?? null) as Value | null
    }
  }

  function clearOlder(stored: Row, change: ContributionRow) {
    const row = stored.slice()
    for (const { position, own } of owned) {
      if (order.compareAt(stored, own, change, order.columns) > 0) continue
      row[position] = null
      copy(row, own, change)
    }
    const applied = unchangedOr('applied', stored, row, plan.columns)
    return applied.outcome === 'unchanged' ? { outcome: 'stale' as const, row: stored } : applied
  }
}

/** Columns that go by the newest sequence and keep it. */
function isClearable(rule: MergePlan['rules'][number]): rule is AggregateRule {
  return rule.kind === 'aggregate' && rule.function === 'last_non_null_value' && rule.order === 'row-sequence'
}
