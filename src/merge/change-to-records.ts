import Big from 'big.js'
import type { Row } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { Value } from '../row/value.ts'
import type { CollectDelta, MergeChange, ProductStep } from './merge-change.ts'
import type { MergePlan } from './merge-plan.ts'

export interface ChangeRecord {
  readonly kind: RowKind
  /** Declared columns. */
  readonly row: Row
}

/** Records that do together what the change does, for dead letters and for handing back what was not written. */
export function changeToRecords(plan: MergePlan, change: MergeChange): readonly ChangeRecord[] {
  const row = change.row.slice(0, plan.declaredCount)
  switch (change.op) {
    case 'insert':
      return [{ kind: '+I', row: row as Row }]
    case 'delete':
      return [{ kind: '-D', row: row as Row }]
    case 'retract':
      return [{ kind: '-U', row: taken(plan, row) }]
    case 'upsert': {
      const removed = removals(plan, row)
      const added = { kind: '+U' as const, row: given(row) }
      // an image with every column replaces the row without a delete before it
      if (change.replace && row.includes(undefined))
        return [
          { kind: '-D', row: keyOnly(plan, row as Row) },
          { ...added, kind: '+I' },
        ]
      return removed === undefined ? [added] : [{ kind: '-U', row: removed }, added]
    }
    default:
      throw new Error('unreachable')
  }
}

/** Contributions of a retract as the values that were taken back. */
function taken(plan: MergePlan, row: readonly MergeChange['row'][number][]): Row {
  return row.map((value, at) => {
    const rule = plan.rules[at]
    if (isCollectDelta(value)) return value.remove
    if (isProductStep(value)) return value.by
    if (rule?.kind === 'aggregate' && rule.function === 'sum' && value !== undefined && value !== null) {
      return negated(value as Value)
    }
    return value as Value | null | undefined
  })
}

function given(row: readonly MergeChange['row'][number][]): Row {
  return row.map((value) => {
    if (isCollectDelta(value)) return value.add
    if (isProductStep(value)) return value.by
    return value as Value | null | undefined
  })
}

/** Elements that the change takes out of collections, with the key; undefined if there are none. */
function removals(plan: MergePlan, row: readonly MergeChange['row'][number][]): Row | undefined {
  const removed = row.map((value) => (isCollectDelta(value) && value.remove.length > 0 ? value.remove : undefined))
  if (removed.every((value) => value === undefined)) return undefined
  return keyOnly(plan, row as Row).map((value, at) => value ?? removed[at])
}

function keyOnly(plan: MergePlan, row: Row): Row {
  return row.map((value, at) => (plan.key.includes(at) ? value : undefined))
}

function isCollectDelta(value: unknown): value is CollectDelta {
  return typeof value === 'object' && value !== null && 'remove' in value && 'add' in value
}

function isProductStep(value: unknown): value is ProductStep {
  return typeof value === 'object' && value !== null && 'product' in value
}

function negated(value: Value): Value {
  if (typeof value === 'bigint' || typeof value === 'number') return -value
  return typeof value === 'string' ? Big(value).times(-1).toFixed() : value
}
