import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as v from 'valibot'
import type { Positions } from '../changelog/position.ts'
import { TidegateError } from '../errors.ts'
import { reasonOf } from './load-tables.ts'

/** At most one write in so many milliseconds while the run goes on. */
const writeEveryMs = 500

const contentSchema = v.object({
  tidegate: v.literal(1),
  input: v.string(),
  tables: v.array(v.string()),
  lines: v.record(v.string(), v.pipe(v.number(), v.safeInteger(), v.minValue(0))),
})

export interface PositionFileOptions {
  readonly path: string
  /** Of the input, see `ChangelogFile.identity`. */
  readonly input: string
  /** Names of the tables that are written. */
  readonly tables: readonly string[]
}

/**
 * The durable position of a run, kept in a file (`--resume`): by partition, the last line of the input that is in the
 * store. A write replaces the file whole and is synced, so that after a crash the old or the new one is there.
 */
export class PositionFile {
  /** What an earlier run left; empty at first. */
  readonly lines: ReadonlyMap<string, number>
  readonly #options: PositionFileOptions
  #written: string
  #writing: Promise<void> = Promise.resolve()
  #lastWrite = 0

  private constructor(options: PositionFileOptions, lines: ReadonlyMap<string, number>) {
    this.#options = options
    this.lines = lines
    this.#written = textOf(options, lines)
  }

  /** Throws `STATE_INVALID` for the file of another input or other tables, and for one that is no position file. */
  static async open(options: PositionFileOptions): Promise<PositionFile> {
    const text = await readIfThere(options.path)
    return new PositionFile(options, text === undefined ? new Map() : readLines(text, options))
  }

  /** Tells of a newer position; written now and then. */
  advance(positions: Positions): void {
    if (Date.now() - this.#lastWrite < writeEveryMs) return
    this.#lastWrite = Date.now()
    // a failure shows when the run ends, and until then the older position is a safe one
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(positions))
    this.#writing.catch(() => {})
  }

  /** The last word of a run. */
  async finish(positions: Positions): Promise<void> {
    await this.#writing.catch(() => {})
    await this.#write(positions)
  }

  async #write(positions: Positions): Promise<void> {
    const lines = new Map(this.lines)
    for (const [partition, offset] of positions) if (typeof offset === 'number') lines.set(partition, offset)
    const text = textOf(this.#options, lines)
    if (text === this.#written) return
    try {
      await replaceFile(this.#options.path, text)
    } catch (error) {
      throw new TidegateError(
        `the position file ${this.#options.path} cannot be written: ${(error as Error).message}`,
        {
          code: 'STATE_INVALID',
          cause: error,
        },
      )
    }
    this.#written = text
  }
}

function textOf({ input, tables }: PositionFileOptions, lines: ReadonlyMap<string, number>): string {
  return `${JSON.stringify({ tidegate: 1, input, tables, lines: Object.fromEntries(lines) }, undefined, 2)}\n`
}

function readLines(text: string, { path, input, tables }: PositionFileOptions): ReadonlyMap<string, number> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), contentSchema), text)
  const refuse = (what: string): never => {
    throw new TidegateError(`the position file ${path} ${what}`, {
      code: 'STATE_INVALID',
      hint: `name another file, or remove this one to start from the first line`,
    })
  }
  if (!parsed.success) return refuse('is none that tidegate has written')
  const { output } = parsed
  if (output.input !== input)
    return refuse(`belongs to another input, ${nameIn(output.input)}, or its first line has changed`)
  if (output.tables.join() !== tables.join()) return refuse(`belongs to other tables: ${output.tables.join(', ')}`)
  return new Map(Object.entries(output.lines))
}

/** The name of the input, without the hash behind it. */
function nameIn(identity: string): string {
  return identity.replace(/#[0-9a-f]*$/, '')
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new TidegateError(`the position file ${path} ${reasonOf(error)}`, { code: 'STATE_INVALID', cause: error })
  }
}

async function replaceFile(path: string, text: string): Promise<void> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `.${basename(path)}.${process.pid}.tmp`)
  const file = await open(temporary, 'w', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(folder)
}

/** Without it the new name may be lost in a crash of the machine. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
