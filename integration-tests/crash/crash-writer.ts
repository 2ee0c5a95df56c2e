import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import type { Connector } from '../../src/connector/connector.ts'
import { createSinks } from '../../src/sink/create-sink.ts'
import { crashInput } from './crash-input.ts'
import type { CrashStoreName, WatchedClient } from './crash-store.ts'
import { crashStores } from './crash-stores.ts'

/**
 * A process that writes the made-up source and kills or stops itself where it is told to, the hard way: SIGKILL leaves no
 * time to clear up. Prints lines of JSON: where it started, what it reached, how it ended.
 */
export interface CrashWriterTask {
  readonly store: CrashStoreName
  readonly ddl: string
  readonly url: string
  readonly seed: number
  readonly recordCount: number
  /** Flushed after so many records; 0: by the triggers of the DDL. */
  readonly flushEvery: number
  /** Where the source is gone on from: what the ledger of the store says, or the file that durable positions are saved in. */
  readonly resumeFrom: 'ledger' | 'file'
  readonly positionFile: string
  readonly end: EndPoint | undefined
}

/**
 * What ends the process, or stops it; counted from 1. With `statement` the sink writes through a client that was handed in
 * and sends each of them by itself, else through a connection of its own.
 */
export type EndPoint = (
  | {
      readonly at: 'statement'
      readonly during: 'open' | 'write'
      readonly number: number
      /** `sent`: right behind the statement, whose answer is not waited for. */
      readonly when: 'before' | 'sent'
    }
  | { readonly at: 'flush'; readonly number: number; readonly when: 'before' | 'sent' | 'after' }
  | { readonly at: 'position'; readonly number: number; readonly when: 'before-saved' | 'saved' }
) & { readonly signal?: 'SIGSTOP' | undefined }

const task = JSON.parse(process.argv[2] ?? '') as CrashWriterTask
const store = crashStores[task.store]

function say(line: object): void {
  // synchronous: a line that is lost with the process would be missed by the test
  writeFileSync(1, `${JSON.stringify(line)}\n`)
}

function reach(end: EndPoint): void {
  const { signal = 'SIGKILL' } = end
  say({ reached: end })
  process.kill(process.pid, signal)
}

let phase: 'open' | 'write' = 'open'
const connection = task.end?.at === 'statement' ? await watchedClient() : undefined
const sink = await createSinks({ tables: task.ddl, client: connection?.client, connectors: [watchedConnector()] })
phase = 'write'
const saving = savePositions()
await writeSource().catch((error: unknown) => {
  say({ failed: (error as { code?: string }).code ?? String(error) })
  process.exit(1)
})

async function writeSource(): Promise<void> {
  const start = startOffset()
  say({ start })
  for (const { offset, changes } of crashInput(task.seed, task.recordCount)) {
    if (offset <= start) continue
    for (const change of changes) await sink.write(change)
    if (task.flushEvery > 0 && offset % task.flushEvery === 0) await sink.flush()
  }
  await sink.close()
  await saving
  await connection?.end()
  say({ done: true })
}

function startOffset(): number {
  if (task.resumeFrom === 'ledger') return Number(sink.positions().get('source') ?? 0)
  try {
    return Number(readFileSync(task.positionFile, 'utf8'))
  } catch {
    return 0
  }
}

async function savePositions(): Promise<void> {
  let number = 0
  for await (const { offset } of sink.durable()) {
    number++
    const { end } = task
    const isHere = end?.at === 'position' && end.number === number
    if (isHere && end.when === 'before-saved') reach(end)
    writeFileSync(`${task.positionFile}.new`, String(offset))
    renameSync(`${task.positionFile}.new`, task.positionFile)
    if (isHere) reach(end)
  }
}

async function watchedClient(): Promise<WatchedClient> {
  const counts = { open: 0, write: 0 }
  if (store.openWatchedClient === undefined) throw new Error(`the statements of ${task.store} are not watched`)
  return await store.openWatchedClient(task.url, (statement) => {
    counts[phase]++
    const { end } = task
    const isHere = end?.at === 'statement' && end.during === phase && end.number === counts[phase]
    if (isHere) say({ statement: headOf(statement) })
    if (isHere && end.when === 'before') reach(end)
    return {
      sent: () => {
        if (isHere && end.when === 'sent') reach(end)
      },
    }
  })
}

function headOf(statement: string): string {
  return statement.split(/\s+/).slice(0, 2).join(' ')
}

function watchedConnector(): Connector {
  let number = 0
  return {
    ...store.connector,
    open: async (context) => {
      const writer = await store.connector.open(context)
      const write: typeof writer.write = async (batch, writeContext) => {
        number++
        const { end } = task
        const isHere = end?.at === 'flush' && end.number === number
        if (isHere && end.when === 'before') reach(end)
        const writing = writer.write(batch, writeContext)
        // at some moment while the flush is under way
        if (isHere && end.when === 'sent') setTimeout(() => reach(end), number % 4)
        const result = await writing
        if (isHere && end.when === 'after') reach(end)
        return result
      }
      return {
        server: writer.server,
        inFlightPerLane: writer.inFlightPerLane,
        positions: writer.positions,
        write,
        committed: (batchId) => writer.committed?.(batchId) ?? Promise.resolve(undefined),
        close: () => writer.close(),
      }
    },
  }
}
