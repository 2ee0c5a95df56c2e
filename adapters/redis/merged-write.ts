import { setTimeout as delay } from 'node:timers/promises'
import { must } from '../../src/assert.ts'
import type { RejectedChange, TableWriteResult, Wave } from '../../src/connector/batch.ts'
import { RowStage } from '../../src/connector/row-stage.ts'
import type { Row } from '../../src/row/row.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import { callsOf, inParallel, type KeyedRow, runScript } from './calls.ts'
import type { Connection } from './client.ts'
import { RedisFailure } from './failures.ts'
import { argument } from './gated-write.ts'
import { fromRowText, toRowText } from './row-codec.ts'
import { rowKey } from './row-key.ts'
import { compareAndSet, compareAndSetText, digestOf, digestOfText, readRows, readTexts } from './scripts.ts'
import type { Target } from './target.ts'
import { UnsendableValue } from './type-mapping.ts'

/** So often are rows merged anew that another writer has changed meanwhile; then the flush is tried again as a whole. */
const attemptsMax = 30

/**
 * Changes that need what is stored: rows are read, merged by the merge function and written back, each only if it still is
 * as it was read. Rows that another writer has changed in between are merged anew.
 */
export async function writeMerged(
  connection: Connection,
  target: Target,
  table: number,
  waves: readonly Wave[],
  reject: (rejected: readonly RejectedChange[]) => Promise<void>,
): Promise<TableWriteResult> {
  let pending = waves
  let written = 0
  let stale = 0
  for (let attempt = 1; ; attempt++) {
    const merge = await Merge.read(connection, target, table, pending)
    if (merge.rejected.length > 0) await reject(merge.rejected)
    const changed = await merge.write()
    const done = merge.counts(changed)
    written += done.written
    stale += done.stale
    if (changed.size === 0) return { written, stale }
    if (attempt === attemptsMax)
      throw new RedisFailure('other writers keep changing the rows of the flush', 'transient')
    pending = pending.map((wave) => wave.filter(({ key }) => changed.has(key)))
    await delay(Math.random() * Math.min(attempt, 10))
  }
}

interface StoredRow {
  readonly name: string
  /** Empty: it is not there. */
  readonly digest: string
  readonly row: Row | undefined
}

interface Outcome {
  written: number
  stale: number
}

class Merge {
  readonly rejected: readonly RejectedChange[]
  readonly #connection: Connection
  readonly #target: Target
  readonly #stored: ReadonlyMap<FoldKey, StoredRow>
  readonly #stage: RowStage
  readonly #outcomes = new Map<FoldKey, Outcome>()
  readonly #writes: readonly (KeyedRow & { readonly foldKey: FoldKey })[]

  static async read(connection: Connection, target: Target, table: number, waves: readonly Wave[]): Promise<Merge> {
    const { stored, faults } = await readStored(connection, target, waves)
    return new Merge(connection, target, table, waves, stored, faults)
  }

  private constructor(
    connection: Connection,
    target: Target,
    table: number,
    waves: readonly Wave[],
    stored: ReadonlyMap<FoldKey, StoredRow>,
    faults: ReadonlyMap<FoldKey, string>,
  ) {
    this.#connection = connection
    this.#target = target
    this.#stored = stored
    this.#stage = new RowStage({
      plan: target.plan,
      stored: (key) => stored.get(key)?.row,
      onApply: ({ key }, _before, { outcome }) => {
        if (outcome !== 'rejected') this.#count(key, outcome === 'stale')
      },
    })
    const rejected: RejectedChange[] = []
    const refused = new Map(faults)
    for (const wave of waves) {
      const sound = wave.filter((change) => !refused.has(change.key))
      rejected.push(...this.#stage.applyWave(table, sound).rejected)
    }
    this.#writes = this.#encode(refused)
    for (const wave of waves) {
      for (const change of wave) {
        const reason = refused.get(change.key)
        if (reason !== undefined) rejected.push({ table, change, reason })
      }
    }
    for (const key of refused.keys()) this.#outcomes.delete(key)
    this.rejected = rejected
  }

  /** Gives the keys whose rows are no longer as they were read. */
  async write(): Promise<ReadonlySet<FoldKey>> {
    const changed = new Set<FoldKey>()
    const { format, codec } = this.#target
    const script = format === 'hash' ? compareAndSet : compareAndSetText
    const head = format === 'hash' ? [String(codec.names.length), ...codec.names] : []
    await inParallel(callsOf(this.#connection, this.#writes), async (call) => {
      const places = (await runScript(this.#connection, script, call, head)) as readonly number[]
      for (const place of places) changed.add(must(call[Number(place) - 1], 'a place of the call').foldKey)
    })
    return changed
  }

  counts(changed: ReadonlySet<FoldKey>): Outcome {
    const sum = { written: 0, stale: 0 }
    for (const [key, { written, stale }] of this.#outcomes) {
      if (changed.has(key)) continue
      sum.written += written
      sum.stale += stale
    }
    return sum
  }

  #count(key: FoldKey, isStale: boolean): void {
    const outcome = this.#outcomes.get(key) ?? { written: 0, stale: 0 }
    this.#outcomes.set(key, outcome)
    if (isStale) outcome.stale++
    else outcome.written++
  }

  #encode(refused: Map<FoldKey, string>): readonly (KeyedRow & { readonly foldKey: FoldKey })[] {
    return [...this.#stage.rows].flatMap(([foldKey, row]) => {
      const { name, digest } = must(this.#stored.get(foldKey), 'every key was read')
      if (row === undefined && digest === '') return []
      try {
        return [{ key: name, foldKey, args: this.#arguments(digest, row) }]
      } catch (error) {
        if (!(error instanceof UnsendableValue)) throw error
        refused.set(foldKey, error.message)
        return []
      }
    })
  }

  #arguments(digest: string, row: Row | undefined): readonly string[] {
    const { format, codec, plan } = this.#target
    const life = row === undefined ? '-1' : String(this.#lifeOf(row))
    const texts = row === undefined ? codec.names.map(() => null) : codec.encode(row)
    if (format === 'hash') return [digest, life, ...texts.map(argument)]
    return [digest, life, row === undefined ? '' : toRowText(plan.merge, codec, texts)]
  }

  #lifeOf(row: Row): number {
    const { plan, rowLifeMs, tombstoneLifeMs } = this.#target
    const { deletedFlag, deleteMode } = plan.merge
    const isTombstone = deletedFlag !== undefined && row[deletedFlag] === true && deleteMode === 'tombstone'
    return isTombstone ? tombstoneLifeMs : rowLifeMs
  }
}

async function readStored(
  connection: Connection,
  target: Target,
  waves: readonly Wave[],
): Promise<{ stored: ReadonlyMap<FoldKey, StoredRow>; faults: ReadonlyMap<FoldKey, string> }> {
  const { plan, template, codec, format } = target
  const faults = new Map<FoldKey, string>()
  const rows = new Map<FoldKey, KeyedRow & { readonly foldKey: FoldKey }>()
  for (const { key: foldKey, row } of waves.flat()) {
    if (rows.has(foldKey)) continue
    try {
      rows.set(foldKey, { foldKey, key: rowKey(template, plan.merge, row), args: [] })
    } catch (error) {
      if (!(error instanceof UnsendableValue)) throw error
      faults.set(foldKey, error.message)
    }
  }
  const stored = new Map<FoldKey, StoredRow>()
  const head = format === 'hash' ? codec.names : []
  await inParallel(callsOf(connection, [...rows.values()]), async (call) => {
    const script = format === 'hash' ? readRows : readTexts
    const found = (await runScript(connection, script, call, head)) as readonly (number | readonly (string | null)[])[]
    for (const [index, { foldKey, key: name }] of call.entries()) {
      const fields = found[index]
      if (Number(fields) === 1 && !Array.isArray(fields)) faults.set(foldKey, otherType)
      stored.set(
        foldKey,
        Array.isArray(fields) ? storedRow(target, name, fields) : { name, digest: '', row: undefined },
      )
    }
  })
  return { stored, faults }
}

export const otherType = 'its name is taken by a value of another type (WRONGTYPE)'

function storedRow({ codec, format }: Target, name: string, fields: readonly (string | null)[]): StoredRow {
  if (format === 'hash') return { name, digest: digestOf(fields), row: codec.decode(fields) }
  const text = String(fields[0])
  return { name, digest: digestOfText(text), row: codec.decode(fromRowText(codec, text)) }
}
