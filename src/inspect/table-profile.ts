import type { Change } from '../changelog/element.ts'
import type { RowObject } from '../row/row.ts'
import type { Schema } from '../row/schema.ts'
import type { KeySource, TableReport } from './inspect-report.ts'
import { isKeyOnly, KeyHistories } from './key-histories.ts'
import { createRowView, type RowView } from './row-view.ts'
import { SequenceCheck } from './sequence-check.ts'

export interface TableProfileOptions {
  /** Null where records do not name the table. */
  readonly name: string | null
  readonly schema?: Schema | undefined
  /** Without it nothing is known of rows, only of changes. */
  readonly key?: readonly string[] | undefined
  readonly keySource?: KeySource | undefined
  readonly sequence?: readonly string[] | undefined
}

/** What the changes of one table hold. */
export class TableProfile {
  readonly options: TableProfileOptions
  readonly histories: KeyHistories | undefined
  readonly view: RowView
  readonly #sequence: SequenceCheck | undefined
  readonly #columns = new Map<string, { present: number; nulls: number }>()
  readonly #undeclared = new Map<string, number>()
  #changes = 0

  constructor(options: TableProfileOptions) {
    const { schema, key, keySource = 'option', sequence } = options
    this.options = options
    this.view = createRowView(schema)
    this.histories = key && new KeyHistories(key, keySource)
    this.#sequence = key && sequence && new SequenceCheck(sequence, key)
  }

  add(change: Change, isRepeated: boolean): void {
    this.#changes++
    for (const [name, value] of Object.entries(change.row)) this.#countColumn(name, value)
    const row = this.view(change)
    this.histories?.add(change, row, isRepeated)
    this.#sequence?.add(change.kind, row, change.record)
  }

  /** How much of its row the change carries, measured by the schema, else by the columns that have come so far. */
  imageOf({ kind, row, image }: Change): 'full' | 'partial' | 'key' {
    const { schema, key } = this.options
    if (image === 'key') return 'key'
    if (
      key !== undefined &&
      (kind === '-D' ? isKeyOnly(key, row) : Object.keys(row).every((name) => key.includes(name)))
    ) {
      return this.#columns.size > key.length ? 'key' : 'full'
    }
    const names = schema === undefined ? [...this.#columns.keys()] : schema.columns.map(({ name }) => name)
    return names.every((name) => isPresent(row, name)) ? 'full' : 'partial'
  }

  report(): TableReport {
    const { name, schema } = this.options
    return {
      name,
      changes: this.#changes,
      columns: [...this.#columns].map(([column, counts]) => ({ name: column, ...counts })),
      undeclared: schema === undefined ? null : Object.fromEntries(this.#undeclared),
      neverSent:
        schema === undefined
          ? null
          : schema.columns.filter((column) => !this.#columns.has(column.name)).map((column) => column.name),
      keyed: this.histories?.report() ?? null,
      sequence: this.#sequence?.report() ?? null,
    }
  }

  #countColumn(name: string, value: unknown): void {
    if (value === undefined) return
    const { schema } = this.options
    if (schema !== undefined && !schema.positions.has(name)) {
      this.#undeclared.set(name, (this.#undeclared.get(name) ?? 0) + 1)
      return
    }
    const counts = this.#columns.get(name) ?? { present: 0, nulls: 0 }
    counts.present++
    if (value === null) counts.nulls++
    this.#columns.set(name, counts)
  }
}

function isPresent(row: RowObject, name: string): boolean {
  return Object.hasOwn(row, name) && row[name] !== undefined
}
