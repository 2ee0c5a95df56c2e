import type { LiftInput } from '../merge/merge-function.ts'
import type { Row } from '../row/row.ts'
import { type FoldKey, keyText } from '../row/row-key.ts'
import { isAdd } from '../row/row-kind.ts'
import type { Schema } from '../row/schema.ts'
import type { Value } from '../row/value.ts'
import type { Intake } from './intake.ts'

/**
 * `sink.upsert-key` = `none`: a delete takes the row that it names whole, whatever else has come for its key, and whichever
 * of the two came first (rule O2). The row of a key is then the newest that was not taken back. For streams whose changes
 * of one key come in another order than they were made in: out of several partitions, or out of a join.
 *
 * Keeps every row that is not taken back, in memory, and knows only what it has seen: a run must read its input from the
 * start. Flink's materializer drops a delete that comes before its row; here it waits for it.
 */
export class WholeRows {
  readonly #schema: Schema
  readonly #keys = new Map<FoldKey, RowsOfKey>()

  constructor(schema: Schema) {
    this.#schema = schema
  }

  /** What the change does to the row that its key shows. */
  take(input: LiftInput, byteCount: number): Intake {
    if (input.image !== 'full') {
      const reason = `rows are matched whole ('sink.upsert-key' = 'none'), and this ${input.kind} lacks columns`
      return { outcome: 'rejected', code: 'ROW_INVALID', reason }
    }
    const rows = this.#keys.get(input.key) ?? { present: [], awaited: new Map() }
    this.#keys.set(input.key, rows)
    const text = this.#textOf(input.row)
    const shown = isAdd(input.kind) ? add(rows, text, input) : remove(rows, text, input)
    if (rows.present.length === 0 && rows.awaited.size === 0) this.#keys.delete(input.key)
    return typeof shown === 'string'
      ? { outcome: 'ignored', reason: shown }
      : { outcome: 'record', input: shown, byteCount }
  }

  /** The source emptied the table. */
  clear(): void {
    this.#keys.clear()
  }

  #textOf(row: Row): string {
    let text = ''
    for (const [at, { type }] of this.#schema.columns.entries()) {
      const value = row[at]
      const member = value === null || value === undefined ? '~' : keyText(type, value as Value)
      text += value === null || value === undefined ? member : `${member.length}:${member}`
    }
    return text
  }
}

interface RowsOfKey {
  /** In the order in which they came; the last one is shown. */
  readonly present: { readonly text: string; readonly row: Row }[]
  /** Rows whose deletes came first, with how often. */
  readonly awaited: Map<string, number>
}

/** The change to write, or why there is none. */
type Shown = LiftInput | string

function add({ present, awaited }: RowsOfKey, text: string, input: LiftInput): Shown {
  const count = awaited.get(text)
  if (count === undefined) {
    present.push({ text, row: input.row })
    return input
  }
  if (count === 1) awaited.delete(text)
  else awaited.set(text, count - 1)
  return 'its delete came before it'
}

function remove({ present, awaited }: RowsOfKey, text: string, input: LiftInput): Shown {
  const at = present.findLastIndex((one) => one.text === text)
  if (at < 0) {
    awaited.set(text, (awaited.get(text) ?? 0) + 1)
    return 'the row that it names has not come yet'
  }
  const wasShown = at === present.length - 1
  present.splice(at, 1)
  if (!wasShown) return 'the key shows a newer row'
  const previous = present.at(-1)
  return previous === undefined ? input : { ...input, kind: '+U', row: previous.row }
}
