import { must } from '../../src/assert.ts'
import type { Positions } from '../../src/changelog/position.ts'
import type { WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import type { Value } from '../../src/row/value.ts'
import { recogniseClient } from './client.ts'
import { type FlushCare, type FlushOutcome, isRowFault, runFlush } from './flush.ts'
import type { WritableTable } from './flush-steps.ts'
import { Ledger } from './ledger.ts'
import { openTables } from './open-tables.ts'
import { ledgerName, type MysqlOptions } from './options.ts'
import type { Session } from './session.ts'
import { type Lease, openSessions, type Sessions } from './sessions.ts'
import { selectRows } from './statements/locked.ts'
import { sweepStatement } from './statements/sweep.ts'

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`, `STORE_MISMATCH` and what the driver meets when it connects. */
export async function openWriter({ tables: plans, plan, client }: OpenContext): Promise<SinkWriter> {
  const options = must(plans[0], 'a domain has a table').connectorOptions as MysqlOptions
  const sessions = await openSessions(client, options)
  try {
    return await withSession(sessions, async (session) => {
      const tables = await openTables(session, plans)
      const { guarantee, sinkId } = plan.delivery
      const ledger =
        guarantee === 'exactly-once'
          ? await Ledger.open(session, ledgerName(options), must(sinkId, 'exactly-once has a sink.id'))
          : undefined
      // a connection that was handed in does one thing at a time; and what a constraint ties together keeps its order
      const isOrdered = tables.some(({ isReferenced, hasOtherUnique }) => isReferenced || hasOtherUnique)
      const inFlight = isOrdered || recogniseClient(client)?.kind === 'connection' ? 1 : 2
      const { product, version } = session.dialect
      return new MysqlWriter(sessions, tables, `${product} ${version}`, ledger, inFlight)
    })
  } catch (error) {
    await sessions.close()
    throw error
  }
}

export async function withSession<T>(sessions: Sessions, work: (session: Session) => Promise<T>): Promise<T> {
  const lease = await sessions.lease()
  try {
    const result = await work(lease.session)
    lease.release()
    return result
  } catch (error) {
    lease.release(error)
    throw error
  }
}

class MysqlWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane: number
  readonly positions: Positions | undefined
  readonly #sessions: Sessions
  readonly #tables: readonly WritableTable[]
  readonly #ledger: Ledger | undefined
  /** By lane: a transaction that a group larger than the buffer is streamed into (rule B2). */
  readonly #groups = new Map<number, Lease>()

  constructor(
    sessions: Sessions,
    tables: readonly WritableTable[],
    server: string,
    ledger: Ledger | undefined,
    inFlightPerLane: number,
  ) {
    this.#sessions = sessions
    this.#tables = tables
    this.#ledger = ledger
    this.server = server
    this.positions = ledger?.positions
    this.inFlightPerLane = inFlightPerLane
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    context.signal.throwIfAborted()
    const group = this.#groups.get(batch.lane)
    if (group !== undefined || !batch.commit) return await this.#writePart(batch, group, context)
    return await withSession(this.#sessions, (session) =>
      untilAborted(this.#writeFlush(session, batch, context, 'all-at-once'), context.signal),
    )
  }

  async committed(batchId: string): Promise<boolean | undefined> {
    const ledger = this.#ledger
    if (ledger === undefined) return undefined
    return await withSession(this.#sessions, (session) => ledger.committed(session, batchId))
  }

  async sweep(): Promise<void> {
    for (const { plan, target } of this.#tables) {
      const statement = sweepStatement(plan, target)
      if (statement !== undefined) await withSession(this.#sessions, (session) => session.run(statement))
    }
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const { plan, target } = must(this.#tables[table], 'a table of the domain')
    const text = selectRows(plan.merge, target, limit)
    const { rows } = await withSession(this.#sessions, (session) => session.run({ text }))
    const columns = plan.schema.columns.map(({ name, type }) => ({ name, coerce: createCoercion(type) }))
    return rows.map((texts) => {
      const row: Record<string, Value | null> = Object.create(null)
      for (const [at, { name, coerce }] of columns.entries()) {
        const value = texts[at]
        row[name] = value === null || value === undefined ? null : coerce(value)
      }
      return row
    })
  }

  async close(): Promise<void> {
    for (const lane of [...this.#groups.keys()]) await this.#endGroup(lane, undefined)
    await this.#sessions.close()
  }

  /** A row that is refused makes the next attempt look at each step more closely. */
  async #writeFlush(session: Session, batch: WriteBatch, context: WriteContext, care: FlushCare): Promise<WriteResult> {
    await session.begin()
    try {
      await this.#ledger?.record(session, batch)
      const outcome = await runFlush(session, batch, this.#tables, care)
      await handOver(outcome, context)
      await session.commit()
      return outcome.result
    } catch (error) {
      await session.rollback()
      if (care === 'bisect' || !isRowFault(error)) throw error
    }
    return await this.#writeFlush(session, batch, context, 'bisect')
  }

  async #writePart(batch: WriteBatch, open: Lease | undefined, context: WriteContext): Promise<WriteResult> {
    const group = open ?? (await this.#beginGroup(batch.lane))
    try {
      await this.#ledger?.record(group.session, batch)
      const outcome = await this.#runPart(group.session, batch)
      await handOver(outcome, context)
      if (batch.commit) {
        await group.session.commit()
        this.#groups.delete(batch.lane)
        group.release()
      }
      return outcome.result
    } catch (error) {
      await this.#endGroup(batch.lane, error)
      throw error
    }
  }

  /** A refused row must not cost the parts that came before. */
  async #runPart(session: Session, batch: WriteBatch): Promise<FlushOutcome> {
    await session.control('SAVEPOINT tidegate_part')
    try {
      return await runFlush(session, batch, this.#tables, 'all-at-once')
    } catch (error) {
      if (!isRowFault(error)) throw error
      await session.control('ROLLBACK TO SAVEPOINT tidegate_part')
      return await runFlush(session, batch, this.#tables, 'bisect')
    }
  }

  async #beginGroup(lane: number): Promise<Lease> {
    const lease = await this.#sessions.lease()
    try {
      await lease.session.begin()
      this.#groups.set(lane, lease)
      return lease
    } catch (error) {
      lease.release(error)
      throw error
    }
  }

  async #endGroup(lane: number, error: unknown): Promise<void> {
    const group = this.#groups.get(lane)
    this.#groups.delete(lane)
    if (group === undefined) return
    await group.session.rollback()
    group.release(error)
  }
}

async function handOver({ rejected }: FlushOutcome, context: WriteContext): Promise<void> {
  if (rejected.length > 0) await context.reject(rejected)
}
