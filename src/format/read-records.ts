import { createReadStream } from 'node:fs'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { TidegateError } from '../errors.ts'
import type { InputRecord } from './format.ts'
import { LineSplitter } from './line-splitter.ts'

export interface ReadOptions {
  /** Bytes; a longer line is reported as malformed. Default 64 MiB. */
  readonly lineMax?: number | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Records of a file (`-`: standard input) or a stream of bytes, one a line, in batches of a chunk each. Gzip is recognised
 * by its first bytes. Throws `INPUT_MALFORMED` if the input cannot be opened, or its gzip is broken.
 */
export async function* readRecordBatches(
  source: string | Readable | AsyncIterable<Uint8Array | string>,
  { lineMax, signal }: ReadOptions = {},
): AsyncGenerator<readonly InputRecord[], void, undefined> {
  const splitter = new LineSplitter(lineMax)
  try {
    for await (const chunk of inflate(openSource(source))) {
      signal?.throwIfAborted()
      const batch: InputRecord[] = []
      splitter.push(chunk, (record) => batch.push(record))
      if (batch.length > 0) yield batch
    }
  } catch (error) {
    throw signal?.aborted ? error : readError(error, source, splitter.lineCount)
  }
  const batch: InputRecord[] = []
  splitter.end((record) => batch.push(record))
  if (batch.length > 0) yield batch
}

/** The same, one by one. */
export async function* readRecords(
  source: string | Readable | AsyncIterable<Uint8Array | string>,
  options: ReadOptions = {},
): AsyncGenerator<InputRecord, void, undefined> {
  for await (const batch of readRecordBatches(source, options)) yield* batch
}

const chunkSize = 256 * 1024

function openSource(
  source: string | Readable | AsyncIterable<Uint8Array | string>,
): AsyncIterable<Uint8Array | string> {
  if (typeof source !== 'string') return source
  return source === '-' ? process.stdin : createReadStream(source, { highWaterMark: chunkSize })
}

/** The bytes of a source, out of their gzip if they are in one. */
async function* inflate(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const chunks = bytesOf(source)[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  // a pipe may give less than the two bytes that tell
  while (head.length < 2) {
    const { value, done } = await chunks.next()
    if (done) break
    head = head.length === 0 ? value : Buffer.concat([head, value])
  }
  const rest = prepend(head, chunks)
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(rest)
  else yield* rest
}

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflated = createGunzip({ chunkSize })
  // a fault on either side ends both, and is thrown by the iteration
  pipeline(Readable.from(chunks, { objectMode: false }), inflated, () => undefined)
  yield* inflated as AsyncIterable<Buffer>
}

async function* bytesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

async function* prepend(head: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  try {
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

function readError(error: unknown, source: unknown, lineCount: number): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const name = typeof source === 'string' && source !== '-' ? source : 'the input'
  const after = lineCount === 0 ? '' : ` after line ${lineCount}`
  if (code.startsWith('Z_')) {
    return new TidegateError(`${name} is not whole gzip${after}`, { code: 'INPUT_MALFORMED', cause: error })
  }
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'does not exist',
    EACCES: 'may not be read',
    EISDIR: 'is a directory',
  }
  const reason = reasons[code]
  if (reason === undefined) return error
  return new TidegateError(`${name} ${reason}`, { code: 'INPUT_MALFORMED', cause: error })
}
