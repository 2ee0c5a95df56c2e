import { createHash } from 'node:crypto'
import { must } from '../../src/assert.ts'
import type { RejectedChange, WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import { bisect } from '../../src/connector/bisect.ts'
import type { ErrorCode } from '../../src/errors.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import { type ChangeFault, encodeChanges } from './encode-changes.ts'
import { PostgresFailure, toFailure } from './failures.ts'
import { flushSteps, isDirect, type Step, type WritableTable } from './flush-steps.ts'
import { quoteQualified } from './identifier.ts'
import { fillMove, readMoved } from './moves.ts'
import type { Answer, Session, Statement, Transaction } from './session.ts'
import type { DirectRoute, MergeRoute } from './statements/route.ts'
import type { StagedStatement } from './statements/staged.ts'

/** How a flush goes about its rows: all of each step at once, or halving a step that the store refuses (rule R3). */
export type FlushCare = 'all-at-once' | 'bisect' | 'bisect-checking-constraints'

export interface FlushOutcome {
  readonly result: WriteResult
  readonly rejected: readonly RejectedChange[]
}

/** What one step did. */
interface StepOutcome {
  readonly written: number
  readonly stale: number
  readonly faults: readonly ChangeFault[]
}

export interface FlushTables {
  readonly tables: readonly WritableTable[]
  /** Some constraint of the tables can wait until the end of the transaction (rule B4). */
  readonly defers: boolean
}

/** The whole flush as statements that need no answer, if it is of that kind and all its values can be sent. */
export function prepareDirect(batch: WriteBatch, { tables, defers }: FlushTables): DirectFlush | undefined {
  const steps = flushSteps(batch, tables)
  if (!isDirect(steps)) return undefined
  const opening = openingStatements(batch, tables, defers)
  const encoded = steps.map((step) => encodeStep(step.table, (step.route as DirectRoute).statement, step.changes))
  if (encoded.some(({ faults }) => faults.length > 0)) return undefined
  return { batch, steps, opening, statements: encoded.map(({ statement }) => statement) }
}

export interface DirectFlush {
  readonly batch: WriteBatch
  readonly steps: readonly Step[]
  readonly opening: readonly Statement[]
  readonly statements: readonly Statement[]
}

export async function runDirect(
  session: Session,
  { batch, steps, opening, statements }: DirectFlush,
): Promise<WriteResult> {
  const answers = await session.run([...opening, ...statements])
  const tally = new Tally(batch)
  for (const [index, step] of steps.entries()) {
    const { count } = must(answers[opening.length + index], 'an answer a statement')
    tally.add(step.at, directOutcome(step.route as DirectRoute, step.changes.length, count))
  }
  return tally.result()
}

/** The flush within a transaction that is open; what the store refuses is left out and handed back. */
export async function runInTransaction(
  transaction: Transaction,
  batch: WriteBatch,
  { tables, defers }: FlushTables,
  care: FlushCare,
): Promise<FlushOutcome> {
  const flush = new TransactionalFlush(transaction, batch, care)
  const steps = flushSteps(batch, tables)
  await flush.readMoves(steps)
  for (const statement of openingStatements(batch, tables, defers)) await transaction.query(statement)
  for (const step of steps) await flush.run(step)
  if (care === 'bisect' && defers) await transaction.query(checkConstraints)
  return flush.outcome()
}

const deferConstraints: Statement = { text: 'SET CONSTRAINTS ALL DEFERRED' }
const checkConstraints: Statement = { text: 'SET CONSTRAINTS ALL IMMEDIATE' }
const savepoint: Statement = { text: 'SAVEPOINT tidegate' }
const releaseSavepoint: Statement = { text: 'RELEASE SAVEPOINT tidegate' }
const rollbackToSavepoint: Statement = { text: 'ROLLBACK TO SAVEPOINT tidegate' }

function openingStatements(batch: WriteBatch, tables: readonly WritableTable[], defers: boolean): readonly Statement[] {
  const emptied = batch.tables.flatMap(({ table, truncate }) =>
    truncate ? [must(tables[table], 'a batch names tables of the domain')] : [],
  )
  return [...(defers ? [deferConstraints] : []), ...truncateStatements(emptied)]
}

/** Tables that point at each other can only be truncated together. Without the right to, their rows are deleted. */
function truncateStatements(tables: readonly WritableTable[]): Statement[] {
  if (tables.length === 0) return []
  const names = tables.map(({ target }) => quoteQualified(target.name))
  if (tables.every(({ canTruncate }) => canTruncate)) return [{ text: `TRUNCATE ${names.join(', ')}` }]
  const childrenFirst = tables.toSorted((a, b) => b.rank - a.rank)
  return childrenFirst.map(({ target }) => ({ text: `DELETE FROM ${quoteQualified(target.name)}` }))
}

class TransactionalFlush {
  readonly #transaction: Transaction
  readonly #batch: WriteBatch
  readonly #care: FlushCare
  readonly #tally: Tally
  readonly #rejected: RejectedChange[] = []
  /** By table: keys of which a change was refused; later ones were made on top of it. */
  readonly #blocked = new Map<number, Set<FoldKey>>()
  readonly #moved = new Map<MergeChange, Row>()

  constructor(transaction: Transaction, batch: WriteBatch, care: FlushCare) {
    this.#transaction = transaction
    this.#batch = batch
    this.#care = care
    this.#tally = new Tally(batch)
  }

  /** Before anything is changed: the delete of the old key may come first in the flush. */
  async readMoves(steps: readonly Step[]): Promise<void> {
    for (const { route, table, changes } of steps) {
      if (route !== 'move') continue
      for (const [move, row] of await readMoved(this.#transaction, table, changes)) this.#moved.set(move, row)
    }
  }

  async run(step: Step): Promise<void> {
    const changes = this.#withoutBlocked(step)
    if (changes.length === 0) return
    if (step.route === 'move') await this.#runMoves(step, changes)
    else await this.#runChanges(step, changes)
  }

  outcome(): FlushOutcome {
    return { result: this.#tally.result(), rejected: this.#rejected }
  }

  #withoutBlocked(step: Step): readonly MergeChange[] {
    const blocked = this.#blocked.get(step.at)
    if (blocked === undefined) return step.changes
    const [held, free] = [
      step.changes.filter(({ key }) => blocked.has(key)),
      step.changes.filter(({ key }) => !blocked.has(key)),
    ]
    for (const change of held) this.#reject(step, change, undefined, 'an earlier change of the key was rejected')
    return free
  }

  async #runMoves(step: Step, moves: readonly MergeChange[]): Promise<void> {
    const unknown = moves.filter((move) => !this.#moved.has(move))
    if (unknown.length > 0) {
      // a row that this very flush has made
      for (const [move, row] of await readMoved(this.#transaction, step.table, unknown)) this.#moved.set(move, row)
    }
    const arrived = await this.#readArrived(
      step,
      moves.filter((move) => !this.#moved.has(move)),
    )
    const filled: MergeChange[] = []
    const origins = new Map<MergeChange, MergeChange>()
    for (const move of moves) {
      const from = this.#moved.get(move)
      if (from === undefined && !arrived.has(move)) {
        this.#reject(step, move, undefined, lostMove, 'MOVE_WITHOUT_ROW')
        continue
      }
      const change = from === undefined ? { ...move, moveFrom: undefined } : fillMove(step.table.plan, move, from)
      origins.set(change, move)
      filled.push(change)
    }
    for (const route of new Set(filled.map(step.table.statements.route))) {
      const ofRoute = filled.filter((change) => step.table.statements.route(change) === route)
      await this.#runChanges({ ...step, route }, ofRoute, origins)
    }
  }

  /** Moves whose row stands under the new key already, as when they are sent again: they are patches of it. */
  async #readArrived(step: Step, moves: readonly MergeChange[]): Promise<ReadonlySet<MergeChange>> {
    if (moves.length === 0) return new Set()
    const inPlace = moves.map((move) => ({ ...move, moveFrom: { key: move.key, row: move.row as Row } }))
    const found = await readMoved(this.#transaction, step.table, inPlace)
    return new Set(moves.filter((_, index) => found.has(must(inPlace[index], 'one for each move'))))
  }

  async #runChanges(
    step: Step,
    changes: readonly MergeChange[],
    origins?: ReadonlyMap<MergeChange, MergeChange>,
  ): Promise<void> {
    const reject = ({ change, error, code }: ChangeFault): void =>
      this.#reject(step, origins?.get(change) ?? change, error.sqlState, error.message, code)
    const attempt = async (part: readonly MergeChange[]): Promise<void> => {
      const outcome = await this.#attempt(step, part)
      this.#tally.add(step.at, outcome)
      outcome.faults.forEach(reject)
    }
    if (this.#care === 'all-at-once') return await attempt(changes)
    const refused = await bisect(changes, attempt, isRowFault)
    for (const { item, error } of refused) reject({ change: item, error: toFailure(error) })
  }

  async #attempt(step: Step, changes: readonly MergeChange[]): Promise<StepOutcome> {
    if (this.#care === 'all-at-once') return await runStep(this.#transaction, step, changes)
    await this.#transaction.query(savepoint)
    try {
      const outcome = await runStep(this.#transaction, step, changes)
      if (this.#care === 'bisect-checking-constraints') await this.#transaction.query(checkConstraints)
      await this.#transaction.query(releaseSavepoint)
      return outcome
    } catch (error) {
      await this.#transaction.query(rollbackToSavepoint)
      throw error
    }
  }

  #reject(step: Step, change: MergeChange, storeCode: string | undefined, reason: string, code?: ErrorCode): void {
    const { table } = must(this.#batch.tables[step.at], 'a step belongs to a table of the batch')
    this.#rejected.push({ table, change, code, storeCode, reason })
    const blocked = this.#blocked.get(step.at)
    if (blocked === undefined) this.#blocked.set(step.at, new Set([change.key]))
    else blocked.add(change.key)
  }
}

const lostMove = 'the row that it moved from is not there, and its columns are needed (K6)'

export function isRowFault(error: unknown): boolean {
  return toFailure(error).failure === 'row'
}

async function runStep(transaction: Transaction, step: Step, changes: readonly MergeChange[]): Promise<StepOutcome> {
  const { route, table } = step
  if (route === 'move') return { written: 0, stale: 0, faults: [] }
  return route.kind === 'direct'
    ? await runDirectStep(transaction, table, route, changes)
    : await runMergeStep(transaction, table, route, changes)
}

async function runDirectStep(
  transaction: Transaction,
  table: WritableTable,
  route: DirectRoute,
  all: readonly MergeChange[],
): Promise<StepOutcome> {
  const { statement, changes, faults } = encodeStep(table, route.statement, all)
  if (changes.length === 0) return { written: 0, stale: 0, faults }
  const { count } = await transaction.query(statement)
  return { ...directOutcome(route, changes.length, count), faults }
}

function directOutcome({ countsStale }: DirectRoute, sent: number, touched: number): StepOutcome {
  const written = countsStale ? touched : sent
  return { written, stale: sent - written, faults: [] }
}

async function runMergeStep(
  transaction: Transaction,
  table: WritableTable,
  route: MergeRoute,
  all: readonly MergeChange[],
): Promise<StepOutcome> {
  const lock = encodeStep(table, route.lock, all)
  const faults = [...lock.faults]
  const there = await lockedChanges(transaction, lock)
  const existing = lock.changes.filter((change) => there.has(change))
  const missing = lock.changes.filter((change) => !there.has(change))

  let updated = 0
  const unsendable = new Set<MergeChange>()
  for (const { takes, statement } of route.existing) {
    const sent = encodeStep(
      table,
      statement,
      existing.filter((change) => takes(change) && !unsendable.has(change)),
    )
    for (const fault of sent.faults) unsendable.add(fault.change)
    faults.push(...sent.faults)
    if (sent.changes.length > 0) updated += (await transaction.query(sent.statement)).count
  }
  const inserted = await insertMissing(transaction, table, route, missing, faults)
  const written = updated + inserted
  return { written, stale: existing.length - unsendable.size - updated, faults }
}

async function lockedChanges(
  transaction: Transaction,
  { statement, changes }: ReturnType<typeof encodeChanges>,
): Promise<ReadonlySet<MergeChange>> {
  if (changes.length === 0) return new Set()
  const { rows } = await transaction.query(statement)
  return new Set(rows.map(([number]) => must(changes[Number(number) - 1], 'a number of a staged change')))
}

/** Gives how many are done with; those that change nothing count, as nothing is left of them to do. */
async function insertMissing(
  transaction: Transaction,
  table: WritableTable,
  route: MergeRoute,
  missing: readonly MergeChange[],
  faults: ChangeFault[],
): Promise<number> {
  const outcomes = missing.map((change) => ({ change, outcome: route.missing(change) }))
  for (const { change, outcome } of outcomes)
    if (outcome === 'rejected') faults.push({ change, error: withoutRow, code: 'RETRACT_WITHOUT_ROW' })
  const nothing = outcomes.filter(({ outcome }) => outcome === 'nothing').length
  const fresh = outcomes.flatMap(({ change, outcome }) => (outcome === 'insert' ? [change] : []))
  const { statement, changes, faults: unsendable } = encodeStep(table, route.insert, fresh)
  faults.push(...unsendable)
  if (changes.length === 0) return nothing
  const { count }: Answer = await transaction.query(statement)
  if (count < changes.length) throw metAnotherWriter
  return nothing + count
}

const withoutRow = new PostgresFailure(
  'a retract came before any row of its key, and without a flag column nothing can hold it (A4)',
  'row',
)

/** Between the lock and the insert another writer has put in the row; with it there, the merge comes out right. */
const metAnotherWriter = new PostgresFailure(
  'another writer inserted a row of the flush at the same time',
  'transient',
  '40001',
)

function encodeStep(
  table: WritableTable,
  statement: StagedStatement,
  changes: readonly MergeChange[],
): ReturnType<typeof encodeChanges> {
  return encodeChanges(statement, changes, table.prepares ? preparedName(statement) : undefined)
}

const preparedNames = new WeakMap<StagedStatement, string>()

/** By the text, since the client may be shared and names are cut at 63 bytes. */
function preparedName(statement: StagedStatement): string {
  const known = preparedNames.get(statement)
  if (known !== undefined) return known
  const name = `tidegate_${createHash('sha256').update(statement.text).digest('hex').slice(0, 24)}`
  preparedNames.set(statement, name)
  return name
}

class Tally {
  readonly #tables: { written: number; stale: number }[]

  constructor(batch: WriteBatch) {
    this.#tables = batch.tables.map(() => ({ written: 0, stale: 0 }))
  }

  add(at: number, { written, stale }: StepOutcome): void {
    const entry = must(this.#tables[at], 'a step belongs to a table of the batch')
    entry.written += written
    entry.stale += stale
  }

  result(): WriteResult {
    return { tables: this.#tables }
  }
}
