import { randomUUID } from 'node:crypto'
import type { Offset, Positions } from '../../src/changelog/position.ts'
import type { WriteBatch } from '../../src/connector/batch.ts'
import { TidegateError } from '../../src/errors.ts'
import { callScript } from './call-script.ts'
import { encodePart } from './key-template.ts'
import type { Link } from './link.ts'
import { ledgerScript } from './script.ts'

/** What the script compares before it writes the rows, and writes behind them. */
export interface LedgerEntry {
  readonly key: string
  readonly writer: string
  readonly epoch: string
  readonly batch: string
  /** Fields of the ledger and their values, one after the other. */
  readonly positions: readonly string[]
}

/** The positions of one exactly-once sink: a hash beside its rows (rule R5). */
export class Ledger {
  /** Where the source is to go on. */
  readonly positions: Positions
  readonly #key: string
  readonly #sinkId: string
  readonly #writer: string
  #epoch: string

  private constructor(key: string, sinkId: string, writer: string, fields: ReadonlyMap<string, string>) {
    this.#key = key
    this.#sinkId = sinkId
    this.#writer = writer
    this.#epoch = fields.get('epoch') ?? ''
    this.positions = positionsOf(fields)
  }

  /** Shuts out an older writer of the same sink. */
  static async open(link: Pick<Link, 'send'>, key: string, sinkId: string): Promise<Ledger> {
    const writer = randomUUID()
    return new Ledger(key, sinkId, writer, fieldsOf(await callScript(link, ledgerScript, [key], ['take', writer])))
  }

  entryOf({ id, positions }: WriteBatch): LedgerEntry {
    const fields = [...positions].flatMap(([partition, offset]) => [positionField + partition, JSON.stringify(offset)])
    return { key: this.#key, writer: this.#writer, epoch: this.#epoch, batch: id, positions: fields }
  }

  /** Whether the batch is in; a call of it that is still under way is refused when it comes. */
  async committed(link: Pick<Link, 'send'>, batchId: string): Promise<boolean> {
    const fields = fieldsOf(await callScript(link, ledgerScript, [this.#key], ['ask', this.#writer]))
    const epoch = fields.get('epoch')
    if (epoch === undefined) throw this.fenced()
    this.#epoch = epoch
    return fields.get('batch') === batchId
  }

  fenced(): TidegateError {
    return new TidegateError(`another writer has taken over the sink '${this.#sinkId}'`, {
      code: 'WRITER_FENCED',
      connector: 'redis',
      hint: "let one process write a 'sink.id', or give each its own",
    })
  }
}

/** `<ledger-key>:<sink.id>` */
export function ledgerKey(prefix: string, sinkId: string): string {
  return `${prefix}:${encodePart(sinkId)}`
}

const positionField = 'position:'

function fieldsOf(reply: unknown): ReadonlyMap<string, string> {
  const list = reply as readonly unknown[]
  const fields = new Map<string, string>()
  for (let index = 0; index < list.length; index += 2) fields.set(String(list[index]), String(list[index + 1]))
  return fields
}

function positionsOf(fields: ReadonlyMap<string, string>): Positions {
  const positions = new Map<string, Offset>()
  for (const [name, value] of fields) {
    if (name.startsWith(positionField)) positions.set(name.slice(positionField.length), JSON.parse(value) as Offset)
  }
  return positions
}
