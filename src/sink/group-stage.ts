import type { Origin } from '../buffer/fold-buffer.ts'
import type { Change } from '../changelog/element.ts'

/** A change that waits for the end of its group. */
export interface StagedChange {
  readonly change: Change
  readonly origin: Origin
  readonly byteCount: number
}

export interface StagedGroup {
  readonly id: string
  readonly changes: StagedChange[]
  byteCount: number
  /** Larger than the buffer: its changes go into one open transaction as they come. */
  streaming: boolean
}

/** Changes of groups that have not ended yet, under `sink.flush.align` = `group` (rule B2). */
export class GroupStage {
  readonly #groups = new Map<string, StagedGroup>()
  byteCount = 0

  get size(): number {
    return this.#groups.size
  }

  get changeCount(): number {
    let count = 0
    for (const { changes } of this.#groups.values()) count += changes.length
    return count
  }

  /** Oldest record that waits; Infinity if none does. */
  get oldestArrival(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const { changes } of this.#groups.values()) {
      const [first] = changes
      if (first !== undefined) oldest = Math.min(oldest, first.origin.arrival)
    }
    return oldest
  }

  get(id: string): StagedGroup | undefined {
    return this.#groups.get(id)
  }

  add(id: string, staged: StagedChange): StagedGroup {
    let group = this.#groups.get(id)
    if (group === undefined) {
      group = { id, changes: [], byteCount: 0, streaming: false }
      this.#groups.set(id, group)
    }
    group.changes.push(staged)
    group.byteCount += staged.byteCount
    this.byteCount += staged.byteCount
    return group
  }

  /** The group's changes leave the stage; the group stays open. */
  drain(group: StagedGroup): readonly StagedChange[] {
    const changes = group.changes.splice(0)
    this.byteCount -= group.byteCount
    group.byteCount = 0
    return changes
  }

  /** The group has ended. Without an id: the oldest open one. */
  close(id: string | undefined): StagedGroup | undefined {
    const [oldest] = this.#groups.keys()
    const group = this.#groups.get(id ?? oldest ?? '')
    if (group !== undefined) this.#groups.delete(group.id)
    return group
  }

  largest(): StagedGroup | undefined {
    let largest: StagedGroup | undefined
    for (const group of this.#groups.values()) {
      if (largest === undefined || group.byteCount > largest.byteCount) largest = group
    }
    return largest
  }
}
