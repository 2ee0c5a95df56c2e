import { randomUUID } from 'node:crypto'
import type { Offset, Positions } from '../../src/changelog/position.ts'
import type { WriteBatch } from '../../src/connector/batch.ts'
import { TidegateError } from '../../src/errors.ts'
import type { QualifiedName } from './identifier.ts'
import type { Session } from './session.ts'
import { createLedger, lockEntry, nextEpoch, recordPositions, takeOver } from './statements/ledger.ts'

interface Entry {
  readonly epoch: string
  readonly writer: string
  readonly positions: Positions
  readonly batchId: string | undefined
}

/** The positions of one exactly-once sink, kept in the database that its rows are in (rule R5). */
export class Ledger {
  /** Where the source is to go on. */
  readonly positions: Positions
  readonly #name: QualifiedName
  readonly #sinkId: string
  readonly #writer: string
  #epoch: string

  private constructor(name: QualifiedName, sinkId: string, writer: string, { epoch, positions }: Entry) {
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
    const entry = await session.transaction(async () => {
      await session.run({ text: takeOver(name), values: [sinkId, writer] })
      return await entryOf(session, name, sinkId)
    })
    if (entry?.writer !== writer) throw fenced(sinkId)
    return new Ledger(name, sinkId, writer, entry)
  }

  /** First statements of a flush. Throws `WRITER_FENCED` if another writer has taken over. */
  async record(session: Session, batch: WriteBatch): Promise<void> {
    const entry = await entryOf(session, this.#name, this.#sinkId)
    if (entry?.epoch !== this.#epoch || entry.writer !== this.#writer) throw fenced(this.#sinkId)
    const positions = JSON.stringify(Object.fromEntries([...entry.positions, ...batch.positions]))
    await session.run({ text: recordPositions(this.#name), values: [positions, batch.id, this.#sinkId] })
  }

  /** Whether the batch has been committed; what is still under way of it can't be any more. */
  async committed(session: Session, batchId: string): Promise<boolean> {
    return await session.transaction(async () => {
      const entry = await entryOf(session, this.#name, this.#sinkId)
      if (entry?.writer !== this.#writer) throw fenced(this.#sinkId)
      await session.run({ text: nextEpoch(this.#name), values: [this.#sinkId] })
      this.#epoch = String(BigInt(entry.epoch) + 1n)
      return entry.batchId === batchId
    })
  }
}

async function entryOf(session: Session, name: QualifiedName, sinkId: string): Promise<Entry | undefined> {
  const { rows } = await session.run({ text: lockEntry(name), values: [sinkId] })
  const [row] = rows
  if (row === undefined) return undefined
  const [epoch, writer, positions, batchId] = row
  return {
    epoch: String(epoch),
    writer: String(writer),
    positions: new Map(Object.entries(JSON.parse(String(positions)) as Record<string, Offset>)),
    batchId: batchId === null || batchId === undefined ? undefined : String(batchId),
  }
}

/** IF NOT EXISTS asks for the right to create even where nothing is to be created. */
async function createIfMissing(session: Session, name: QualifiedName): Promise<void> {
  try {
    await session.run({ text: lockEntry(name), values: [''] })
  } catch {
    await session.run({ text: createLedger(name) })
  }
}

function fenced(sinkId: string): TidegateError {
  return new TidegateError(`another writer has taken over the sink '${sinkId}'`, {
    code: 'WRITER_FENCED',
    connector: 'mysql',
    hint: "let one process write a 'sink.id', or give each its own",
  })
}
