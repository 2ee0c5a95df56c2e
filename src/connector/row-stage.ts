import { createMergeFunction } from '../merge/create-merge-function.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { Applied, MergeFunction } from '../merge/merge-function.ts'
import { isVisible } from '../merge/stored-row.ts'
import type { TablePlan } from '../plan/plan.ts'
import type { Row } from '../row/row.ts'
import type { FoldKey } from '../row/row-key.ts'
import { isAdd } from '../row/row-kind.ts'
import type { RejectedChange, TableBatch, TableWriteResult, Wave } from './batch.ts'

export interface RowStageOptions {
  readonly plan: TablePlan
  /** The row of a key as it is stored, hidden columns included, before anything of the stage. */
  readonly stored: (key: FoldKey) => Row | undefined
  /** Told of each change as it is applied; `before` is what it met. */
  readonly onApply?: ((change: MergeChange, before: Row | undefined, applied: Applied) => void) | undefined
}

/**
 * What changes make of the rows of one table, by `apply` of the merge function, before anything is written: for stores
 * that are read, merged and written back under a lock or a compare-and-set.
 */
export class RowStage {
  /** Rows that are no longer as they were stored. Undefined: the row is gone. */
  readonly rows = new Map<FoldKey, Row | undefined>()
  /** Rows of a table without a primary key. */
  readonly appended: Row[] = []
  isTruncated = false
  readonly #options: RowStageOptions
  readonly #merge: MergeFunction
  readonly #rejectedKeys = new Set<FoldKey>()

  constructor(options: RowStageOptions) {
    this.#options = options
    this.#merge = createMergeFunction(options.plan.merge)
  }

  truncate(): void {
    this.isTruncated = true
    this.rows.clear()
    this.appended.length = 0
  }

  /** `table`: as `RejectedChange` names it. What cannot be applied is handed back, and leaves no trace. */
  applyWave(
    table: number,
    wave: Wave,
  ): { readonly written: number; readonly stale: number; readonly rejected: readonly RejectedChange[] } {
    let written = 0
    let stale = 0
    const rejected: RejectedChange[] = []
    for (const change of wave) {
      if (this.#rejectedKeys.has(change.key)) {
        rejected.push({ table, change, reason: 'an earlier change of the key was rejected' })
        continue
      }
      const { outcome, code, reason } = this.#apply(change)
      if (outcome === 'rejected') {
        // what runs over its column is refused by the store, as in any database
        const stored = code === 'ROW_INVALID' ? 'ROW_REJECTED' : code
        rejected.push({ table, change, code: stored, reason: reason ?? 'it cannot be applied' })
        this.#rejectedKeys.add(change.key)
      } else if (outcome === 'stale') stale++
      else written++
    }
    return { written, stale, rejected }
  }

  /** All of a table's part of a batch; `reject` gets what cannot be applied, wave by wave. */
  async applyBatch(
    { table, truncate, waves }: TableBatch,
    reject: (rejected: readonly RejectedChange[]) => Promise<void>,
  ): Promise<TableWriteResult> {
    if (truncate) this.truncate()
    let written = 0
    let stale = 0
    for (const wave of waves) {
      const outcome = this.applyWave(table, wave)
      written += outcome.written
      stale += outcome.stale
      if (outcome.rejected.length > 0) await reject(outcome.rejected)
    }
    return { written, stale }
  }

  #apply(change: MergeChange): Applied {
    const { plan, onApply } = this.#options
    const moved = this.#moved(change)
    if (moved === undefined) return withoutRow
    if (moved.op === 'insert') {
      const row = moved.row.map((value) => value ?? null) as Row
      // what is taken away may be named by its key alone
      const fault = isAdd(moved.kind ?? '+I') ? incompleteness(plan, row) : undefined
      if (fault !== undefined) return fault
      this.appended.push(row)
      const applied: Applied = { outcome: 'applied', row }
      onApply?.(change, undefined, applied)
      return applied
    }
    const before = this.#current(change.key)
    const applied = this.#merge.apply(before, moved)
    const fault = applied.row === undefined ? undefined : incompleteness(plan, applied.row)
    if (fault !== undefined) return fault
    if (applied.row !== before) this.rows.set(change.key, applied.row)
    onApply?.(moved, before, applied)
    return applied
  }

  /** The change with the columns of the row that it moved from (rule K6). */
  #moved(change: MergeChange): MergeChange | undefined {
    if (change.moveFrom === undefined) return change
    const { plan, stored } = this.#options
    // the delete of the old key may be earlier in the batch, so the row is looked up where it was before the flush
    const from = stored(change.moveFrom.key) ?? this.#current(change.moveFrom.key)
    if (from === undefined || !isVisible(plan.merge, from)) {
      // sent again, a move finds its row under the new key
      const there = this.#current(change.key)
      return there !== undefined && isVisible(plan.merge, there) ? { ...change, moveFrom: undefined } : undefined
    }
    const row = change.row.map((value, at) => (value === undefined && at < plan.merge.declaredCount ? from[at] : value))
    return { ...change, row, moveFrom: undefined }
  }

  #current(key: FoldKey): Row | undefined {
    if (this.rows.has(key)) return this.rows.get(key)
    return this.isTruncated ? undefined : this.#options.stored(key)
  }
}

const withoutRow: Applied = {
  outcome: 'rejected',
  row: undefined,
  code: 'MOVE_WITHOUT_ROW',
  reason: 'the row it moved from is not there',
}

/** As the NOT NULL constraint of a database would refuse the row: a patch may find no row, and lack a column. */
function incompleteness({ merge, schema }: TablePlan, row: Row): Applied | undefined {
  if (!isVisible(merge, row)) return undefined
  const column = schema.columns.find(({ nullable }, at) => !nullable && (row[at] ?? null) === null)
  if (column === undefined) return undefined
  const reason = `column ${column.name} is NOT NULL and would have no value`
  return { outcome: 'rejected', row: undefined, code: 'ROW_REJECTED', reason }
}
