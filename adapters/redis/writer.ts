import { must } from '../../src/assert.ts'
import type {
  RejectedChange,
  TableBatch,
  TableWriteResult,
  WriteBatch,
  WriteResult,
} from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { rowToObject } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import { callsOf, inParallel, runScript } from './calls.ts'
import { type Connection, openConnection } from './client.ts'
import { RedisFailure } from './failures.ts'
import { type GatedRow, gatedRow, isGated, writeGatedRows } from './gated-write.ts'
import { otherType, writeMerged } from './merged-write.ts'
import type { RedisOptions } from './options.ts'
import { fromRowText, toRowText } from './row-codec.ts'
import { rowKey } from './row-key.ts'
import { readRows, readTexts } from './scripts.ts'
import { serverOf } from './server-info.ts'
import { type Target, targetOf } from './target.ts'
import { UnsendableValue } from './type-mapping.ts'

/** Throws `PLAN_REFUSED`, `OPTION_INVALID`, `DRIVER_MISSING` and what the driver meets when it connects. */
export async function openWriter({ tables, client }: OpenContext): Promise<SinkWriter> {
  const targets = tables.map(targetOf)
  const options = must(tables[0], 'a domain has a table').connectorOptions as RedisOptions
  const connection = await openConnection(client, options)
  try {
    const { name } = await serverOf(connection)
    return new RedisWriter(connection, targets, options, name)
  } catch (error) {
    await connection.close()
    throw error
  }
}

class RedisWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane = 2
  readonly #connection: Connection
  readonly #targets: readonly Target[]
  readonly #options: RedisOptions

  constructor(connection: Connection, targets: readonly Target[], options: RedisOptions, server: string) {
    this.#connection = connection
    this.#targets = targets
    this.#options = options
    this.server = server
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    return await untilAborted(this.#writeBatch(batch, context), context.signal)
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const target = must(this.#targets[table], 'a table of the domain')
    const { deletedFlag } = target.plan.merge
    const rows: Readonly<Record<string, Value | null>>[] = []
    for await (const names of this.#connection.scan(patternOf(target))) {
      for (const row of await this.#readNamed(target, names)) {
        if (deletedFlag === undefined || row[deletedFlag] !== true) rows.push(rowToObject(target.plan.schema, row))
        if (rows.length >= limit) return rows
      }
    }
    return rows
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #writeBatch(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const tables: TableWriteResult[] = []
    for (const table of batch.tables) {
      const target = must(this.#targets[table.table], 'a batch names tables of the domain')
      if (table.truncate) await this.#truncate(target)
      tables.push(await this.#writeTable(target, table, (rejected) => context.reject(rejected)))
    }
    await this.#waitForReplicas()
    return { tables }
  }

  async #writeTable(
    target: Target,
    { table, waves }: TableBatch,
    reject: (rejected: readonly RejectedChange[]) => Promise<void>,
  ): Promise<TableWriteResult> {
    if (target.plan.merge.key.length === 0) return await this.#append(target, table, waves.flat(), reject)
    // a key that comes in several waves is merged once, over all of them
    const isOneWave = waves.length === 1
    const gated = isOneWave ? waves.flat().filter((change) => isGated(target, change)) : []
    const merged = isOneWave ? waves.map((wave) => wave.filter((change) => !isGated(target, change))) : waves
    const { rows, faults } = encodeGated(target, table, gated)
    if (faults.length > 0) await reject(faults)
    const direct = await writeGatedRows(this.#connection, target, rows)
    if (direct.wrong.length > 0) await reject(direct.wrong.map(({ change }) => ({ table, change, reason: otherType })))
    const rest = merged.some((wave) => wave.length > 0)
      ? await writeMerged(this.#connection, target, table, merged, reject)
      : { written: 0, stale: 0 }
    return { written: direct.written + rest.written, stale: direct.stale + rest.stale }
  }

  /** Rows without a key are entries of a stream. */
  async #append(
    { plan, codec, prefix }: Target,
    table: number,
    changes: TableBatch['waves'][number],
    reject: (rejected: readonly RejectedChange[]) => Promise<void>,
  ): Promise<TableWriteResult> {
    const entries: string[] = []
    const faults: RejectedChange[] = []
    for (const change of changes) {
      try {
        entries.push(toRowText(plan.merge, codec, codec.encode(change.row)))
      } catch (error) {
        if (!(error instanceof UnsendableValue)) throw error
        faults.push({ table, change, reason: error.message })
      }
    }
    if (faults.length > 0) await reject(faults)
    const stream = streamOf(prefix)
    await inParallel(entries, (text) => this.#connection.call(stream, ['XADD', stream, '*', 'row', text]))
    return { written: entries.length, stale: 0 }
  }

  async #truncate(target: Target): Promise<void> {
    if (target.plan.merge.key.length === 0) {
      const stream = streamOf(target.prefix)
      await this.#connection.call(stream, ['UNLINK', stream])
      return
    }
    for await (const names of this.#connection.scan(patternOf(target))) {
      await inParallel(names, (name) => this.#connection.call(name, ['UNLINK', name]))
    }
  }

  async #waitForReplicas(): Promise<void> {
    const wanted = this.#options['wait.replicas']
    if (wanted === 0) return
    const timeout = String(this.#options['wait.timeout'])
    const counts = await this.#connection.callEach(['WAIT', String(wanted), timeout])
    const fewest = Math.min(...counts.map(Number))
    if (fewest >= wanted) return
    throw new RedisFailure(`${fewest} of ${wanted} replicas have the flush (wait.replicas)`, 'transient')
  }

  async #readNamed(
    target: Target,
    names: readonly string[],
  ): Promise<readonly ReturnType<Target['codec']['decode']>[]> {
    const { codec, format } = target
    const calls = callsOf(
      this.#connection,
      names.map((key) => ({ key, args: [] })),
    )
    const script = format === 'hash' ? readRows : readTexts
    const head = format === 'hash' ? codec.names : []
    const answers = await inParallel(calls, (call) => runScript(this.#connection, script, call, head))
    return (answers as readonly (readonly unknown[])[]).flat().flatMap((fields) => {
      if (!Array.isArray(fields)) return []
      const texts = format === 'hash' ? (fields as (string | null)[]) : fromRowText(codec, String(fields[0]))
      return [codec.decode(texts)]
    })
  }
}

/** The name of the stream that rows without a key go to: the prefix without its colon. */
export function streamOf(prefix: string): string {
  return prefix.replace(/:$/, '')
}

/** Of SCAN; what has a meaning in a pattern is escaped. */
function patternOf({ prefix }: Target): string {
  return `${prefix.replace(/[\\*?[\]]/g, '\\$&')}*`
}

function encodeGated(
  target: Target,
  table: number,
  changes: TableBatch['waves'][number],
): { rows: readonly GatedRow[]; faults: readonly RejectedChange[] } {
  const rows: GatedRow[] = []
  const faults: RejectedChange[] = []
  for (const change of changes) {
    try {
      rows.push(gatedRow(target, rowKey(target.template, target.plan.merge, change.row), change))
    } catch (error) {
      if (!(error instanceof UnsendableValue)) throw error
      faults.push({ table, change, reason: error.message })
    }
  }
  return { rows, faults }
}
