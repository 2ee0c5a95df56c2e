/** Grows as it is written; integers are little-endian. https://clickhouse.com/docs/interfaces/formats/RowBinary */
export class RowBinary {
  #buffer = Buffer.allocUnsafe(64 * 1024)
  #view = viewOf(this.#buffer)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** What was written; the writer starts anew. */
  take(): Buffer {
    const taken = Buffer.from(this.#buffer.subarray(0, this.#length))
    this.#length = 0
    return taken
  }

  /** Forgets what was written since. */
  rewind(length: number): void {
    this.#length = length
  }

  byte(value: number): void {
    this.#reserve(1)
    this.#buffer[this.#length++] = value
  }

  int(value: number, bytes: number): void {
    this.#reserve(bytes)
    this.#buffer.writeIntLE(value, this.#length, bytes)
    this.#length += bytes
  }

  /** Two's complement in 8 bytes; of a larger integer the lowest ones. */
  long(value: bigint): void {
    this.#reserve(8)
    this.#view.setBigInt64(this.#length, value, true)
    this.#length += 8
  }

  /** `bytes`: a multiple of 8; two's complement. */
  wide(value: bigint, bytes: number): void {
    let rest = value
    for (let at = 0; at < bytes; at += 8) {
      this.long(rest)
      rest >>= 64n
    }
  }

  float(value: number): void {
    this.#reserve(4)
    this.#buffer.writeFloatLE(value, this.#length)
    this.#length += 4
  }

  double(value: number): void {
    this.#reserve(8)
    this.#buffer.writeDoubleLE(value, this.#length)
    this.#length += 8
  }

  text(value: string): void {
    // a code unit takes three bytes at most, so that the length of a short text takes one byte
    if (value.length < 42) {
      this.#reserve(1 + value.length * 3)
      const bytes = this.#buffer.write(value, this.#length + 1)
      this.#buffer[this.#length] = bytes
      this.#length += 1 + bytes
      return
    }
    const bytes = Buffer.byteLength(value)
    this.#size(bytes)
    this.#reserve(bytes)
    this.#buffer.write(value, this.#length)
    this.#length += bytes
  }

  bytes(value: Uint8Array): void {
    this.#size(value.length)
    this.#reserve(value.length)
    this.#buffer.set(value, this.#length)
    this.#length += value.length
  }

  /** LEB128. */
  #size(value: number): void {
    let rest = value
    while (rest >= 0x80) {
      this.byte((rest & 0x7f) | 0x80)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes))
    this.#buffer.copy(larger, 0, 0, this.#length)
    this.#buffer = larger
    this.#view = viewOf(larger)
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength)
}
