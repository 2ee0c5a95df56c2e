import type { Position } from '../changelog/position.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { MergeFunction } from '../merge/merge-function.ts'
import type { FoldKey } from '../row/row-key.ts'
import type { AccountCounters } from './account.ts'
import type { Entry, HeldUpdateBefore } from './entry.ts'

/** Where a record came from. */
export interface Origin {
  readonly arrival: number
  readonly record: number | undefined
  readonly position: Position | undefined
}

/** What the buffers of one lane hold together. */
export interface BufferLoad {
  rowCount: number
  byteCount: number
}

/**
 * Pending changes of one table in one lane, one entry a key, in the order in which the keys first came: the first entry
 * always holds the oldest record.
 */
export class FoldBuffer {
  readonly entries = new Map<FoldKey, Entry>()
  /** Keys whose last record is an unpaired update-before. */
  readonly heldEntries = new Set<Entry>()
  readonly #table: number
  readonly #merge: MergeFunction
  readonly #account: AccountCounters
  readonly #load: BufferLoad

  constructor(table: number, merge: MergeFunction, account: AccountCounters, load: BufferLoad) {
    this.#table = table
    this.#merge = merge
    this.#account = account
    this.#load = load
  }

  /**
   * Folds a change into its key's entry. `isAdd`: it ends a hold, as the update-after that was waited for. `records`: how
   * many accepted changes it stands for, 0 if they are counted elsewhere.
   */
  add(change: MergeChange, byteCount: number, isAdd: boolean, origin: Origin, records: 0 | 1 = 1): Entry {
    const entry = this.entries.get(change.key)
    if (entry === undefined) return this.#insert(change, byteCount, change.key, origin, records)
    if (entry.heldSince >= 0) {
      if (isAdd && entry.held !== undefined && !this.#outdates(entry.held, change)) this.#dropHeld(entry)
      else this.#releaseHeld(entry)
    }
    entry.record = origin.record
    entry.position = origin.position
    this.#fold(entry, change, byteCount, records)
    return entry
  }

  /** As `add`, for an update-before that is an input of the merge function; its key is held until the update-after comes. */
  addHeld(change: MergeChange, byteCount: number, flushCount: number, origin: Origin): Entry {
    const entry = this.add(change, byteCount, false, origin)
    entry.heldSince = flushCount
    this.heldEntries.add(entry)
    return entry
  }

  /** Keeps an update-before aside: dropped if its update-after comes, else folded in or refused when the hold ends. */
  holdUpdateBefore(key: FoldKey, held: HeldUpdateBefore, flushCount: number, origin: Origin): Entry {
    let entry = this.entries.get(key)
    if (entry === undefined) entry = this.#insert(undefined, 0, key, origin, 0)
    else if (entry.heldSince >= 0) this.#releaseHeld(entry)
    entry.held = held
    entry.heldSince = flushCount
    this.#resize(entry, entry.byteCount + held.byteCount)
    entry.record = origin.record
    entry.position = origin.position
    this.heldEntries.add(entry)
    return entry
  }

  /** No update-after came in time: the update-before takes effect. May remove the entry, if nothing else is in it. */
  releaseHeld(entry: Entry): void {
    this.#releaseHeld(entry)
    if (entry.change === undefined) this.remove(entry)
  }

  /** The held update-before turns out to be the first half of a change of key: `change` takes its place. */
  replaceHeld(entry: Entry, change: MergeChange | undefined, origin: Origin): Entry {
    const { held } = entry
    this.#clearHeld(entry)
    if (change === undefined) return entry
    // an update-before that was folded in at once is counted already
    this.#fold(entry, change, held?.byteCount ?? 0, held === undefined ? 0 : 1)
    entry.record = origin.record
    entry.position = origin.position
    return entry
  }

  remove(entry: Entry): void {
    this.entries.delete(entry.key)
    this.heldEntries.delete(entry)
    this.#load.rowCount--
    this.#load.byteCount -= entry.byteCount
  }

  #insert(change: MergeChange | undefined, byteCount: number, key: FoldKey, origin: Origin, records: 0 | 1): Entry {
    const entry: Entry = {
      key,
      table: this.#table,
      change,
      records,
      later: undefined,
      byteCount: byteCount + entryOverhead,
      firstArrival: origin.arrival,
      record: origin.record,
      position: origin.position,
      held: undefined,
      heldSince: -1,
      linked: undefined,
    }
    this.#load.rowCount++
    this.#load.byteCount += entry.byteCount
    this.entries.set(key, entry)
    return entry
  }

  #fold(entry: Entry, change: MergeChange, byteCount: number, records: 0 | 1): void {
    const { change: first, later } = entry
    if (first === undefined) {
      entry.change = change
      entry.records = records
      this.#resize(entry, entry.byteCount + byteCount)
      return
    }
    const last = later === undefined ? undefined : later[later.length - 1]
    const tail = last === undefined ? first : last.change
    // a row that moved here is complete only in the store: nothing but a whole new image may replace it before that
    const composed =
      tail.moveFrom === undefined || change.op === 'delete' ? this.#merge.compose(tail, change) : 'cannot'
    if (composed === 'stale') {
      this.#account.stale += records
      return
    }
    if (composed === 'cannot') {
      if (later === undefined) entry.later = [{ change, records }]
      else later.push({ change, records })
      this.#resize(entry, entry.byteCount + byteCount)
      return
    }
    if (last === undefined) {
      entry.change = composed
      entry.records += records
      // exact where the later change replaces the earlier one, and close enough where both were needed
      if (later === undefined && composed === change) this.#resize(entry, byteCount + entryOverhead)
    } else {
      last.change = composed
      last.records += records
    }
  }

  #resize(entry: Entry, byteCount: number): void {
    this.#load.byteCount += byteCount - entry.byteCount
    entry.byteCount = byteCount
  }

  /** The update-after is older than the version that its update-before took back: then it is no update, and the row goes. */
  #outdates({ change: held }: HeldUpdateBefore, change: MergeChange): boolean {
    return held !== undefined && this.#merge.compose(held, change) === 'stale'
  }

  #dropHeld(entry: Entry): void {
    entry.held?.dropped?.()
    this.#account.ignored++
    this.#clearHeld(entry)
  }

  #releaseHeld(entry: Entry): void {
    const { held } = entry
    this.#clearHeld(entry)
    if (held === undefined) return
    if (held.change === undefined) held.reject?.()
    else this.#fold(entry, held.change, held.byteCount, 1)
  }

  #clearHeld(entry: Entry): void {
    if (entry.held !== undefined) this.#resize(entry, entry.byteCount - entry.held.byteCount)
    entry.held = undefined
    entry.heldSince = -1
    this.heldEntries.delete(entry)
  }
}

/** Bytes of an entry and its place in the map, beside the row. Measured on Node 20, rounded up. */
const entryOverhead = 240
