import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NodeProgram, ProgramEnd, ProgramLine } from '../services/node-program.ts'
import { type CrashState, type CrashTable, crashTables } from './crash-input.ts'
import type { CrashReader } from './crash-store.ts'
import { crashStores } from './crash-stores.ts'
import type { CrashWriterTask } from './crash-writer.ts'

/** One sink that is written by one process after another, each until it is killed. */
export class CrashRun implements AsyncDisposable {
  readonly #program: NodeProgram
  readonly #task: Omit<CrashWriterTask, 'end'>
  readonly #folder: string
  readonly #reader: CrashReader

  private constructor(program: NodeProgram, task: Omit<CrashWriterTask, 'end'>, folder: string, reader: CrashReader) {
    this.#program = program
    this.#task = task
    this.#folder = folder
    this.#reader = reader
  }

  static async create(
    program: NodeProgram,
    url: string,
    task: Omit<CrashWriterTask, 'end' | 'url' | 'positionFile'>,
  ): Promise<CrashRun> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-crash-'))
    const reader = await crashStores[task.store].openReader(url)
    return new CrashRun(program, { ...task, url, positionFile: join(folder, 'position') }, folder, reader)
  }

  start(end?: CrashWriterTask['end']): ReturnType<NodeProgram['start']> {
    return this.#program.start({ ...this.#task, end } satisfies CrashWriterTask)
  }

  /** Runs until the process ends, by itself or by its end point. */
  async run(end?: CrashWriterTask['end']): Promise<{ lines: readonly ProgramLine[]; end: ProgramEnd }> {
    const run = this.start(end)
    return { end: await run.ended, lines: run.lines }
  }

  /** The offset that the ledger holds, once nothing is under way any more; 0 before the first flush. */
  async ledgerOffset(sinkId: string): Promise<number> {
    if (this.#reader.ledgerOffset === undefined) throw new Error(`${this.#task.store} keeps no ledger`)
    return await this.#reader.ledgerOffset(sinkId)
  }

  async state(): Promise<CrashState> {
    return await this.#reader.state()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reader.end()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

export function crashDdl(
  tables: readonly CrashTable[],
  options: (table: CrashTable) => Readonly<Record<string, string>>,
): string {
  return tables
    .map((table) => {
      const given = Object.entries(options(table)).map(([name, value]) => `'${name}' = '${value}'`)
      return `CREATE TABLE ${table} (${crashTables[table]}) WITH (${given.join(', ')});`
    })
    .join('\n')
}
