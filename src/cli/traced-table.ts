import type { MemoryStore } from '../../adapters/memory/store.ts'
import type { Change } from '../changelog/element.ts'
import type { Connector } from '../connector/connector.ts'
import { storeKeyCodec } from '../connector/store-key-codec.ts'
import { createMergeFunction } from '../merge/create-merge-function.ts'
import type { MergeFunction } from '../merge/merge-function.ts'
import { isVisible } from '../merge/stored-row.ts'
import type { TablePlan } from '../plan/plan.ts'
import { toJsonRow } from '../row/json-value.ts'
import type { Row, RowObject } from '../row/row.ts'
import { createRowKeyCodec, type FoldKey } from '../row/row-key.ts'
import { createRowReader, type RowReader } from '../row/row-reader.ts'
import { primaryKeyNames } from '../row/schema.ts'
import { ValueFault } from '../row/value-fault.ts'

/** A table of a simulation: its plan, its rows in the memory store, and its rows as a reader sees them. */
export class TracedTable {
  readonly plan: TablePlan
  readonly merge: MergeFunction
  readonly #store: MemoryStore
  readonly #keyOf: (row: Row) => FoldKey | undefined

  constructor(connector: Connector, plan: TablePlan, store: MemoryStore) {
    this.plan = plan
    this.merge = createMergeFunction(plan.merge)
    this.#store = store
    const { schema } = plan
    const codec = storeKeyCodec(connector.typeMapping, schema)
    this.#keyOf = schema.primaryKey.length === 0 ? () => undefined : (row) => codec.keyOf(row)
  }

  /** The row of a change in canonical values; undefined if they do not fit. */
  read({ row, encoding }: Change): Row | undefined {
    const reader = createRowReader(this.plan.schema, encoding ?? this.plan.source.encoding)
    // a row that cannot be taken still tells, by its key, which row a reader goes on seeing
    return tryRead(reader, row) ?? tryRead(reader, this.#keyMembers(row))
  }

  #keyMembers(row: RowObject): RowObject {
    return Object.fromEntries(
      primaryKeyNames(this.plan.schema).flatMap((name) => (Object.hasOwn(row, name) ? [[name, row[name]]] : [])),
    )
  }

  foldKeyOf(row: Row | undefined): FoldKey | undefined {
    return row && this.#keyOf(row)
  }

  /** The key columns as JSON; raw members where the row does not fit. */
  keyJson(change: Change, row: Row | undefined): Record<string, unknown> {
    const values = this.#keyMembers(row === undefined ? change.row : toJsonRow(this.plan.schema, row))
    return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  }

  /** What a reader of the store sees under the key; null if no row. */
  visibleRow(key: FoldKey | undefined): Record<string, unknown> | null {
    const row = key === undefined ? undefined : this.#store.tables.get(this.plan.name)?.rows.get(key)
    return row !== undefined && this.isVisible(row) ? this.rowJson(row) : null
  }

  isVisible(row: Row): boolean {
    return isVisible(this.plan.merge, row)
  }

  rowJson(row: Row): Record<string, unknown> {
    return toJsonRow(this.plan.schema, row)
  }

  /** Every row that a reader sees, by key. */
  rows(): readonly Row[] {
    const stored = this.#store.tables.get(this.plan.name)
    if (this.plan.merge.key.length === 0) return stored?.appended ?? []
    const rows = [...(stored?.rows.values() ?? [])].filter((row) => this.isVisible(row))
    return rows.sort(createRowKeyCodec(this.plan.schema).compare)
  }
}

function tryRead(reader: RowReader, row: RowObject): Row | undefined {
  try {
    return reader.read(row)
  } catch (error) {
    if (error instanceof ValueFault) return undefined
    throw error
  }
}
