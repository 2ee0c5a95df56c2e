import { modeContains } from '../changelog/changelog-mode.ts'
import type { Change } from '../changelog/element.ts'
import type { ErrorCode } from '../errors.ts'
import type { TablePlan } from '../plan/plan.ts'
import { formatDataType } from '../row/data-type.ts'
import { enforceLength } from '../row/enforce-length.ts'
import type { Row } from '../row/row.ts'
import type { RowKeyCodec } from '../row/row-key.ts'
import { isAdd, parseRowKind, type RowKind, rowKinds } from '../row/row-kind.ts'
import { createRowReader, imageOf, type RowReader } from '../row/row-reader.ts'
import { valueSize } from '../row/value.ts'
import type { ValueEncoding } from '../row/value-encoding.ts'
import { ValueFault } from '../row/value-fault.ts'
import type { Intake } from './intake.ts'
import { WholeRows } from './whole-rows.ts'

/** Reads, checks and completes the changes of one table, before anything is buffered. */
export class TableIntake {
  /** Members of rows that the table does not declare, with how often they came. */
  readonly undeclared = new Map<string, number>()
  readonly #plan: TablePlan
  readonly #keys: RowKeyCodec
  readonly #readers = new Map<ValueEncoding | undefined, RowReader>()
  readonly #limited: readonly number[]
  readonly #required: readonly number[]
  readonly #encoding: ValueEncoding | undefined
  readonly #wholeRows: WholeRows | undefined
  #arrivals = 0

  constructor(plan: TablePlan, keys: RowKeyCodec) {
    this.#plan = plan
    this.#keys = keys
    const { columns } = plan.schema
    this.#limited =
      plan.typeLengthEnforcer === 'ignore' ? [] : columns.flatMap(({ type }, at) => ('length' in type ? [at] : []))
    this.#required = columns.flatMap(({ nullable }, at) => (nullable ? [] : [at]))
    this.#encoding = plan.source.encoding
    this.#wholeRows = plan.matchesWholeRows ? new WholeRows(plan.schema) : undefined
  }

  take(change: Change): Intake {
    const plan = this.#plan
    let row: Row
    try {
      row = this.#read(change)
    } catch (error) {
      if (error instanceof ValueFault) return rejected('ROW_INVALID', error.reason)
      throw error
    }
    const kind = this.#kindOf(change, row)
    if (kind === undefined) return rejected('ROW_INVALID', this.#noKind)
    // what names the kind of an update-before is no part of the version that it takes back
    if (kind === '-U' && plan.rowKindColumn !== undefined && plan.merge.batchShape === undefined) {
      row[plan.rowKindColumn] = undefined
    }
    const dropped = this.#ignores(kind)
    if (dropped !== undefined) return { outcome: 'ignored', reason: dropped }
    const refusal = this.#kindFault(kind)
    if (refusal !== undefined) return rejected('KIND_UNSUPPORTED', refusal)
    if (isAdd(kind)) {
      const missing = this.#nullFault(row)
      if (missing !== undefined) {
        if (plan.notNullEnforcer === 'drop') return { outcome: 'ignored', reason: missing }
        return rejected('ROW_INVALID', missing)
      }
    }
    const key = plan.schema.primaryKey.length === 0 ? undefined : this.#keys.keyOf(row)
    if (key === undefined && plan.schema.primaryKey.length > 0) return rejected('KEY_MISSING', this.#keyFault(row))
    if (key === undefined || plan.merge.batchShape === 'log') {
      return { outcome: 'record', input: { kind, row, key: ++this.#arrivals, image: 'full' }, byteCount: rowSize(row) }
    }
    const input = { kind, row, key, image: change.image === 'key' ? 'key' : imageOf(plan.schema, row, kind) }
    return this.#wholeRows?.take(input, rowSize(row)) ?? { outcome: 'record', input, byteCount: rowSize(row) }
  }

  /** The source emptied the table. */
  truncate(): void {
    this.#wholeRows?.clear()
  }

  #read(change: Change): Row {
    const encoding = change.encoding ?? this.#encoding
    let reader = this.#readers.get(encoding)
    if (reader === undefined) {
      reader = createRowReader(this.#plan.schema, encoding)
      this.#readers.set(encoding, reader)
    }
    const row = reader.read(change.row, this.#note)
    const { columns } = this.#plan.schema
    for (const at of this.#limited) {
      const value = row[at]
      if (value === undefined || value === null) continue
      const column = columns[at]
      if (column === undefined) continue
      try {
        row[at] = enforceLength(column.type, value, this.#plan.typeLengthEnforcer)
      } catch (error) {
        if (!(error instanceof ValueFault)) throw error
        throw new ValueFault(
          `column ${column.name} ${formatDataType(column.type)}: ${error.reason} (sink.type-length-enforcer = trim_pad would cut it)`,
        )
      }
    }
    return row
  }

  readonly #note = (name: string): void => {
    this.undeclared.set(name, (this.undeclared.get(name) ?? 0) + 1)
  }

  #kindOf(change: Change, row: Row): RowKind | undefined {
    const { rowKindColumn } = this.#plan
    return parseRowKind(rowKindColumn === undefined ? change.kind : row[rowKindColumn])
  }

  get #noKind(): string {
    const { rowKindColumn, schema } = this.#plan
    const place = rowKindColumn === undefined ? 'kind' : `column ${schema.columns[rowKindColumn]?.name} (rowkind.field)`
    return `${place} is no row kind: ${rowKinds.join(', ')}`
  }

  #ignores(kind: RowKind): string | undefined {
    const { ignoreDelete, updateBefore, merge } = this.#plan
    if (kind === '-D' && ignoreDelete !== 'none') return 'deletes are ignored'
    if (kind === '-U' && merge.batchShape === 'log' && updateBefore === 'drop') return 'update-befores are dropped'
    if (kind === '-U' && ignoreDelete === 'retracts') return 'ignore-delete drops update-befores too'
    return undefined
  }

  #kindFault(kind: RowKind): string | undefined {
    const { capabilities, schema, source, merge } = this.#plan
    if (!modeContains(source.mode, kind)) {
      return `the source was declared ${source.mode}, and a ${kind} came; set 'source.changelog-mode'`
    }
    if (kind === '+I' || merge.batchShape === 'log') return undefined
    if (schema.primaryKey.length === 0) {
      return `a ${kind} needs a primary key to find its row by: declare PRIMARY KEY (…) NOT ENFORCED (K4)`
    }
    if (capabilities.changelog === 'insert-only') {
      return `this connector takes only inserts, and a ${kind} came (K3)`
    }
    return undefined
  }

  #nullFault(row: Row): string | undefined {
    for (const at of this.#required) {
      if (row[at] === null && !this.#plan.schema.primaryKey.includes(at)) {
        const name = this.#plan.schema.columns[at]?.name
        return `column ${name} is NOT NULL and holds null ('sink.not-null-enforcer' = 'drop' would drop such rows)`
      }
    }
    return undefined
  }

  #keyFault(row: Row): string {
    const { schema } = this.#plan
    const missing = schema.primaryKey.filter((at) => row[at] === undefined || row[at] === null)
    const names = missing.map((at) => `${schema.columns[at]?.name} (${row[at] === null ? 'null' : 'absent'})`)
    return `the primary key is not complete: ${names.join(', ')}`
  }
}

function rejected(code: ErrorCode, reason: string): Intake {
  return { outcome: 'rejected', code, reason }
}

function rowSize(row: Row): number {
  let size = 16
  for (let at = 0; at < row.length; at++) size += valueSize(row[at])
  return size
}
