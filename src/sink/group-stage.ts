import type { Origin } from '../buffer/fold-buffer.ts'
import type { Change } from '../changelog/element.ts'

/** A change that waits for the end of its group, or of its record. */
export interface StagedChange {
  readonly change: Change
  /** Indexes of the sink's tables that it is for. */
  readonly tables: readonly number[]
  readonly origin: Origin
}

export interface StagedGroup {
  readonly id: string
  readonly changes: StagedChange[]
  /** Arrival of its oldest change: nothing from there on is durable before the group has ended and is committed. */
  readonly firstArrival: number
  byteCount: number
  /** Larger than the buffer: its changes go into one open transaction as they come. */
  streaming: boolean
}

export function endsWithPosition({ changes }: StagedGroup): boolean {
  return changes.at(-1)?.change.position !== undefined
}

/** Changes that wait: for the end of their group (rule B2), or under exactly-once for the next position (rule R5). */
export class GroupStage {
  readonly #groups = new Map<string, StagedGroup>()
  byteCount = 0

  get size(): number {
    return this.#groups.size
  }

  get changeCount(): number {
    let count = 0
    for (const { changes } of this.#groups.values()) {
      for (const { tables } of changes) count += tables.length
    }
    return count
  }

  /** Oldest record of the groups that are open; Infinity if none is. */
  get oldestArrival(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { firstArrival } of this.#groups.values()) oldest = Math.min(oldest, firstArrival)
    return oldest
  }

  /** A part of a group may be in an open transaction. */
  get isStreaming(): boolean {
    for (const { streaming } of this.#groups.values()) if (streaming) return true
    return false
  }

  get(id: string): StagedGroup | undefined {
    return this.#groups.get(id)
  }

  add(id: string, change: Change, tables: readonly number[], origin: Origin): StagedGroup {
    let group = this.#groups.get(id)
    if (group === undefined) {
      group = { id, changes: [], firstArrival: origin.arrival, byteCount: 0, streaming: false }
      this.#groups.set(id, group)
    }
    const byteCount = sizeOf(change)
    group.changes.push({ change, tables, origin: { ...origin } })
    group.byteCount += byteCount
    this.byteCount += byteCount
    return group
  }

  /** The group's changes leave the stage; the group stays open. */
  drain(group: StagedGroup): readonly StagedChange[] {
    const changes = group.changes.splice(0)
    this.byteCount -= group.byteCount
    group.byteCount = 0
    return changes
  }

  /** The open group of that id; without an id, the oldest one. */
  find(id: string | undefined): StagedGroup | undefined {
    const [oldest] = this.#groups.keys()
    return this.#groups.get(id ?? oldest ?? '')
  }

  close(group: StagedGroup): void {
    this.#groups.delete(group.id)
  }

  largest(): StagedGroup | undefined {
    let largest: StagedGroup | undefined
    for (const group of this.#groups.values()) {
      if (largest === undefined || group.byteCount > largest.byteCount) largest = group
    }
    return largest
  }
}

/** Rough size of a change that waits for its group; the exact one is known once its row has been read. */
function sizeOf(change: Change): number {
  let size = 200
  for (const value of Object.values(change.row)) size += 24 + (typeof value === 'string' ? value.length : 8)
  return size
}
