import { must } from '../../src/assert.ts'
import type { RejectedChange, TableBatch, TableWriteResult, WriteBatch } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { TidegateError } from '../../src/errors.ts'
import { createMergeFunction } from '../../src/merge/create-merge-function.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { MergeFunction } from '../../src/merge/merge-function.ts'
import { isVisible } from '../../src/merge/stored-row.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type Row, rowToObject } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'
import { createMemoryStore, isMemoryStore, type MemoryStore, tableOf } from './store.ts'
import { lockStore } from './store-lock.ts'

/** What a flush has done to one table and not yet committed. */
interface Staged {
  truncated: boolean
  /** Undefined: the row is gone. */
  readonly rows: Map<FoldKey, Row | undefined>
  appended: Row[]
}

/** Runs `apply` of the merge function on rows in memory. A flush is staged and becomes visible at once. */
export class MemoryWriter implements SinkWriter {
  readonly server = 'memory'
  readonly positions: SinkWriter['positions']
  readonly #store: MemoryStore
  readonly #tables: readonly TablePlan[]
  readonly #merges: readonly MergeFunction[]
  readonly #sinkId: string | undefined
  readonly #epoch: number
  #staged = new Map<number, Staged>()
  /** The first parts of a group are staged, the last one has not come. */
  #partOpen = false
  #unlock = (): void => {}

  constructor({ client, tables, plan }: OpenContext) {
    this.#store = isMemoryStore(client) ? client : createMemoryStore()
    this.#tables = tables
    this.#merges = tables.map(({ merge }) => createMergeFunction(merge))
    const { guarantee, sinkId } = plan.delivery
    this.#sinkId = guarantee === 'exactly-once' ? (sinkId ?? '') : undefined
    const entry = this.#sinkId === undefined ? undefined : this.#store.ledger.get(this.#sinkId)
    this.#epoch = (entry?.epoch ?? 0) + 1
    if (this.#sinkId !== undefined) {
      this.positions = entry?.positions ?? new Map()
      this.#store.ledger.set(this.#sinkId, { epoch: this.#epoch, positions: this.positions, batchId: entry?.batchId })
    }
  }

  async write(batch: WriteBatch, context: WriteContext): ReturnType<SinkWriter['write']> {
    // the parts of a group go on in the transaction that the first one has begun
    if (!this.#partOpen) this.#unlock = await lockStore(this.#store)
    try {
      this.#checkFence()
      const tables: TableWriteResult[] = []
      for (const table of batch.tables) tables.push(await this.#writeTable(table, context))
      if (batch.commit) this.#commit(batch)
      this.#partOpen = !batch.commit
      return { tables }
    } catch (error) {
      this.#staged = new Map()
      this.#partOpen = false
      throw error
    } finally {
      if (!this.#partOpen) this.#unlock()
    }
  }

  async committed(batchId: string): Promise<boolean> {
    return this.#sinkId !== undefined && this.#store.ledger.get(this.#sinkId)?.batchId === batchId
  }

  async read(table: number, limit: number): ReturnType<Required<SinkWriter>['read']> {
    const plan = must(this.#tables[table], 'the table is one of the sink')
    const { rows, appended } = tableOf(this.#store, plan.name)
    const visible: Readonly<Record<string, Value | null>>[] = []
    for (const row of plan.merge.key.length === 0 ? appended : rows.values()) {
      if (visible.length >= limit) break
      if (isVisible(plan.merge, row)) visible.push(rowToObject(plan.schema, row))
    }
    return visible
  }

  async close(): Promise<void> {
    this.#staged = new Map()
    this.#partOpen = false
    this.#unlock()
  }

  #checkFence(): void {
    if (this.#sinkId === undefined || this.#store.ledger.get(this.#sinkId)?.epoch === this.#epoch) return
    throw new TidegateError(`another sink with the id ${this.#sinkId} has taken over`, {
      code: 'WRITER_FENCED',
      connector: 'memory',
    })
  }

  async #writeTable(batch: TableBatch, context: WriteContext): Promise<TableWriteResult> {
    const staged = this.#stageOf(batch.table)
    if (batch.truncate) {
      staged.truncated = true
      staged.rows.clear()
      staged.appended = []
    }
    let written = 0
    let stale = 0
    const rejectedKeys = new Set<FoldKey>()
    for (const wave of batch.waves) {
      const rejected: RejectedChange[] = []
      for (const change of wave) {
        if (rejectedKeys.has(change.key)) {
          rejected.push({ table: batch.table, change, reason: 'an earlier change of the key was rejected' })
          continue
        }
        const { outcome, code, reason } = this.#apply(batch.table, staged, change)
        if (outcome === 'rejected') {
          // what runs over its column is refused by the store, as in any database
          const stored = code === 'ROW_INVALID' ? 'ROW_REJECTED' : code
          rejected.push({ table: batch.table, change, code: stored, reason: reason ?? 'it cannot be applied' })
          rejectedKeys.add(change.key)
        } else if (outcome === 'stale') stale++
        else written++
      }
      if (rejected.length > 0) await context.reject(rejected)
    }
    return { written, stale }
  }

  #apply(table: number, staged: Staged, change: MergeChange): ReturnType<MergeFunction['apply']> {
    const plan = must(this.#tables[table], 'the table is one of the sink')
    const moved = this.#moved(table, staged, change)
    if (moved === undefined) {
      return {
        outcome: 'rejected',
        row: undefined,
        code: 'MOVE_WITHOUT_ROW',
        reason: 'the row it moved from is not there',
      }
    }
    if (moved.op === 'insert') {
      const row = moved.row.map((value) => value ?? null) as Row
      const fault = incompleteness(plan, row)
      if (fault !== undefined) return fault
      staged.appended.push(row)
      const applied = { outcome: 'applied' as const, row }
      this.#store.onApply?.({ plan, change, before: undefined, applied })
      return applied
    }
    const before = this.#stored(table, staged, change.key)
    const applied = must(this.#merges[table], 'each table has rules').apply(before, moved)
    const fault = applied.row === undefined ? undefined : incompleteness(plan, applied.row)
    if (fault !== undefined) return fault
    if (applied.row !== before) staged.rows.set(change.key, applied.row)
    this.#store.onApply?.({ plan, change: moved, before, applied })
    return applied
  }

  /** The change with the columns of the row that it moved from (rule K6). */
  #moved(table: number, staged: Staged, change: MergeChange): MergeChange | undefined {
    if (change.moveFrom === undefined) return change
    const plan = must(this.#tables[table], 'the table is one of the sink')
    // the delete of the old key may be earlier in the batch, so the row is looked up where it was before the flush
    const from =
      tableOf(this.#store, plan.name).rows.get(change.moveFrom.key) ?? this.#stored(table, staged, change.moveFrom.key)
    if (from === undefined || !isVisible(plan.merge, from)) {
      // sent again, a move finds its row under the new key
      const there = this.#stored(table, staged, change.key)
      return there !== undefined && isVisible(plan.merge, there) ? { ...change, moveFrom: undefined } : undefined
    }
    const row = change.row.map((value, at) => (value === undefined && at < plan.merge.declaredCount ? from[at] : value))
    return { ...change, row, moveFrom: undefined }
  }

  #stored(table: number, staged: Staged, key: FoldKey): Row | undefined {
    if (staged.rows.has(key)) return staged.rows.get(key)
    if (staged.truncated) return undefined
    return tableOf(this.#store, must(this.#tables[table], 'the table is one of the sink').name).rows.get(key)
  }

  #stageOf(table: number): Staged {
    let staged = this.#staged.get(table)
    if (staged === undefined) {
      staged = { truncated: false, rows: new Map(), appended: [] }
      this.#staged.set(table, staged)
    }
    return staged
  }

  #commit(batch: WriteBatch): void {
    this.#checkFence()
    for (const [index, staged] of this.#staged) {
      const table = tableOf(this.#store, must(this.#tables[index], 'the table is one of the sink').name)
      if (staged.truncated) {
        table.rows.clear()
        table.appended.length = 0
      }
      for (const [key, row] of staged.rows) {
        if (row === undefined) table.rows.delete(key)
        else table.rows.set(key, row)
      }
      for (const row of staged.appended) table.appended.push(row)
    }
    this.#staged = new Map()
    if (this.#sinkId !== undefined) {
      this.#store.ledger.set(this.#sinkId, { epoch: this.#epoch, positions: batch.positions, batchId: batch.id })
    }
  }
}

/** As the NOT NULL constraint of a database would refuse the row: a patch may find no row, and lack a column. */
function incompleteness(plan: TablePlan, row: Row): ReturnType<MergeFunction['apply']> | undefined {
  if (!isVisible(plan.merge, row)) return undefined
  const column = plan.schema.columns.find(({ nullable }, at) => !nullable && (row[at] ?? null) === null)
  if (column === undefined) return undefined
  const reason = `column ${column.name} is NOT NULL and would have no value`
  return { outcome: 'rejected', row: undefined, code: 'ROW_REJECTED', reason }
}
