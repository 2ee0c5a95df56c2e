import type { Row } from '../row/row.ts'
import type { Value } from '../row/value.ts'
import { changed } from './lift-outcome.ts'
import { createMergeChange, type MergeChange } from './merge-change.ts'
import type { Applied, Composed, Lifted, LiftInput, MergeFunction } from './merge-function.ts'
import type { MergePlan } from './merge-plan.ts'
import { emptyRow } from './stored-row.ts'

/** `first-row`: the first arrival of a key stays for good; retracts are refused (Paimon). */
export function createFirstRow(plan: MergePlan): MergeFunction {
  return { lift, apply, compose }

  function lift({ kind, row, key }: LiftInput): Lifted {
    if (kind === '-D' || kind === '-U') {
      return {
        outcome: 'rejected',
        code: 'RETRACT_UNSUPPORTED',
        reason: `merge-engine = first-row keeps the first row and cannot take ${kind}; set ignore-delete = true to drop retracts`,
      }
    }
    return changed(createMergeChange(key, 'upsert', row))
  }

  function apply(stored: Row | undefined, change: MergeChange): Applied {
    if (stored !== undefined) return { outcome: 'stale', row: stored }
    const row = emptyRow(plan, change.row)
    for (const [position, value] of change.row.entries()) row[position] = (value ?? null) as Value | null
    return { outcome: 'applied', row }
  }

  function compose(_earlier: MergeChange, _later: MergeChange): Composed {
    return 'stale'
  }
}
