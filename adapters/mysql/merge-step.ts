import { RowStage } from '../../src/connector/row-stage.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import { decodeRow, documents, encodeRow, type StagedRow } from './encode-rows.ts'
import { MysqlFailure, toFailure } from './failures.ts'
import type { WritableTable } from './flush-steps.ts'
import type { Session } from './session.ts'
import { deleteRows, lockRows, updateRows } from './statements/locked.ts'
import { insertRows, stagedPositions } from './statements/upsert.ts'
import { type ChangeFault, type StepOutcome, tooLargeFault } from './step-outcome.ts'
import { UnsendableValue } from './type-mapping.ts'

/**
 * Changes that need what is stored: their rows are locked and read, merged by the merge function, and written back in the
 * same transaction, so that writers of the same rows come one after the other. A row that is not there cannot be locked:
 * it is inserted plainly, and whoever comes second tries the flush again.
 */
export class MergeStep {
  readonly #session: Session
  readonly #table: WritableTable
  readonly #stored: ReadonlyMap<FoldKey, Row>

  private constructor(session: Session, table: WritableTable, stored: ReadonlyMap<FoldKey, Row>) {
    this.#session = session
    this.#table = table
    this.#stored = stored
  }

  static async open(session: Session, table: WritableTable, changes: readonly MergeChange[]): Promise<MergeStep> {
    return new MergeStep(session, table, await readLocked(session, table, changes))
  }

  /** Some of the changes, which have not been run yet. */
  async run(changes: readonly MergeChange[]): Promise<StepOutcome> {
    const stage = new RowStage({ plan: this.#table.plan, stored: (key) => this.#stored.get(key) })
    const { written, stale, rejected } = stage.applyWave(0, changes)
    const faults: ChangeFault[] = [...rejected]
    const { gone, changed, fresh } = this.#sort(stage, changes, faults)
    const { merge } = this.#table.plan
    const { target } = this.#table
    faults.push(...(await this.#send(deleteRows(merge, target), gone)))
    faults.push(...(await this.#send(updateRows(merge, target), changed)))
    faults.push(...(await this.#insert(insertRows(merge, target), fresh)))
    return { written: written - (faults.length - rejected.length), stale, faults }
  }

  /** The rows to write, by what the store has of them. */
  #sort(
    stage: RowStage,
    changes: readonly MergeChange[],
    faults: ChangeFault[],
  ): { gone: readonly StagedChange[]; changed: readonly StagedChange[]; fresh: readonly StagedChange[] } {
    const { plan, target } = this.#table
    const all = stagedPositions(plan.merge)
    const sorted = { gone: [] as StagedChange[], changed: [] as StagedChange[], fresh: [] as StagedChange[] }
    for (const change of changes) {
      if (!stage.rows.has(change.key)) continue
      const row = stage.rows.get(change.key)
      const isStored = this.#stored.has(change.key)
      try {
        if (row === undefined) {
          if (isStored) sorted.gone.push({ change, row: encodeRow(target, plan.merge.key, change.row) })
        } else sorted[isStored ? 'changed' : 'fresh'].push({ change, row: encodeRow(target, all, row) })
      } catch (error) {
        if (!(error instanceof UnsendableValue)) throw error
        faults.push({ change, reason: error.message })
      }
    }
    return sorted
  }

  async #send(text: string | undefined, rows: readonly StagedChange[]): Promise<readonly ChangeFault[]> {
    if (text === undefined) return []
    const { parts, tooLarge } = documents(rows, this.#session)
    for (const { json } of parts) await this.#session.run({ text, values: [json] })
    return tooLarge.map(({ change }) => tooLargeFault(change))
  }

  async #insert(text: string, rows: readonly StagedChange[]): Promise<readonly ChangeFault[]> {
    try {
      return await this.#send(text, rows)
    } catch (error) {
      const { index } = toFailure(error)
      if (index === 'PRIMARY') throw new MysqlFailure(metAnotherWriter, 'transient', 1062, error)
      throw error
    }
  }
}

interface StagedChange {
  readonly change: MergeChange
  readonly row: StagedRow
}

const metAnotherWriter = 'another writer inserted a row of the flush at the same time'

async function readLocked(
  session: Session,
  { plan, target }: WritableTable,
  changes: readonly MergeChange[],
): Promise<ReadonlyMap<FoldKey, Row>> {
  const keys = new Map<FoldKey, ArrayLike<unknown>>()
  for (const { key, row, moveFrom } of changes) {
    keys.set(key, row)
    if (moveFrom !== undefined) keys.set(moveFrom.key, moveFrom.row)
  }
  const sendable = [...keys].flatMap(([key, row]) => {
    try {
      return [{ key, row: encodeRow(target, plan.merge.key, row) }]
    } catch (error) {
      // no row can be under it
      if (error instanceof UnsendableValue) return []
      throw error
    }
  })
  const stored = new Map<FoldKey, Row>()
  const text = lockRows(plan.merge, target, session.dialect)
  for (const { json, items } of documents(sendable, session).parts) {
    const { rows } = await session.run({ text, values: [json] })
    for (const [number, ...texts] of rows) {
      const item = items[Number(number) - 1]
      if (item !== undefined) stored.set(item.key, decodeRow(target, texts))
    }
  }
  return stored
}
