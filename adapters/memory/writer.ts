import { must } from '../../src/assert.ts'
import type { TableBatch, TableWriteResult, WriteBatch } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { RowStage } from '../../src/connector/row-stage.ts'
import { TidegateError } from '../../src/errors.ts'
import { isVisible } from '../../src/merge/stored-row.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { rowToObject } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import { createMemoryStore, isMemoryStore, type MemoryStore, tableOf } from './store.ts'
import { lockStore } from './store-lock.ts'

/** Runs `apply` of the merge function on rows in memory. A flush is staged and becomes visible at once. */
export class MemoryWriter implements SinkWriter {
  readonly server = 'memory'
  readonly positions: SinkWriter['positions']
  readonly #store: MemoryStore
  readonly #tables: readonly TablePlan[]
  readonly #sinkId: string | undefined
  readonly #epoch: number
  #staged = new Map<number, RowStage>()
  /** The first parts of a group are staged, the last one has not come. */
  #partOpen = false
  #unlock = (): void => {}

  constructor({ client, tables, plan }: OpenContext) {
    this.#store = isMemoryStore(client) ? client : createMemoryStore()
    this.#tables = tables
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
    return await this.#stageOf(batch.table).applyBatch(batch, (rejected) => context.reject(rejected))
  }

  #stageOf(table: number): RowStage {
    let stage = this.#staged.get(table)
    if (stage === undefined) {
      const plan = must(this.#tables[table], 'the table is one of the sink')
      stage = new RowStage({
        plan,
        stored: (key) => tableOf(this.#store, plan.name).rows.get(key),
        onApply: (change, before, applied) => this.#store.onApply?.({ plan, change, before, applied }),
      })
      this.#staged.set(table, stage)
    }
    return stage
  }

  #commit(batch: WriteBatch): void {
    this.#checkFence()
    for (const [index, staged] of this.#staged) {
      const table = tableOf(this.#store, must(this.#tables[index], 'the table is one of the sink').name)
      if (staged.isTruncated) {
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
