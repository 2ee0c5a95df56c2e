import { must } from '../../src/assert.ts'
import type { Positions } from '../../src/changelog/position.ts'
import type { RejectedChange, WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import { bisect } from '../../src/connector/bisect.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Value } from '../../src/row/value.ts'
import { type ChangeFault, encodeChanges } from './encode-changes.ts'
import { toFailure } from './failures.ts'
import { quoteQualified } from './identifier.ts'
import type { PostgresOptions } from './options.ts'
import { readRows } from './read-rows.ts'
import type { Session, Statement, Transaction } from './session.ts'
import { openSessions, type Sessions } from './sessions.ts'
import { createTable } from './statements/create-table.ts'
import type { StagedStatement } from './statements/staged.ts'
import { type TableStatements, tableStatements } from './statements/table-statements.ts'
import { plannedTarget, type Target } from './target.ts'

export async function openWriter(context: OpenContext): Promise<SinkWriter> {
  const first = must(context.tables[0], 'a domain has a table')
  const options = first.connectorOptions as PostgresOptions
  const sessions = await openSessions(context.client, options)
  try {
    const lease = await sessions.lease(0)
    const [version] = await lease.session.run([{ text: 'SHOW server_version' }])
    const missing = context.tables.filter((plan) => plan.createTable)
    if (missing.length > 0) await lease.session.run(missing.flatMap(createTable).map((text) => ({ text })))
    lease.release()
    const tables = context.tables.map((plan) => tableOf(plan, plannedTarget(plan), options))
    return new PostgresWriter(sessions, tables, `PostgreSQL ${String(version?.rows[0]?.[0])}`)
  } catch (error) {
    await sessions.close()
    throw error
  }
}

interface Table {
  readonly plan: TablePlan
  readonly target: Target
  readonly statements: TableStatements
  readonly prepared: boolean
}

function tableOf(plan: TablePlan, target: Target, options: PostgresOptions): Table {
  return {
    plan,
    target,
    statements: tableStatements(plan.merge, target),
    prepared: options['prepared-statements'],
  }
}

/** Changes of one wave that go out in one statement. */
interface Step {
  readonly at: number
  readonly table: Table
  readonly statement: StagedStatement
  readonly changes: readonly MergeChange[]
}

class PostgresWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane: number
  readonly positions: Positions | undefined = undefined
  readonly #sessions: Sessions
  readonly #tables: readonly Table[]

  constructor(sessions: Sessions, tables: readonly Table[], server: string) {
    this.#sessions = sessions
    this.#tables = tables
    this.server = server
    this.inFlightPerLane = sessions.pipelines ? 2 : 1
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const lease = await this.#sessions.lease(batch.lane)
    try {
      const result = await this.#writeBatch(lease.session, batch, context)
      lease.release()
      return result
    } catch (error) {
      lease.release(error)
      throw error
    }
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const { plan, target } = must(this.#tables[table], 'a table of the domain')
    const lease = await this.#sessions.lease(0)
    try {
      return await readRows(lease.session, plan, target, limit)
    } finally {
      lease.release()
    }
  }

  async close(): Promise<void> {
    await this.#sessions.close()
  }

  async #writeBatch(session: Session, batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const steps = this.#steps(batch)
    try {
      return await runAtOnce(session, batch, steps)
    } catch (error) {
      if (toFailure(error).failure !== 'row') throw error
    }
    return await runBisecting(session, batch, steps, context)
  }

  #steps(batch: WriteBatch): readonly Step[] {
    return batch.tables.flatMap(({ table: index, waves }, at) => {
      const table = must(this.#tables[index], 'a batch names tables of the domain')
      return waves.flatMap((wave) => waveSteps(at, table, wave))
    })
  }
}

function waveSteps(at: number, table: Table, wave: readonly MergeChange[]): Step[] {
  const { statements, plan } = table
  const upserts = wave.filter((change) => isUpsert(plan.merge, change))
  const removals = wave.filter((change) => !isUpsert(plan.merge, change))
  const steps: Step[] = []
  if (removals.length > 0) steps.push({ at, table, statement: statements.remove, changes: removals })
  if (upserts.length > 0) steps.push({ at, table, statement: statements.upsert, changes: upserts })
  return steps
}

function isUpsert(plan: MergePlan, { op }: MergeChange): boolean {
  return op !== 'delete' || plan.deletedFlag !== undefined
}

async function runAtOnce(session: Session, batch: WriteBatch, steps: readonly Step[]): Promise<WriteResult> {
  const tally = new Tally(batch)
  const encoded = steps.map((step) => encodeStep(step))
  const fault = encoded.flatMap(({ faults }) => faults)[0]
  if (fault !== undefined) throw fault.error
  const answers = await session.run(encoded.map(({ statement }) => statement))
  for (const [index, step] of steps.entries()) tally.add(step, must(answers[index], 'an answer a statement').count)
  return tally.result()
}

async function runBisecting(
  session: Session,
  batch: WriteBatch,
  steps: readonly Step[],
  context: WriteContext,
): Promise<WriteResult> {
  const transaction = await session.begin()
  try {
    const tally = new Tally(batch)
    const rejected: RejectedChange[] = []
    for (const step of steps) {
      const { changes, faults } = encodeStep(step)
      const refused = await bisect(
        changes,
        (part) => attempt(transaction, { ...step, changes: part }, tally),
        isRowFault,
      )
      const all = [...faults, ...refused.map(({ item, error }) => ({ change: item, error: toFailure(error) }))]
      rejected.push(...all.map((one) => rejection(batch, step, one)))
    }
    if (rejected.length > 0) await context.reject(rejected)
    await transaction.commit()
    return tally.result()
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

const savepoint: Statement = { text: 'SAVEPOINT tidegate' }
const constraintsNow: Statement = { text: 'SET CONSTRAINTS ALL IMMEDIATE' }
const release: Statement = { text: 'RELEASE SAVEPOINT tidegate' }
const back: Statement = { text: 'ROLLBACK TO SAVEPOINT tidegate' }

async function attempt(transaction: Transaction, step: Step, tally: Tally): Promise<void> {
  const { statement } = encodeStep(step)
  await transaction.query(savepoint)
  try {
    const { count } = await transaction.query(statement)
    await transaction.query(constraintsNow)
    await transaction.query(release)
    tally.add(step, count)
  } catch (error) {
    await transaction.query(back)
    throw error
  }
}

function isRowFault(error: unknown): boolean {
  return toFailure(error).failure === 'row'
}

function rejection(batch: WriteBatch, step: Step, { change, error }: ChangeFault): RejectedChange {
  const { table } = must(batch.tables[step.at], 'a step belongs to a table of the batch')
  return { table, change, storeCode: error.sqlState, reason: error.message }
}

function encodeStep({ table, statement, changes }: Step): ReturnType<typeof encodeChanges> {
  return encodeChanges(statement, changes, table.prepared ? statementName(table, statement) : undefined)
}

function statementName({ statements, target }: Table, statement: StagedStatement): string {
  const kind = statement === statements.upsert ? 'upsert' : 'remove'
  return `tidegate ${kind} ${quoteQualified(target.name)}`
}

class Tally {
  readonly #tables: { written: number; stale: number }[]

  constructor(batch: WriteBatch) {
    this.#tables = batch.tables.map(() => ({ written: 0, stale: 0 }))
  }

  add({ at, table, statement, changes }: Step, count: number): void {
    const entry = must(this.#tables[at], 'a step belongs to a table of the batch')
    const gated = statement === table.statements.upsert && canBeStale(table.plan.merge)
    entry.written += gated ? count : changes.length
    entry.stale += gated ? changes.length - count : 0
  }

  result(): WriteResult {
    return { tables: this.#tables }
  }
}

function canBeStale(plan: MergePlan): boolean {
  return plan.sequence?.gates === true || plan.engine === 'first-row'
}
