import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { NodeProgram, ProgramEnd, ProgramLine } from '../services/node-program.ts'
import { type CrashState, type CrashTable, crashTables } from './crash-input.ts'
import { readCrashState } from './crash-state.ts'
import type { CrashWriterTask } from './crash-writer.ts'

/** One sink that is written by one process after another, each until it is killed. */
export class CrashRun implements AsyncDisposable {
  readonly #program: NodeProgram
  readonly #task: Omit<CrashWriterTask, 'end'>
  readonly #folder: string
  readonly #client: pg.Client

  private constructor(program: NodeProgram, task: Omit<CrashWriterTask, 'end'>, folder: string, client: pg.Client) {
    this.#program = program
    this.#task = task
    this.#folder = folder
    this.#client = client
  }

  static async create(
    program: NodeProgram,
    url: string,
    task: Omit<CrashWriterTask, 'end' | 'url' | 'positionFile'>,
  ): Promise<CrashRun> {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-crash-'))
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return new CrashRun(program, { ...task, url, positionFile: join(folder, 'position') }, folder, client)
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
    const { rows: found } = await this.#client.query<{ there: boolean }>(
      "select to_regclass('tidegate_ledger') is not null as there",
    )
    if (found[0]?.there !== true) return 0
    // waits for a transaction whose COMMIT was sent by a process that is no more
    const { rows } = await this.#client.query<{ at: number | null }>(
      "select (positions->>'source')::int as at from tidegate_ledger where sink_id = $1 for update",
      [sinkId],
    )
    return rows[0]?.at ?? 0
  }

  async state(): Promise<CrashState> {
    return await readCrashState(this.#client)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end()
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
