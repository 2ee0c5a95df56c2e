import type { InputRecord } from './format.ts'

/** A line longer than this is no record of any format; it is skipped without being kept, and reported. */
export const defaultLineMax = 64 * 1024 * 1024

const newline = 10
const carriageReturn = 13

/**
 * Cuts chunks into records, one a line: LF or CRLF, a byte order mark at the start, a last line without its end. Blank
 * lines are no records, but they count, so that numbers are those of an editor.
 */
export class LineSplitter {
  /** Lines so far. */
  lineCount = 0
  readonly #lineMax: number
  #parts: Uint8Array[] = []
  #partsLength = 0

  constructor(lineMax: number = defaultLineMax) {
    this.#lineMax = lineMax
  }

  /** Hands each line that the chunk completes to `onRecord`; the chunk must not be changed afterwards. */
  push(chunk: Uint8Array, onRecord: (record: InputRecord) => void): void {
    let from = 0
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#endLine(chunk.subarray(from, end), onRecord)
      from = end + 1
    }
    if (from < chunk.length) this.#keep(chunk.subarray(from))
  }

  /** The last line, if it has no line end. */
  end(onRecord: (record: InputRecord) => void): void {
    if (this.#partsLength > 0) this.#endLine(new Uint8Array(), onRecord)
  }

  /** Keeps the beginning of a line; of one that is too long, only its length. */
  #keep(part: Uint8Array): void {
    this.#partsLength += part.length
    if (this.#partsLength > this.#lineMax) this.#parts = []
    else this.#parts.push(part)
  }

  #endLine(rest: Uint8Array, onRecord: (record: InputRecord) => void): void {
    const record = ++this.lineCount
    const length = this.#partsLength + rest.length
    const parts = this.#parts
    this.#parts = []
    this.#partsLength = 0
    if (length > this.#lineMax) {
      onRecord({ value: null, record, offset: record, fault: `is longer than ${this.#lineMax} bytes` })
      return
    }
    const whole = parts.length === 0 ? rest : Buffer.concat([...parts, rest], length)
    const line = trimLine(record === 1 && hasByteOrderMark(whole) ? whole.subarray(3) : whole)
    if (line.length > 0) onRecord({ value: line, record, offset: record })
  }
}

function hasByteOrderMark(line: Uint8Array): boolean {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf
}

function trimLine(line: Uint8Array): Uint8Array {
  const trimmed = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  return trimmed.length > 0 && isBlank(trimmed) ? trimmed.subarray(0, 0) : trimmed
}

function isBlank(line: Uint8Array): boolean {
  for (const code of line) if (code !== 32 && code !== 9) return false
  return true
}
