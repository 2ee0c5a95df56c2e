import { randomUUID } from 'node:crypto'
import { must } from '../../src/assert.ts'
import type { Offset, Positions } from '../../src/changelog/position.ts'
import type { WriteBatch } from '../../src/connector/batch.ts'
import { TidegateError } from '../../src/errors.ts'
import { type QualifiedName, quoteQualified } from './identifier.ts'
import type { Session, Transaction } from './session.ts'
import { createLedger, recordPositions, settleDoubt, takeOver } from './statements/ledger.ts'

/** The positions of one exactly-once sink, kept in the database that its rows are in (rule R5). */
export class Ledger {
  /** Where the source is to go on. */
  readonly positions: Positions
  readonly #name: QualifiedName
  readonly #sinkId: string
  readonly #writer: string
  #epoch: string

  private constructor(name: QualifiedName, sinkId: string, writer: string, epoch: string, positions: Positions) {
    this.#name = name
    this.#sinkId = sinkId
    this.#writer = writer
    this.#epoch = epoch
    this.positions = positions
  }

  /** Makes the table if it is missing, and shuts out an older writer of the same sink. */
  static async open(session: Session, name: QualifiedName, sinkId: string): Promise<Ledger> {
    const writer = randomUUID()
    await createIfMissing(session, name)
    const [row] = await session.run([{ text: takeOver(name), values: [sinkId, writer] }])
    const [epoch, positions] = must(row?.rows[0], 'the statement gives a row')
    return new Ledger(name, sinkId, writer, String(epoch), parsePositions(String(positions)))
  }

  /** First statement of a flush. Throws `WRITER_FENCED` if another writer has taken over. */
  async record(transaction: Transaction, batch: WriteBatch): Promise<void> {
    const positions = JSON.stringify(Object.fromEntries(batch.positions))
    const values = [this.#sinkId, this.#epoch, positions, batch.id]
    const { count } = await transaction.query({ text: recordPositions(this.#name), values })
    if (count === 0) throw fenced(this.#sinkId)
  }

  /** Whether the batch has been committed; what is still under way of it can't be any more. */
  async committed(session: Session, batchId: string): Promise<boolean> {
    const [answer] = await session.run([{ text: settleDoubt(this.#name), values: [this.#sinkId, this.#writer] }])
    const row = answer?.rows[0]
    if (row === undefined) throw fenced(this.#sinkId)
    this.#epoch = String(row[0])
    return row[1] === batchId
  }
}

/** IF NOT EXISTS asks for the right to create even where nothing is to be created, and two at once still collide. */
async function createIfMissing(session: Session, name: QualifiedName): Promise<void> {
  const lookUp = { text: 'SELECT to_regclass($1) IS NULL AS missing', values: [quoteQualified(name)] }
  const [found] = await session.run([lookUp])
  if (found?.rows[0]?.[0] === false) return
  try {
    await session.run([{ text: createLedger(name) }])
  } catch (error) {
    const [again] = await session.run([lookUp])
    if (again?.rows[0]?.[0] !== false) throw error
  }
}

function parsePositions(json: string): Positions {
  return new Map(Object.entries(JSON.parse(json) as Record<string, Offset>))
}

function fenced(sinkId: string): TidegateError {
  return new TidegateError(`another writer has taken over the sink '${sinkId}'`, {
    code: 'WRITER_FENCED',
    connector: 'postgres',
    hint: "let one process write a 'sink.id', or give each its own",
  })
}
