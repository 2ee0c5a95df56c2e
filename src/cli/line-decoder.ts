import type { ChangelogElement } from '../changelog/element.ts'
import type { Position, Positions } from '../changelog/position.ts'
import type { Emit, InputRecord } from '../format/format.ts'
import { StreamDecoder, type StreamDecoderOptions } from '../format/stream-decoder.ts'

export interface LineDecoderOptions extends StreamDecoderOptions {
  /** Of the input, see `ChangelogFile.identity`. */
  readonly identity: string
  /** What a table is called in the stream, if the input calls it otherwise (dead letters do). */
  readonly renameTable?: ((table: string) => string) | undefined
}

/**
 * Decodes the lines of one file and says of each change where in the file it stands: the offset of a position is the number
 * of a line, its partition the input (and the partition of the source, where records tell it). Lines that are written
 * already are decoded all the same, since later ones may need what they say.
 */
export class LineDecoder {
  /** Changes and marks of lines that are written already. */
  skippedCount = 0
  readonly #decoder: StreamDecoder
  readonly #options: LineDecoderOptions
  /** Line that is being decoded; one behind the last while the end is. */
  #line = 0
  /** By partition, the last line that is written already. */
  #written: ReadonlyMap<string, number> = new Map()
  /** By partition, the newest line that was given out. */
  readonly #newest = new Map<string, number>()

  constructor(options: LineDecoderOptions) {
    this.#options = options
    this.#decoder = new StreamDecoder(options)
  }

  /** Lines that hold a record. */
  get recordCount(): number {
    return this.#decoder.recordCount
  }

  get malformedCount(): number {
    return this.#decoder.malformedCount
  }

  /** Number of the last line that was read. */
  get line(): number {
    return this.#line
  }

  get groupEnd(): StreamDecoder['groupEnd'] {
    return this.#decoder.groupEnd
  }

  /** By partition, the last line that is written already: what it and the lines before it say is passed over. */
  resumeAfter(lines: ReadonlyMap<string, number>): void {
    this.#written = lines
  }

  /** How many lines have been read whose changes are not durable yet, if `durable` is. */
  linesBehind(durable: Positions): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const [partition, line] of this.#newest) {
      const offset = durable.get(partition)
      const reached = typeof offset === 'number' ? offset : (this.#written.get(partition) ?? 0)
      if (reached < line) oldest = Math.min(oldest, reached)
    }
    return Math.max(0, this.#line - Math.min(oldest, this.#line))
  }

  decode(record: InputRecord, emit: Emit): void {
    this.#line = record.record ?? this.#line + 1
    this.#decoder.decode(record, this.#placed(emit))
  }

  /** Nothing has come for a while. */
  release(emit: Emit): void {
    this.#decoder.release(this.#placed(emit))
  }

  end(emit: Emit): void {
    const last = this.#line
    this.#line++
    this.#decoder.end(this.#placed(emit))
    this.#line = last
  }

  #placed(emit: Emit): Emit {
    return (element) => {
      const position = this.#positionOf(element)
      if (this.#isWritten(element, position)) {
        this.skippedCount++
        return
      }
      if (position !== undefined) this.#newest.set(position.partition, Number(position.offset))
      const { renameTable } = this.#options
      const table = 'table' in element && element.table !== undefined ? renameTable?.(element.table) : undefined
      emit({ ...element, ...(table === undefined ? {} : { table }), position } as ChangelogElement)
    }
  }

  /**
   * Where the decoder gives a position, everything before it has been given out. Where it gives none it still has, if the
   * element comes from the line at hand: what waits in a decoder comes before.
   */
  #positionOf({ position, record }: ChangelogElement): Position | undefined {
    if (position === undefined && record !== this.#line) return undefined
    const partition = this.#partitionOf(position)
    return { partition, offset: record ?? this.#line - 1 }
  }

  #partitionOf(position: Position | undefined): string {
    const { identity } = this.#options
    return position === undefined || position.partition === '' ? identity : `${identity}/${position.partition}`
  }

  #isWritten(element: ChangelogElement, position: Position | undefined): boolean {
    const written = this.#written.get(position?.partition ?? this.#options.identity)
    return written !== undefined && (element.record ?? this.#line - 1) <= written
  }
}
