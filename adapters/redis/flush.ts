import { setTimeout as delay } from 'node:timers/promises'
import { must } from '../../src/assert.ts'
import type { RejectedChange, WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import type { WriteContext } from '../../src/connector/connector.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import { sendCall } from './call.ts'
import { RedisFailure } from './failures.ts'
import { type KeyedChange, type PreparedPart, preparePart, type TablePart } from './flush-part.ts'
import { hashSlot } from './hash-slot.ts'
import type { Ledger } from './ledger.ts'
import type { Link } from './link.ts'
import type { RedisTable } from './table.ts'
import { UnsendableValue } from './type-mapping.ts'

/** What goes into one call: on a cluster what one slot holds, else the whole flush. */
interface Unit {
  readonly slot: number
  readonly parts: readonly TablePart[]
  readonly drops: readonly string[]
}

/** What units of a flush have done, by slot; kept over its retries, since a call that was answered must not come again. */
export type Progress = Map<number, readonly (readonly [at: number, written: number, stale: number])[]>

export interface FlushInput {
  readonly link: Link
  readonly tables: readonly RedisTable[]
  readonly batch: WriteBatch
  readonly context: WriteContext
  readonly isCluster: boolean
  /** Keys of the tables that are emptied, by place in the batch. */
  readonly drops: ReadonlyMap<number, readonly string[]>
  readonly progress: Progress
  /** On one server alone: there the flush is one call. */
  readonly ledger: Ledger | undefined
}

/** How often rows may change between being read and being put back. */
const conflictsMax = 100

/** Writes what has not been written yet. Each call is all or nothing; with one call that is the flush. */
export async function runFlush(input: FlushInput): Promise<WriteResult> {
  const { link, context, progress, batch } = input
  const { units, rejected } = unitsOf(input)
  if (rejected.length > 0) await context.reject(rejected)
  let pending = units.filter(({ slot }) => !progress.has(slot))
  for (let conflicts = 0; pending.length > 0; ) {
    context.signal.throwIfAborted()
    const prepared = await all(pending.map((unit) => prepareUnit(link, unit)))
    const refusedEarly = prepared.flatMap(({ parts }) => parts.flatMap((part) => part.rejected))
    if (refusedEarly.length > 0) await context.reject(refusedEarly)
    const outcomes = await all(prepared.map(({ unit, parts }) => sendUnit(input, unit, parts)))
    const refused = outcomes.flatMap((outcome) => outcome.rejected)
    if (refused.length > 0) await context.reject(refused)
    const gone = new Set([...refusedEarly, ...refused].map(({ change }) => change))
    pending = outcomes.flatMap(({ unit, isDone }) => (isDone ? [] : [without(unit, gone)]))
    if (!outcomes.some(({ isConflict }) => isConflict)) continue
    if (++conflicts > conflictsMax) throw new RedisFailure('other writers kept changing the same rows', 'transient')
    await delay(Math.random() * Math.min(conflicts, 20))
  }
  return resultOf(batch, progress)
}

/** Waits for all, also when one fails: nothing may be under way when the flush is tried again. */
async function all<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(promises)
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
}

async function prepareUnit(link: Link, unit: Unit): Promise<{ unit: Unit; parts: readonly PreparedPart[] }> {
  return { unit, parts: await Promise.all(unit.parts.map((part) => preparePart(link, part))) }
}

async function sendUnit(
  { link, progress, ledger, batch }: FlushInput,
  unit: Unit,
  parts: readonly PreparedPart[],
): Promise<{ unit: Unit; isDone: boolean; isConflict: boolean; rejected: readonly RejectedChange[] }> {
  const outcome = await sendCall(link, parts, unit.drops, ledger?.entryOf(batch))
  if (outcome.kind === 'fenced') throw must(ledger, 'only a ledger fences').fenced()
  if (outcome.kind === 'written') {
    progress.set(
      unit.slot,
      parts.map(({ part, counts }, index) => {
        const [written, stale] = outcome.counts[index] ?? [0, 0]
        return counts === undefined ? [part.at, written, stale] : [part.at, counts.written, counts.stale]
      }),
    )
  }
  const rejected = outcome.kind === 'refused' ? outcome.rejected : []
  return { unit, isDone: outcome.kind === 'written', isConflict: outcome.kind === 'conflict', rejected }
}

function without(unit: Unit, gone: ReadonlySet<MergeChange>): Unit {
  const parts = unit.parts.map((part) => ({ ...part, changes: part.changes.filter(({ change }) => !gone.has(change)) }))
  return { ...unit, parts }
}

function resultOf(batch: WriteBatch, progress: Progress): WriteResult {
  const tables = batch.tables.map(() => ({ written: 0, stale: 0 }))
  for (const counts of progress.values()) {
    for (const [at, written, stale] of counts) {
      const table = must(tables[at], 'a part belongs to a table of the batch')
      table.written += written
      table.stale += stale
    }
  }
  return { tables }
}

function unitsOf({ tables, batch, isCluster, drops, ledger }: FlushInput): {
  readonly units: readonly Unit[]
  readonly rejected: readonly RejectedChange[]
} {
  const rejected: RejectedChange[] = []
  const bySlot = new Map<number, { parts: Map<number, TablePart & { changes: KeyedChange[] }>; drops: string[] }>()
  const unitAt = (key: string): { parts: Map<number, TablePart & { changes: KeyedChange[] }>; drops: string[] } => {
    const slot = isCluster ? hashSlot(key) : 0
    let unit = bySlot.get(slot)
    if (unit === undefined) {
      unit = { parts: new Map(), drops: [] }
      bySlot.set(slot, unit)
    }
    return unit
  }
  // a flush without a row has a position to record
  if (ledger !== undefined) unitAt('')
  for (const [at, { table: index, truncate, waves }] of batch.tables.entries()) {
    const table = must(tables[index], 'a batch names tables of the domain')
    for (const key of drops.get(at) ?? []) unitAt(key).drops.push(key)
    for (const change of waves.flat()) {
      const key = keyOf(table, change)
      if (key === undefined) {
        rejected.push({
          table: index,
          change,
          reason: 'its key holds half of a surrogate pair, which has no form in UTF-8',
        })
        continue
      }
      const { parts } = unitAt(key)
      const part = parts.get(at)
      if (part === undefined) parts.set(at, { at, index, table, isEmpty: truncate, changes: [{ change, key }] })
      else part.changes.push({ change, key })
    }
  }
  const units = [...bySlot].map(([slot, unit]): Unit => ({ slot, parts: [...unit.parts.values()], drops: unit.drops }))
  return { units, rejected }
}

function keyOf(table: RedisTable, change: MergeChange): string | undefined {
  try {
    return table.template.keyOf(change.row)
  } catch (error) {
    if (error instanceof UnsendableValue) return undefined
    throw error
  }
}
