import type { RowKind } from '../row/row-kind.ts'
import type { MergeChange } from './merge-change.ts'
import type { Lifted } from './merge-function.ts'
import type { MergePlan, StoredColumn } from './merge-plan.ts'

export function changed(change: MergeChange): Lifted {
  return { outcome: 'change', change }
}

/** A delete that carries none of the sequence columns: refused or ignored, or undefined to let it pass ungated (rule G6). */
export function withoutSequence(plan: MergePlan, kind: RowKind): Lifted | undefined {
  switch (plan.deleteWithoutSequence) {
    case 'apply':
      return undefined
    case 'ignore':
      return { outcome: 'ignored', reason: `${kind} without a sequence (sink.delete.without-sequence = ignore)` }
    case 'error':
      return {
        outcome: 'rejected',
        code: 'DELETE_WITHOUT_SEQUENCE',
        reason: `${kind} carries no sequence (${names(plan, plan.sequence?.columns ?? [])}) and sink.delete.without-sequence = error`,
      }
  }
}

/** A retract reached columns whose functions can't take their part back (rule A2). */
export function unableToRetract(plan: MergePlan, kind: RowKind, positions: readonly number[]): Lifted {
  const faults = positions.map((position) => {
    const { name } = plan.columns[position] as StoredColumn
    const rule = plan.rules[position]
    const by = rule?.kind === 'aggregate' ? rule.function : ''
    return `${name} (${by}): fields.${name}.ignore-retract = true keeps its value`
  })
  return {
    outcome: 'rejected',
    code: 'RETRACT_UNSUPPORTED',
    reason: `${kind} cannot be taken back out of ${faults.join('; ')}`,
  }
}

function names(plan: MergePlan, positions: readonly number[]): string {
  return positions.map((position) => (plan.columns[position] as StoredColumn).name).join(', ')
}
