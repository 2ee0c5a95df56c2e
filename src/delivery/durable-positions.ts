import type { Offset, Position, Positions } from '../changelog/position.ts'

/** More notes of one partition than this are thinned out; that only makes the durable position coarser, never early. */
const notesMax = 4096

interface Note {
  readonly arrival: number
  readonly offset: Offset
}

/**
 * Which positions may be acknowledged to the source (rule R1): those that arrived before the oldest record that is not
 * yet durable. Arrival numbers grow by one a record; positions of one partition are ordered by arrival.
 */
export class DurablePositions {
  readonly #notes = new Map<string, Note[]>()
  readonly #durable = new Map<string, Offset>()
  /** What has become durable since the start. */
  readonly #advanced = new Map<string, Offset>()
  readonly #readers = new Set<Reader>()
  #ended = false

  constructor(start: Positions = new Map()) {
    for (const [partition, offset] of start) this.#durable.set(partition, offset)
  }

  /** Everything up to this record of the partition has arrived. */
  note(position: Position, arrival: number): void {
    const notes = this.#notes.get(position.partition)
    if (notes === undefined) {
      this.#notes.set(position.partition, [{ arrival, offset: position.offset }])
      return
    }
    notes.push({ arrival, offset: position.offset })
    if (notes.length > notesMax) thin(notes)
  }

  /** All records that arrived before `arrival` are durable, or need not be written. */
  advance(arrival: number): void {
    let moved = false
    for (const [partition, notes] of this.#notes) {
      const count = countBefore(notes, arrival)
      const newest = notes[count - 1]
      if (newest === undefined) continue
      notes.splice(0, count)
      this.#durable.set(partition, newest.offset)
      this.#advanced.set(partition, newest.offset)
      for (const { unread } of this.#readers) unread.set(partition, newest.offset)
      moved = true
    }
    if (moved) this.#wakeReaders()
  }

  /** What `advance(arrival)` would make durable, without doing it. */
  at(arrival: number): Map<string, Offset> {
    const positions = new Map(this.#durable)
    for (const [partition, notes] of this.#notes) {
      const newest = notes[countBefore(notes, arrival) - 1]
      if (newest !== undefined) positions.set(partition, newest.offset)
    }
    return positions
  }

  current(): Positions {
    return new Map(this.#durable)
  }

  /** The partition's records are no longer this sink's business. */
  forget(partition: string): void {
    this.#notes.delete(partition)
    this.#advanced.delete(partition)
    for (const { unread } of this.#readers) unread.delete(partition)
  }

  end(): void {
    this.#ended = true
    this.#wakeReaders()
  }

  /** The newest durable position of each partition, whenever there is a newer one; ends with the sink. */
  async *read(): AsyncGenerator<Position, void, undefined> {
    const reader: Reader = { unread: new Map(this.#advanced), wake: undefined }
    this.#readers.add(reader)
    try {
      for (;;) {
        const [next] = reader.unread
        if (next !== undefined) {
          const [partition, offset] = next
          reader.unread.delete(partition)
          yield { partition, offset }
          continue
        }
        if (this.#ended) return
        await new Promise<void>((resolve) => {
          reader.wake = resolve
        })
      }
    } finally {
      this.#readers.delete(reader)
    }
  }

  #wakeReaders(): void {
    for (const reader of this.#readers) {
      reader.wake?.()
      reader.wake = undefined
    }
  }
}

interface Reader {
  readonly unread: Map<string, Offset>
  wake: (() => void) | undefined
}

function countBefore(notes: readonly Note[], arrival: number): number {
  let low = 0
  let high = notes.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((notes[middle] as Note).arrival < arrival) low = middle + 1
    else high = middle
  }
  return low
}

/** Keeps every second note and the newest. */
function thin(notes: Note[]): void {
  const last = notes.length - 1
  let kept = 0
  for (let index = 0; index <= last; index++) {
    if (index % 2 === 0 || index === last) notes[kept++] = notes[index] as Note
  }
  notes.length = kept
}
