import { must } from '../../src/assert.ts'
import type { RejectedChange, WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import { bisect } from '../../src/connector/bisect.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import { toFailure } from './failures.ts'
import { flushSteps, type Step, type WritableTable } from './flush-steps.ts'
import { MergeStep } from './merge-step.ts'
import type { Session } from './session.ts'
import { runStatementStep } from './statement-step.ts'
import { tableName } from './statements/staged.ts'
import type { ChangeFault, StepOutcome } from './step-outcome.ts'

/** How a flush goes about its rows: all of each step at once, or halving a step that the store refuses (rule R3). */
export type FlushCare = 'all-at-once' | 'bisect'

export interface FlushOutcome {
  readonly result: WriteResult
  readonly rejected: readonly RejectedChange[]
}

/** The flush within a transaction that is open; what the store refuses is left out and handed back. */
export async function runFlush(
  session: Session,
  batch: WriteBatch,
  tables: readonly WritableTable[],
  care: FlushCare,
): Promise<FlushOutcome> {
  const flush = new Flush(session, batch, care)
  await flush.truncate(tables)
  for (const step of flushSteps(batch, tables)) await flush.run(step)
  return flush.outcome()
}

export function isRowFault(error: unknown): boolean {
  return toFailure(error).failure === 'row'
}

class Flush {
  readonly #session: Session
  readonly #batch: WriteBatch
  readonly #care: FlushCare
  readonly #counts: { written: number; stale: number }[]
  readonly #rejected: RejectedChange[] = []
  /** By place in the batch: keys of which a change was refused; later ones were made on top of it. */
  readonly #blocked = new Map<number, Set<FoldKey>>()

  constructor(session: Session, batch: WriteBatch, care: FlushCare) {
    this.#session = session
    this.#batch = batch
    this.#care = care
    this.#counts = batch.tables.map(() => ({ written: 0, stale: 0 }))
  }

  /** TRUNCATE would commit what came before it; children go first. */
  async truncate(tables: readonly WritableTable[]): Promise<void> {
    const emptied = this.#batch.tables.flatMap(({ table, truncate }) =>
      truncate ? [must(tables[table], 'a batch names tables of the domain')] : [],
    )
    for (const { target } of emptied.sort((a, b) => b.rank - a.rank)) {
      await this.#session.run({ text: `DELETE FROM ${tableName(target)}` })
    }
  }

  async run(step: Step): Promise<void> {
    const changes = this.#withoutBlocked(step)
    if (changes.length === 0) return
    const runPart = await this.#prepare({ ...step, changes })
    const attempt = async (part: readonly MergeChange[]): Promise<void> => {
      const outcome = await runPart(part)
      const count = must(this.#counts[step.at], 'a step belongs to a table of the batch')
      count.written += outcome.written
      count.stale += outcome.stale
      for (const fault of outcome.faults) this.#reject(step, fault)
    }
    if (this.#care === 'all-at-once') return await attempt(changes)
    const savely = async (part: readonly MergeChange[]): Promise<void> => {
      await this.#session.control('SAVEPOINT tidegate')
      try {
        await attempt(part)
      } catch (error) {
        await this.#session.control('ROLLBACK TO SAVEPOINT tidegate')
        throw error
      }
    }
    for (const { item, error } of await bisect(changes, savely, isRowFault)) {
      const { code, message } = toFailure(error)
      this.#reject(step, { change: item, storeCode: code?.toString(), reason: message })
    }
  }

  outcome(): FlushOutcome {
    return { result: { tables: this.#counts }, rejected: this.#rejected }
  }

  async #prepare(step: Step): Promise<(part: readonly MergeChange[]) => Promise<StepOutcome>> {
    const { table, route, changes } = step
    if (route !== 'merge') return (part) => runStatementStep(this.#session, table, route, part)
    const merge = await MergeStep.open(this.#session, table, changes)
    return (part) => merge.run(part)
  }

  #withoutBlocked(step: Step): readonly MergeChange[] {
    const blocked = this.#blocked.get(step.at)
    if (blocked === undefined) return step.changes
    for (const change of step.changes) {
      if (blocked.has(change.key)) this.#reject(step, { change, reason: 'an earlier change of the key was rejected' })
    }
    return step.changes.filter(({ key }) => !blocked.has(key))
  }

  #reject(step: Step, fault: ChangeFault): void {
    const { table } = must(this.#batch.tables[step.at], 'a step belongs to a table of the batch')
    this.#rejected.push({ ...fault, table })
    const blocked = this.#blocked.get(step.at)
    if (blocked === undefined) this.#blocked.set(step.at, new Set([fault.change.key]))
    else blocked.add(fault.change.key)
  }
}
