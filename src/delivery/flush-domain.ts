import PQueue from 'p-queue'
import { assert, must } from '../assert.ts'
import type { AccountCounters } from '../buffer/account.ts'
import { countRecords, countUncounted, type Entry } from '../buffer/entry.ts'
import { type BufferLoad, FoldBuffer, type Origin } from '../buffer/fold-buffer.ts'
import type { Positions } from '../changelog/position.ts'
import type { RejectedChange, TableBatch, Wave, WriteBatch, WriteResult } from '../connector/batch.ts'
import type { Connector, SinkWriter } from '../connector/connector.ts'
import { countChanges } from '../connector/count-changes.ts'
import { TidegateError } from '../errors.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { MergeFunction } from '../merge/merge-function.ts'
import type { SinkPlan, TablePlan } from '../plan/plan.ts'
import type { FoldKey, RowKeyCodec } from '../row/row-key.ts'
import { deliverBatch } from './deliver-batch.ts'
import { laneOf } from './lane.ts'
import { type FlushTrigger, publishEvent, type SinkEventListener } from './sink-event.ts'
import { WaitingList } from './waiting-list.ts'

export interface DomainTable {
  readonly plan: TablePlan
  readonly merge: MergeFunction
  readonly keys: RowKeyCodec
}

/** A rejected change with what is known of its origin. */
export interface RejectedEntry extends RejectedChange {
  readonly records: number
  readonly record: number | undefined
  readonly position: Entry['position']
}

export interface FlushDomainOptions {
  readonly plan: SinkPlan
  readonly connector: Connector
  readonly writer: SinkWriter
  readonly tables: readonly DomainTable[]
  readonly account: AccountCounters
  readonly signal: AbortSignal
  readonly onEvent: SinkEventListener | undefined
  /** Takes rejected changes before anything commits; if it throws, the flush fails. */
  readonly onRejected: (rejected: readonly RejectedEntry[]) => Promise<void>
  /** A rejected change does not end the sink: somebody takes it. */
  readonly keepsGoing: boolean
  /** Under `sink.failure-scope` = `group`: takes everything of a flush of which a change was rejected. */
  readonly onGroupRejected: (entries: readonly Entry[], reason: string) => Promise<void>
  /** A flush became durable, or failed: positions may move, writers may go on. */
  readonly onSettled: () => void
  /** What is durable once everything that arrived before `arrival` is. */
  readonly positionsAt: (arrival: number) => Positions
  /** Everything that arrived before this is in the domain, or settled. */
  readonly arrivalBound: () => number
}

/** A batch with the entries it was cut from. */
interface Cut {
  readonly batch: WriteBatch
  readonly entries: readonly Entry[]
  readonly trigger: FlushTrigger
  /** Oldest record in the batch; Infinity for one without rows. */
  readonly firstArrival: number
  readonly byteCount: number
  rejectedRecords: number
  rejectedChanges: number
  /** Those of them that stand for no record of their own. */
  rejectedUncounted: number
}

interface Lane {
  readonly buffers: readonly FoldBuffer[]
  readonly load: BufferLoad
  readonly queue: PQueue
  flushCount: number
  /** A trigger fired while every place in the queue was taken. */
  pending: FlushTrigger | undefined
}

/**
 * The tables of one server: one buffer budget, one transaction a flush, one unit of retry (rule B4). Cuts batches from the
 * fold buffers and keeps them in flight, never one key in two of them at once.
 */
export class FlushDomain {
  readonly #options: FlushDomainOptions
  readonly #lanes: readonly Lane[]
  /** By table: keys that are in a batch under way. */
  readonly #keysInFlight: readonly Set<FoldKey>[]
  readonly #inFlight = new Set<Cut>()
  #inFlightBytes = 0
  #batchCount = 0
  #timer: NodeJS.Timeout | undefined
  #failure: TidegateError | undefined
  #failedEntries: Entry[] = []
  /** Changes of exactly-once plans wait for one flush if a key is held: a flush must hold everything up to its position. */
  #postponed = false
  /** A part of a large group has been sent and its transaction is open. */
  #partOpen = false
  /** What the parts in the open transaction will count for once it is committed. */
  readonly #uncommitted: (() => void)[] = []
  /** Who waits for a flush to end. */
  readonly #settling = new WaitingList()
  readonly #sweeper: NodeJS.Timeout | undefined
  readonly #sinkRun = Math.random().toString(36).slice(2, 10)

  constructor(options: FlushDomainOptions) {
    this.#options = options
    const { plan, tables, account, writer } = options
    const exclusive = plan.delivery.guarantee === 'exactly-once' || plan.flush.align === 'group'
    const inFlight = exclusive ? 1 : (writer.inFlightPerLane ?? 1)
    this.#lanes = Array.from({ length: exclusive ? 1 : plan.flush.lanes }, () => {
      const load = { rowCount: 0, byteCount: 0 }
      return {
        load,
        buffers: tables.map(({ merge }, table) => new FoldBuffer(table, merge, account, load)),
        queue: new PQueue({ concurrency: inFlight }),
        flushCount: 0,
        pending: undefined,
      }
    })
    this.#keysInFlight = tables.map(() => new Set())
    this.#sweeper = this.#startSweeping()
  }

  get failure(): TidegateError | undefined {
    return this.#failure
  }

  /** Bytes in the buffers and under way. */
  get byteCount(): number {
    let bytes = this.#inFlightBytes
    for (const { load } of this.#lanes) bytes += load.byteCount
    return bytes
  }

  /** A flush is under way or about to start. */
  get isFlushing(): boolean {
    if (this.#inFlight.size > 0) return true
    return this.#lanes.some(({ queue, pending }) => queue.size + queue.pending > 0 || pending !== undefined)
  }

  get bufferedRows(): number {
    let rows = 0
    for (const { load } of this.#lanes) rows += load.rowCount
    return rows
  }

  /** True while nothing more should be taken in (rule B3). */
  get full(): boolean {
    const { flush } = this.#options.plan
    if (this.byteCount >= flush.bufferMaxBytes) return true
    return flush.maxRows > 0 && this.bufferedRows >= flush.maxRows * bufferedBatchesMax * this.#lanes.length
  }

  /** Oldest record that is neither durable nor given up; Infinity if there is none. */
  get oldestArrival(): number {
    let oldest = this.#oldestPending()
    for (const entry of this.#failedEntries) oldest = Math.min(oldest, entry.firstArrival)
    return oldest
  }

  add(table: number, change: MergeChange, byteCount: number, isAdd: boolean, origin: Origin): Entry {
    const lane = this.#laneOf(change.key)
    return this.#buffer(lane, table).add(change, byteCount, isAdd, origin)
  }

  addHeld(table: number, change: MergeChange, byteCount: number, origin: Origin): Entry {
    const lane = this.#laneOf(change.key)
    return this.#buffer(lane, table).addHeld(change, byteCount, lane.flushCount, origin)
  }

  holdUpdateBefore(
    table: number,
    key: FoldKey,
    held: { change: MergeChange | undefined; byteCount: number; reject: (() => void) | undefined },
    origin: Origin,
  ): Entry {
    const lane = this.#laneOf(key)
    return this.#buffer(lane, table).holdUpdateBefore(key, held, lane.flushCount, origin)
  }

  entryOf(table: number, key: FoldKey): Entry | undefined {
    return this.#buffer(this.#laneOf(key), table).entries.get(key)
  }

  removeEntry(entry: Entry): void {
    this.#buffer(this.#laneOf(entry.key), entry.table).remove(entry)
  }

  /**
   * The row of `entry` has moved to another key: its held update-before becomes `deletion`. Undefined if nothing of the old
   * key is left in the buffer.
   */
  moveAway(table: number, entry: Entry, deletion: MergeChange | undefined, origin: Origin): Entry | undefined {
    const lane = this.#laneOf(entry.key)
    const buffer = this.#buffer(lane, table)
    if (buffer.entries.get(entry.key) === entry) return buffer.replaceHeld(entry, deletion, origin)
    if (deletion === undefined) return undefined
    // the update-before went out in a flush of its own, and was accounted for there
    return buffer.add(deletion, 0, false, origin, 0)
  }

  /** The two halves of a change of key go out together. */
  link(a: Entry, b: Entry): void {
    a.linked = [...(a.linked ?? []), b]
    b.linked = [...(b.linked ?? []), a]
  }

  /** To be called after each record: flushes if a threshold is reached (rule B1). */
  afterRecord(): void {
    if (this.#options.plan.flush.align === 'group') return
    this.#flushIfDue()
  }

  /** A group has ended: holds of its keys are over, and an aligned flush may be cut here (rules K2, B2). */
  afterGroup(): void {
    for (const lane of this.#lanes) releaseHolds(lane)
    this.#flushIfDue()
  }

  /** The buffer is full: what can go goes, holds included. */
  relieve(): void {
    for (const lane of this.#lanes) {
      releaseHolds(lane)
      this.#trigger(lane, 'pressure')
    }
  }

  /** Sends everything and waits until it is durable. Throws the domain's failure. */
  async flush(trigger: FlushTrigger): Promise<void> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure
      for (const lane of this.#lanes) {
        releaseHolds(lane)
        this.#trigger(lane, trigger)
      }
      if (this.bufferedRows === 0 && this.#inFlight.size === 0) {
        for (const lane of this.#lanes) lane.pending = undefined
        return
      }
      await this.#anySettled()
    }
  }

  /** Empties a table in the store; everything before must be flushed, nothing may be added until it resolves (rule K5). */
  async truncate(table: number): Promise<void> {
    assert(this.bufferedRows === 0 && this.#inFlight.size === 0, 'truncate comes after a flush')
    const lane = must(this.#lanes[0], 'a domain has a lane')
    const batch = this.#batch(lane, [{ table, truncate: true, waves: [] }], 0, 0, true)
    const cut = cutOf(batch, [], 'truncate')
    this.#inFlight.add(cut)
    await this.#run(lane, cut)
    if (this.#failure !== undefined) throw this.#failure
  }

  /**
   * Sends a part of a group that is larger than the buffer into one open transaction (rule B2). `last` commits.
   * A failure is final: the group can only come again from the durable position.
   */
  async sendPart(last: boolean): Promise<void> {
    const lane = must(this.#lanes[0], 'a domain has a lane')
    releaseHolds(lane)
    const cut = this.#cut(lane, 'group', last)
    if (cut !== undefined) await this.#run(lane, cut)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Entries that were accepted and will not be written: those of a failed flush and, after it, the buffer's. */
  unwritten(): readonly Entry[] {
    const buffered = this.#lanes.flatMap(({ buffers }) => buffers.flatMap(({ entries }) => [...entries.values()]))
    return [...this.#failedEntries, ...buffered]
  }

  /** No more flushes are started; those under way end by the signal. */
  stop(failure: TidegateError): void {
    this.#failure ??= failure
    this.#stopTimers()
  }

  async close(): Promise<void> {
    this.#stopTimers()
    await Promise.allSettled(this.#lanes.map(({ queue }) => queue.onIdle()))
    await this.#options.writer.close()
  }

  #laneOf(key: FoldKey): Lane {
    return this.#lanes[laneOf(key, this.#lanes.length)] as Lane
  }

  #buffer(lane: Lane, table: number): FoldBuffer {
    return lane.buffers[table] as FoldBuffer
  }

  #flushIfDue(): void {
    const { maxRows, maxBytes, intervalMs } = this.#options.plan.flush
    for (const lane of this.#lanes) {
      if (maxRows > 0 && lane.load.rowCount >= maxRows) this.#trigger(lane, 'rows')
      else if (maxBytes > 0 && lane.load.byteCount >= maxBytes) this.#trigger(lane, 'bytes')
    }
    if (this.#timer === undefined && intervalMs > 0 && this.bufferedRows > 0) this.#startTimer()
  }

  #startTimer(): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      for (const lane of this.#lanes) this.#trigger(lane, 'interval')
      if (this.bufferedRows > 0) this.#startTimer()
    }, this.#options.plan.flush.intervalMs)
  }

  #stopTimers(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    clearInterval(this.#sweeper)
  }

  /** Tombstones whose retention is over are removed between flushes, a few times in each retention (rule G2). */
  #startSweeping(): NodeJS.Timeout | undefined {
    const { tables, writer } = this.#options
    const retentions = tables.flatMap(({ plan }) =>
      plan.merge.deletedAt === undefined || plan.tombstoneRetention === 'forever' ? [] : [plan.tombstoneRetention],
    )
    if (retentions.length === 0 || writer.sweep === undefined) return undefined
    const every = Math.min(Math.max(Math.min(...retentions) / 4, sweepIntervalMinMs), sweepIntervalMaxMs)
    return setInterval(() => void this.#sweep(), every).unref()
  }

  async #sweep(): Promise<void> {
    const { writer, onEvent } = this.#options
    const [lane] = this.#lanes
    try {
      await lane?.queue.add(async () => await writer.sweep?.())
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      publishEvent(
        { type: 'warning', table: undefined, message: `old tombstones could not be removed: ${reason}` },
        onEvent,
      )
    }
  }

  #retrigger(lane: Lane): void {
    const { pending } = lane
    lane.pending = undefined
    if (pending !== undefined) this.#trigger(lane, pending)
  }

  #trigger(lane: Lane, trigger: FlushTrigger): void {
    if (this.#failure !== undefined) return
    // cutting late, when the queue has room, leaves the rows in the buffer where they go on folding
    if (lane.queue.pending >= lane.queue.concurrency) {
      lane.pending ??= trigger
      return
    }
    if (this.#postpones(lane, trigger)) return
    const cut = this.#cut(lane, trigger, true)
    if (cut === undefined) return
    void lane.queue.add(() => this.#run(lane, cut))
  }

  /** Under exactly-once a flush must hold every record up to its position, so held keys put it off once (rule K2). */
  #postpones(lane: Lane, trigger: FlushTrigger): boolean {
    if (this.#options.plan.delivery.guarantee !== 'exactly-once') return false
    if (!lane.buffers.some(({ heldEntries }) => heldEntries.size > 0)) return false
    if (trigger === 'pressure' || this.#postponed) {
      releaseHolds(lane)
      this.#postponed = false
      return false
    }
    this.#postponed = true
    return true
  }

  #cut(lane: Lane, trigger: FlushTrigger, commit: boolean): Cut | undefined {
    const { plan } = this.#options
    const whole = plan.delivery.guarantee === 'exactly-once' || plan.flush.align === 'group' || !commit
    const limit = whole || plan.flush.maxRows === 0 ? Number.POSITIVE_INFINITY : plan.flush.maxRows
    const taken = new Set<Entry>()
    for (const buffer of lane.buffers) {
      if (taken.size >= limit) break
      if (buffer.heldEntries.size > 0) releaseOverdue(buffer, lane.flushCount)
      for (const entry of buffer.entries.values()) {
        if (taken.size >= limit) break
        this.#take(entry, taken)
      }
    }
    lane.flushCount++
    // an open transaction is committed even if its last part is empty
    if (taken.size === 0 && !(commit && this.#partOpen)) return undefined
    return this.#seal(lane, [...taken], trigger, commit)
  }

  /** Takes the entry with everything linked to it, or nothing if one of them must wait. */
  #take(entry: Entry, taken: Set<Entry>): void {
    if (entry.heldSince >= 0 || taken.has(entry)) return
    if (entry.linked === undefined) {
      if (!this.#keyInFlight(entry)) taken.add(entry)
      return
    }
    const together = [...linkedWith(entry)].filter((one) => this.entryOf(one.table, one.key) === one)
    if (together.some((one) => one.heldSince >= 0 || this.#keyInFlight(one))) return
    for (const one of together) taken.add(one)
  }

  #keyInFlight(entry: Entry): boolean {
    const keys = this.#keysInFlight[entry.table] as Set<FoldKey>
    return keys.size > 0 && keys.has(entry.key)
  }

  #seal(lane: Lane, entries: readonly Entry[], trigger: FlushTrigger, commit: boolean): Cut {
    const byTable = new Map<number, Entry[]>()
    let byteCount = 0
    for (const entry of entries) {
      byteCount += entry.byteCount
      this.#buffer(this.#laneOf(entry.key), entry.table).remove(entry)
      this.#keysInFlight[entry.table]?.add(entry.key)
      const ofTable = byTable.get(entry.table)
      if (ofTable === undefined) byTable.set(entry.table, [entry])
      else ofTable.push(entry)
    }
    const tables = [...byTable].map(([table, ofTable]) => ({
      table,
      truncate: false,
      waves: this.#waves(table, ofTable),
    }))
    const rows = tables.reduce((count, table) => count + countChanges(table), 0)
    const cut = cutOf(this.#batch(lane, tables, rows, byteCount, commit), entries, trigger)
    this.#inFlight.add(cut)
    this.#inFlightBytes += byteCount
    return cut
  }

  #waves(table: number, entries: Entry[]): readonly Wave[] {
    const { plan, keys } = this.#options.tables[table] as DomainTable
    if (plan.merge.key.length > 0) {
      const { compareKeys } = keys
      entries.sort(
        compareKeys === undefined ? (a, b) => keys.compare(rowOf(a), rowOf(b)) : (a, b) => compareKeys(a.key, b.key),
      )
    }
    const waves: MergeChange[][] = [[]]
    for (const { change, later } of entries) {
      if (change !== undefined) waves[0]?.push(change)
      for (const [index, { change: next }] of (later ?? []).entries()) {
        waves[index + 1] ??= []
        waves[index + 1]?.push(next)
      }
    }
    return waves
  }

  #batch(lane: Lane, tables: readonly TableBatch[], rows: number, bytes: number, commit: boolean): WriteBatch {
    this.#batchCount++
    return {
      id: `${this.#options.plan.delivery.sinkId ?? 'tidegate'}-${this.#sinkRun}-${this.#batchCount}`,
      lane: this.#lanes.indexOf(lane),
      positions: this.#options.positionsAt(Math.min(this.#oldestPending(), this.#options.arrivalBound())),
      tables,
      commit,
      rowCount: rows,
      byteCount: bytes,
    }
  }

  /** Oldest record in the buffers and under way. */
  #oldestPending(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const lane of this.#lanes) {
      for (const { entries } of lane.buffers) {
        const [first] = entries.values()
        if (first !== undefined) oldest = Math.min(oldest, first.firstArrival)
      }
    }
    for (const cut of this.#inFlight) oldest = Math.min(oldest, cut.firstArrival)
    return oldest
  }

  async #run(lane: Lane, cut: Cut): Promise<void> {
    const { connector, writer, plan, signal, onEvent } = this.#options
    const started = performance.now()
    try {
      const { result, attempts } = await deliverBatch(cut.batch, {
        connector,
        writer,
        delivery: cut.batch.commit && !this.#partOpen ? plan.delivery : { ...plan.delivery, maxRetries: 0 },
        context: { signal, reject: (rejected) => this.#reject(cut, rejected) },
        onRetry: (attempt, retriesLeft, delayMs, reason) =>
          publishEvent({ type: 'retry', connector: connector.name, attempt, retriesLeft, delayMs, reason }, onEvent),
      })
      this.#partOpen = !cut.batch.commit
      this.#settle(cut, result, attempts, performance.now() - started)
    } catch (error) {
      if (error instanceof GroupRejection) await this.#dropGroup(cut, error)
      else this.#fail(cut, error)
    }
    this.#options.onSettled()
    this.#settling.wake()
    // the place in the queue is free only after this task has ended
    if (lane.pending !== undefined) setImmediate(() => this.#retrigger(lane))
  }

  #settle(cut: Cut, result: WriteResult, attempts: number, durationMs: number): void {
    const { account, connector, onEvent } = this.#options
    let written = 0
    let stale = 0
    for (const table of result.tables) {
      written += table.written
      stale += table.stale
    }
    const records = recordsIn(cut.entries)
    const uncounted = uncountedIn(cut.entries) - cut.rejectedUncounted
    // the store counts them with the rest, and most often writes them
    const writtenRecords = Math.max(0, written - uncounted)
    const staleRecords = Math.max(0, stale - Math.max(0, uncounted - written))
    this.#uncommitted.push(() => {
      account.written += writtenRecords
      account.stale += staleRecords
      account.folded += records - cut.rejectedRecords - writtenRecords - staleRecords
    })
    if (cut.batch.commit) for (const count of this.#uncommitted.splice(0)) count()
    this.#release(cut)
    publishEvent(
      {
        type: 'flush',
        connector: connector.name,
        trigger: cut.trigger,
        rows: cut.batch.rowCount,
        bytes: cut.batch.byteCount,
        written,
        stale,
        rejected: cut.rejectedChanges,
        attempts,
        durationMs,
      },
      onEvent,
    )
  }

  #fail(cut: Cut, error: unknown): void {
    this.#failedEntries.push(...cut.entries)
    this.#release(cut)
    this.#failure ??=
      error instanceof TidegateError
        ? error
        : new TidegateError(`a flush failed: ${String(error)}`, { code: 'FLUSH_FAILED', cause: error })
    this.#stopTimers()
  }

  #release(cut: Cut): void {
    this.#inFlight.delete(cut)
    this.#inFlightBytes -= cut.byteCount
    for (const entry of cut.entries) this.#keysInFlight[entry.table]?.delete(entry.key)
  }

  async #dropGroup(cut: Cut, { message }: GroupRejection): Promise<void> {
    try {
      await this.#options.onGroupRejected(cut.entries, message)
      this.#options.account.rejected += recordsIn(cut.entries)
      this.#release(cut)
    } catch (error) {
      this.#fail(cut, error)
    }
  }

  async #reject(cut: Cut, rejected: readonly RejectedChange[]): Promise<void> {
    const { account, onRejected, plan, keepsGoing } = this.#options
    const [first] = rejected
    if (first !== undefined && plan.delivery.failureScope === 'group' && keepsGoing) {
      throw new GroupRejection(first.reason)
    }
    const found = rejected.map((one) => this.#locate(cut, one))
    await onRejected(found)
    for (const { records } of found) {
      cut.rejectedRecords += records
      cut.rejectedChanges++
      if (records === 0) cut.rejectedUncounted++
      account.rejected += records
    }
  }

  #locate(cut: Cut, rejected: RejectedChange): RejectedEntry {
    const { key } = rejected.change
    const entry = must(
      cut.entries.find((one) => one.table === rejected.table && one.key === key),
      'a rejected change is one of the batch',
    )
    const later = entry.later?.find(({ change }) => change === rejected.change)
    return {
      ...rejected,
      records: later?.records ?? entry.records,
      record: entry.record,
      position: entry.position,
    }
  }

  async #anySettled(): Promise<void> {
    if (this.#inFlight.size === 0) {
      // nothing under way and rows left: the queue frees its place in this turn of the loop
      await new Promise<void>((resolve) => setImmediate(resolve))
      return
    }
    await this.#settling.next()
  }
}

/** Makes the writer roll back: a flush holds one group, and the whole group goes to the failure handler (rule R3). */
class GroupRejection extends TidegateError {
  constructor(reason: string) {
    super(reason, { code: 'ROW_REJECTED' })
  }
}

/** So many batches' worth of rows may wait in the buffer; folding gains little beyond. */
const bufferedBatchesMax = 4

const sweepIntervalMinMs = 1000
const sweepIntervalMaxMs = 600_000

function cutOf(batch: WriteBatch, entries: readonly Entry[], trigger: FlushTrigger): Cut {
  return {
    batch,
    entries,
    trigger,
    firstArrival: entries.reduce((first, entry) => Math.min(first, entry.firstArrival), Number.POSITIVE_INFINITY),
    byteCount: batch.byteCount,
    rejectedRecords: 0,
    rejectedChanges: 0,
    rejectedUncounted: 0,
  }
}

function rowOf(entry: Entry): MergeChange['row'] & never[] {
  return must(entry.change, 'a held key is not cut').row as MergeChange['row'] & never[]
}

function recordsIn(entries: readonly Entry[]): number {
  let records = 0
  for (const entry of entries) records += countRecords(entry)
  return records
}

function uncountedIn(entries: readonly Entry[]): number {
  let changes = 0
  for (const entry of entries) changes += countUncounted(entry)
  return changes
}

function releaseHolds(lane: Lane): void {
  for (const buffer of lane.buffers) {
    for (const entry of buffer.heldEntries) buffer.releaseHeld(entry)
  }
}

/** A hold lasts until the second flush after it (rule K2). */
function releaseOverdue(buffer: FoldBuffer, flushCount: number): void {
  for (const entry of buffer.heldEntries) {
    if (flushCount > entry.heldSince) buffer.releaseHeld(entry)
  }
}

function linkedWith(entry: Entry): Set<Entry> {
  const together = new Set<Entry>([entry])
  for (const one of together) {
    for (const other of one.linked ?? []) together.add(other)
  }
  return together
}
