import { setTimeout as delay } from 'node:timers/promises'
import { must } from '../../src/assert.ts'
import type { Positions } from '../../src/changelog/position.ts'
import type { WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { TidegateError } from '../../src/errors.ts'
import type { Value } from '../../src/row/value.ts'
import { toFailure } from './failures.ts'
import {
  type FlushCare,
  type FlushOutcome,
  type FlushTables,
  isRowFault,
  prepareDirect,
  runDirect,
  runInTransaction,
} from './flush.ts'
import { Ledger } from './ledger.ts'
import { openTables } from './open-tables.ts'
import { ledgerName, type PostgresOptions } from './options.ts'
import { readRows } from './read-rows.ts'
import type { Session, Transaction } from './session.ts'
import { type Lease, openSessions, type Sessions } from './sessions.ts'
import { sweepStatement } from './statements/sweep.ts'

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`, `STORE_MISMATCH` and what the driver meets when it connects. */
export async function openWriter(context: OpenContext): Promise<SinkWriter> {
  const options = must(context.tables[0], 'a domain has a table').connectorOptions as PostgresOptions
  const sessions = await openSessions(context.client, options)
  try {
    const opening = withSession(sessions, 0, async (session) => await openOn(session, sessions, context, options))
    return await withinTimeout(opening, context.client, options['connect-timeout'])
  } catch (error) {
    await sessions.close()
    throw error
  }
}

async function openOn(
  session: Session,
  sessions: Sessions,
  { tables: plans, plan }: OpenContext,
  options: PostgresOptions,
): Promise<SinkWriter> {
  const { tables, server } = await openTables(session, plans, options)
  const { guarantee, sinkId } = plan.delivery
  const ledger =
    guarantee === 'exactly-once'
      ? await Ledger.open(session, ledgerName(options), must(sinkId, 'exactly-once has a sink.id'))
      : undefined
  return new PostgresWriter(sessions, tables, server, ledger)
}

/** A client that was never connected keeps what it is asked in a queue, for ever. */
async function withinTimeout<T>(opening: Promise<T>, given: unknown, timeoutMs: number): Promise<T> {
  if (given === undefined || given === null || timeoutMs === 0) return await opening
  const timer = new AbortController()
  const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
    throw new TidegateError(`the client that was handed in has not answered within ${timeoutMs} ms`, {
      code: 'STORE_UNAVAILABLE',
      connector: 'postgres',
      hint: 'connect it first, and let nothing else hold it; or raise connect-timeout',
    })
  })
  opening.catch(() => undefined)
  try {
    return await Promise.race([opening, late])
  } finally {
    timer.abort()
    late.catch(() => undefined)
  }
}

async function withSession<T>(sessions: Sessions, lane: number, work: (session: Session) => Promise<T>): Promise<T> {
  const lease = await sessions.lease(lane)
  try {
    const result = await work(lease.session)
    lease.release()
    return result
  } catch (error) {
    lease.release(error)
    throw error
  }
}

/** A transaction that a group larger than the buffer is streamed into (rule B2). */
interface OpenGroup {
  readonly lease: Lease
  readonly transaction: Transaction
}

class PostgresWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane: number
  readonly positions: Positions | undefined
  readonly #sessions: Sessions
  readonly #tables: FlushTables
  readonly #ledger: Ledger | undefined
  readonly #groups = new Map<number, OpenGroup>()

  constructor(sessions: Sessions, tables: FlushTables, server: string, ledger: Ledger | undefined) {
    this.#sessions = sessions
    this.#tables = tables
    this.#ledger = ledger
    this.server = server
    this.positions = ledger?.positions
    this.inFlightPerLane = sessions.pipelines ? 2 : 1
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    context.signal.throwIfAborted()
    const group = this.#groups.get(batch.lane)
    if (group !== undefined || !batch.commit) return await this.#writePart(batch, group, context)
    return await withSession(this.#sessions, batch.lane, (session) =>
      untilAborted(this.#writeFlush(session, batch, context), context.signal),
    )
  }

  async committed(batchId: string): Promise<boolean | undefined> {
    const ledger = this.#ledger
    if (ledger === undefined) return undefined
    return await withSession(this.#sessions, 0, (session) => ledger.committed(session, batchId))
  }

  async sweep(): Promise<void> {
    for (const { plan, target } of this.#tables.tables) {
      const statement = sweepStatement(plan, target)
      if (statement !== undefined) await withSession(this.#sessions, 0, (session) => session.run([statement]))
    }
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const { plan, target } = must(this.#tables.tables[table], 'a table of the domain')
    return await withSession(this.#sessions, 0, (session) => readRows(session, plan, target, limit))
  }

  async close(): Promise<void> {
    for (const lane of [...this.#groups.keys()]) await this.#endGroup(lane, undefined)
    await this.#sessions.close()
  }

  async #writeFlush(session: Session, batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const direct = this.#ledger === undefined ? prepareDirect(batch, this.#tables) : undefined
    if (direct === undefined) return await this.#writeCarefully(session, batch, context, 'all-at-once')
    try {
      return await runDirect(session, direct)
    } catch (error) {
      if (!isRowFault(error) && !lostStatement(error)) throw error
    }
    return await this.#writeCarefully(session, batch, context, 'bisect')
  }

  /** Each failure that is a row's makes the next attempt look closer. */
  async #writeCarefully(
    session: Session,
    batch: WriteBatch,
    context: WriteContext,
    care: FlushCare,
  ): Promise<WriteResult> {
    const transaction = await session.begin()
    try {
      await this.#ledger?.record(transaction, batch)
      const outcome = await runInTransaction(transaction, batch, this.#tables, care)
      await handOver(outcome, context)
      await transaction.commit()
      return outcome.result
    } catch (error) {
      await transaction.rollback()
      const closer = closerLook(care)
      if (closer === undefined || !isRowFault(error)) throw error
      return await this.#writeCarefully(session, batch, context, closer)
    }
  }

  async #writePart(batch: WriteBatch, open: OpenGroup | undefined, context: WriteContext): Promise<WriteResult> {
    const group = open ?? (await this.#beginGroup(batch.lane))
    try {
      await this.#ledger?.record(group.transaction, batch)
      const outcome = await this.#runPart(group.transaction, batch)
      await handOver(outcome, context)
      if (batch.commit) {
        await group.transaction.commit()
        this.#groups.delete(batch.lane)
        group.lease.release()
      }
      return outcome.result
    } catch (error) {
      await this.#endGroup(batch.lane, error)
      throw error
    }
  }

  /** A refused row must not cost the parts that came before. */
  async #runPart(transaction: Transaction, batch: WriteBatch): Promise<FlushOutcome> {
    for (let care: FlushCare = 'all-at-once'; ; ) {
      await transaction.query({ text: 'SAVEPOINT tidegate_part' })
      try {
        const outcome = await runInTransaction(transaction, batch, this.#tables, care)
        await transaction.query({ text: 'RELEASE SAVEPOINT tidegate_part' })
        return outcome
      } catch (error) {
        const closer = closerLook(care)
        if (closer === undefined || !isRowFault(error)) throw error
        await transaction.query({ text: 'ROLLBACK TO SAVEPOINT tidegate_part' })
        care = closer
      }
    }
  }

  async #beginGroup(lane: number): Promise<OpenGroup> {
    const lease = await this.#sessions.lease(lane)
    try {
      const group = { lease, transaction: await lease.session.begin() }
      this.#groups.set(lane, group)
      return group
    } catch (error) {
      lease.release(error)
      throw error
    }
  }

  async #endGroup(lane: number, error: unknown): Promise<void> {
    const group = this.#groups.get(lane)
    this.#groups.delete(lane)
    if (group === undefined) return
    await group.transaction.rollback()
    group.lease.release(error)
  }
}

async function handOver({ rejected }: FlushOutcome, context: WriteContext): Promise<void> {
  if (rejected.length > 0) await context.reject(rejected)
}

function closerLook(care: FlushCare): FlushCare | undefined {
  switch (care) {
    case 'all-at-once':
      return 'bisect'
    case 'bisect':
      return 'bisect-checking-constraints'
    case 'bisect-checking-constraints':
      return undefined
  }
}

/** A statement that was being prepared when its transaction failed is not there for those sent behind it. */
function lostStatement(error: unknown): boolean {
  return toFailure(error).sqlState === '26000'
}
