import { createHash } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Readable } from 'node:stream'
import { TidegateError } from '../errors.ts'
import type { Format, InputRecord } from '../format/format.ts'
import { isJsonObject, parseRecord } from '../format/parse-record.ts'
import { readRecordBatches } from '../format/read-records.ts'
import { detectFormat, findFormat } from '../format/registry.ts'
import { reasonOf } from './load-tables.ts'
import { UsageError } from './usage-error.ts'

/** Records looked at before a format that is not recognised is given up. */
const samplesMax = 20

/** With nothing to read for so long, the reader is told that the input is idle. Milliseconds. */
const idleAfterMs = 300

export interface ChangelogFileOptions {
  readonly stdin: Readable
  /** The format that the call names. */
  readonly format?: string | undefined
  /** The format that the tables name: for anything but dead letters, which have a format of their own. */
  readonly tableFormat?: string | undefined
}

/**
 * A file of changes, or standard input (`-`), whose first records have been read: enough to know its format. Throws a
 * `UsageError` if it cannot be opened, and `FORMAT_UNKNOWN`.
 */
export async function openChangelogFile(path: string, options: ChangelogFileOptions): Promise<ChangelogFile> {
  const size = path === '-' ? undefined : await sizeOf(path)
  const source = path === '-' ? options.stdin : createReadStream(path, { highWaterMark: 256 * 1024 })
  const batches = readRecordBatches(source)
  const head = await readHead(batches, options)
  return new ChangelogFile({ name: path === '-' ? 'standard input' : path, path, size, source, batches, head })
}

interface Head {
  /** Undefined if the input is empty and its format not named. */
  readonly format: Format | undefined
  /** Members of the first record by which the format was recognised; undefined if it was named. */
  readonly seen: readonly string[] | undefined
  readonly batches: readonly (readonly InputRecord[])[]
}

interface Parts {
  readonly name: string
  readonly path: string
  readonly size: number | undefined
  readonly source: Readable
  readonly batches: AsyncGenerator<readonly InputRecord[], void, undefined>
  readonly head: Head
}

export class ChangelogFile {
  /** As messages name it. */
  readonly name: string
  readonly format: Format | undefined
  /** Members of the first record by which the format was recognised; undefined if it was named. */
  readonly seen: readonly string[] | undefined
  /** The lines are those that the failure handler `dead-letter` has written. */
  readonly isDeadLetters: boolean
  /** Tells this input from others: its name without the folder, and a hash of its first record. */
  readonly identity: string
  /** Bytes; undefined for standard input. */
  readonly size: number | undefined
  readonly #parts: Parts
  #isClosed = false

  constructor(parts: Parts) {
    const [first] = parts.head.batches.flat()
    this.name = parts.name
    this.size = parts.size
    this.format = parts.head.format
    this.seen = parts.head.seen
    this.isDeadLetters = first !== undefined && isDeadLetter(first)
    this.identity = `${parts.path === '-' ? 'stdin' : basename(parts.path)}#${hashOf(first)}`
    this.#parts = parts
  }

  /** Bytes of the file that have been read so far. */
  get bytesRead(): number {
    return (this.#parts.source as Partial<ReadStream>).bytesRead ?? 0
  }

  /** Every record from the first on, a chunk at a time. An empty batch says that nothing has come for a while. */
  async *records(): AsyncGenerator<readonly InputRecord[], void, undefined> {
    yield* this.#parts.head.batches
    try {
      yield* withIdle(this.#parts.batches)
    } catch (error) {
      // closed while waiting for more: this is where the input ends
      if (!this.#isClosed) throw error
    }
  }

  /** Ends `records`, also while it waits for more. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#parts.source.destroy()
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    const found = await stat(path)
    if (found.isDirectory()) throw new UsageError(`the input ${path} is a directory`)
    return found.size
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(
      `the input ${path} ${reasonOf(error)}`,
      'a file of changes, one a line, or - for standard input',
    )
  }
}

/** Reads on until the format is known. */
async function readHead(
  batches: AsyncGenerator<readonly InputRecord[], void, undefined>,
  options: ChangelogFileOptions,
): Promise<Head> {
  const read: (readonly InputRecord[])[] = []
  const samples: InputRecord[] = []
  for (;;) {
    const { value, done } = await batches.next()
    if (done === true) break
    read.push(value)
    for (const record of value) {
      samples.push(record)
      const named = samples.length === 1 ? namedFormat(record, options) : undefined
      if (named !== undefined) return { format: findFormat(named), seen: undefined, batches: read }
      const found = tryDetect(samples, samples.length >= samplesMax)
      if (found !== undefined) return { format: found, seen: membersOf(samples), batches: read }
    }
  }
  if (samples.length > 0) return { format: detectFormat(samples), seen: membersOf(samples), batches: read }
  const named = options.format ?? options.tableFormat
  return { format: named === undefined ? undefined : findFormat(named), seen: undefined, batches: read }
}

function namedFormat(first: InputRecord, { format, tableFormat }: ChangelogFileOptions): string | undefined {
  return format ?? (isDeadLetter(first) ? 'changelog-json' : tableFormat)
}

function tryDetect(samples: readonly InputRecord[], isLastChance: boolean): Format | undefined {
  try {
    return detectFormat(samples)
  } catch (error) {
    if (isLastChance || !(error instanceof TidegateError)) throw error
    return undefined
  }
}

const membersShown = 6

/** Names of the members of the last sample, which settled it; never values (rule C2). */
function membersOf(samples: readonly InputRecord[]): string[] {
  const value = parsedValue(samples.at(-1))
  return isJsonObject(value) ? Object.keys(value).slice(0, membersShown) : []
}

function isDeadLetter(record: InputRecord): boolean {
  const value = parsedValue(record)
  return isJsonObject(value) && ['op', 'data', 'key', 'code', 'reason'].every((name) => name in value)
}

function parsedValue(record: InputRecord | undefined): unknown {
  try {
    return record && parseRecord(record).value
  } catch (error) {
    if (error instanceof TidegateError) return undefined
    throw error
  }
}

function hashOf(record: InputRecord | undefined): string {
  const value = record?.value
  const bytes = value instanceof Uint8Array || typeof value === 'string' ? value : ''
  return createHash('sha256').update(bytes).digest('hex').slice(0, 12)
}

async function* withIdle(
  batches: AsyncGenerator<readonly InputRecord[], void, undefined>,
): AsyncGenerator<readonly InputRecord[], void, undefined> {
  for (;;) {
    const next = batches.next()
    let timer: NodeJS.Timeout | undefined
    const idle = new Promise<'idle'>((resolve) => {
      timer = setTimeout(() => resolve('idle'), idleAfterMs)
    })
    const first = await Promise.race([next, idle])
    clearTimeout(timer)
    if (first === 'idle') yield []
    const { value, done } = first === 'idle' ? await next : first
    if (done === true) return
    yield value
  }
}
