import type { Offset } from '../../src/changelog/position.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Applied } from '../../src/merge/merge-function.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'

/** Tables in memory, and the ledger of exactly-once sinks. Hand the same store to several sinks to let them share it. */
export interface MemoryStore {
  /** By table name. */
  readonly tables: Map<string, MemoryTable>
  /** By `sink.id`. */
  readonly ledger: Map<string, LedgerEntry>
  /** Told of each change as it is applied, before the flush commits; for traces. */
  onApply?: ((event: ApplyEvent) => void) | undefined
}

export interface MemoryTable {
  /** Stored rows by key, hidden columns included. */
  readonly rows: Map<FoldKey, Row>
  /** Rows of a table without a primary key. */
  readonly appended: Row[]
}

export interface LedgerEntry {
  epoch: number
  positions: ReadonlyMap<string, Offset>
  batchId: string | undefined
}

export interface ApplyEvent {
  readonly plan: TablePlan
  readonly change: MergeChange
  readonly before: Row | undefined
  readonly applied: Applied
}

export function createMemoryStore(): MemoryStore {
  return { tables: new Map(), ledger: new Map() }
}

export function isMemoryStore(value: unknown): value is MemoryStore {
  return typeof value === 'object' && value !== null && 'tables' in value && 'ledger' in value
}

export function tableOf(store: MemoryStore, name: string): MemoryTable {
  let table = store.tables.get(name)
  if (table === undefined) {
    table = { rows: new Map(), appended: [] }
    store.tables.set(name, table)
  }
  return table
}
