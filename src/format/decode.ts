import { Transform, type TransformCallback } from 'node:stream'
import { createGunzip, type Gunzip } from 'node:zlib'
import { TidegateError } from '../errors.ts'
import type { Format, InputRecord } from './format.ts'
import { LineSplitter } from './line-splitter.ts'
import { StreamDecoder, type StreamDecoderOptions } from './stream-decoder.ts'

export interface DecodeOptions extends Omit<StreamDecoderOptions, 'format'> {
  /** Bytes; a longer line is reported as malformed. Default 64 MiB. */
  readonly lineMax?: number | undefined
}

/**
 * A transform for pipelines: changelog elements come out of what goes in.
 *
 * - Text and bytes are NDJSON: cut into lines wherever the chunks end, gzip or not.
 * - An object is one record: a value that a client has decoded, a Kafka record as its client hands it out, or an
 *   `InputRecord`, e.g. `{ value: Buffer }`.
 *
 * Without a format it is found out from the first records. The stream is destroyed with `INPUT_MALFORMED` (or as
 * `onMalformed` says), `FORMAT_UNKNOWN` or `OPTION_INVALID`; the latter is thrown at once where the format is named.
 */
export function decode(format?: Format | string, options: DecodeOptions = {}): DecodeStream {
  return new DecodeStream({ ...options, format })
}

/** Milliseconds without input after which a delete that waits for the create of its update is let go. */
const idleTime = 200

export class DecodeStream extends Transform {
  readonly #decoder: StreamDecoder
  readonly #lines: LineSplitter
  readonly #idle: NodeJS.Timeout
  #gunzip: Gunzip | undefined
  #isStarted = false

  constructor({ lineMax, ...options }: StreamDecoderOptions & Pick<DecodeOptions, 'lineMax'>) {
    super({ writableObjectMode: true, readableObjectMode: true, readableHighWaterMark: 1024 })
    this.#decoder = new StreamDecoder(options)
    this.#lines = new LineSplitter(lineMax)
    this.#idle = setTimeout(() => this.#decoder.release(this.#emit), idleTime).unref()
  }

  /** Undefined until it is found out. */
  get format(): Format | undefined {
    return this.#decoder.format
  }

  /** Records that came, and those of them that could not be read. */
  get counts(): { readonly records: number; readonly malformed: number } {
    return { records: this.#decoder.recordCount, malformed: this.#decoder.malformedCount }
  }

  override _transform(chunk: unknown, encoding: BufferEncoding, callback: TransformCallback): void {
    this.#idle.refresh()
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk
    if (bytes instanceof Uint8Array) this.#takeBytes(bytes, callback)
    else this.#run(() => this.#takeObject(chunk), callback)
  }

  override _flush(callback: TransformCallback): void {
    clearTimeout(this.#idle)
    const finish = () =>
      this.#run(() => {
        this.#lines.end(this.#decodeRecord)
        this.#decoder.end(this.#emit)
      }, callback)
    if (this.#gunzip === undefined) finish()
    else this.#gunzip.once('end', finish).end()
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#idle)
    this.#gunzip?.destroy()
    callback(error)
  }

  readonly #emit = (element: unknown): void => {
    this.push(element)
  }

  readonly #decodeRecord = (record: InputRecord): void => {
    this.#decoder.decode(record, this.#emit)
  }

  #takeBytes(bytes: Uint8Array, callback: TransformCallback): void {
    if (!this.#isStarted && bytes[0] === 0x1f && bytes[1] === 0x8b) this.#gunzip = this.#startGunzip()
    this.#isStarted = true
    if (this.#gunzip === undefined) this.#run(() => this.#lines.push(bytes, this.#decodeRecord), callback)
    else this.#gunzip.write(bytes, callback)
  }

  #startGunzip(): Gunzip {
    return createGunzip()
      .on('data', (bytes: Buffer) =>
        this.#run(
          () => this.#lines.push(bytes, this.#decodeRecord),
          (error) => error && this.destroy(error),
        ),
      )
      .on('error', (cause) => {
        const message = `the input is not whole gzip after line ${this.#lines.lineCount}`
        this.destroy(new TidegateError(message, { code: 'INPUT_MALFORMED', cause }))
      })
  }

  #takeObject(chunk: unknown): void {
    const record = this.#decoder.recordCount + 1
    if (typeof chunk !== 'object' || chunk === null) {
      this.#decodeRecord({ value: null, record, fault: `is a ${typeof chunk}, and no record` })
    } else {
      this.#decodeRecord(isInputRecord(chunk) ? { record, ...chunk } : { value: chunk, record })
    }
  }

  #run(step: () => void, callback: (error?: Error | null) => void): void {
    try {
      step()
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)))
      return
    }
    callback()
  }
}

const recordMembers = new Set(['value', 'key', 'headers', 'topic', 'partition', 'offset', 'record'])

/** Has a value that is not decoded yet; a decoded `{ value: … }` might be a row. */
function isInputRecord(chunk: object): chunk is InputRecord {
  if (!('value' in chunk)) return false
  const { value } = chunk
  const isUndecoded = typeof value === 'string' || value instanceof Uint8Array || value === null
  return isUndecoded && Object.keys(chunk).every((name) => recordMembers.has(name))
}
