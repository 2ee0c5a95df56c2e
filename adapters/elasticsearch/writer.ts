import { must } from '../../src/assert.ts'
import type { RejectedChange, TableBatch, Wave, WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import { notIdempotent } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { FoldKey } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'
import { cutRequests, type ItemOutcome, missingScript, sendBulk } from './bulk.ts'
import { openClient, type SearchClient } from './client.ts'
import type { Dialect } from './dialect.ts'
import { createDocumentReader } from './document.ts'
import { SearchFailure } from './failures.ts'
import { deleteFound, refreshIndex, search } from './found-documents.ts'
import { openTables, type WritableTable } from './open-tables.ts'
import type { SearchOptions } from './options.ts'
import type { Action } from './statements/action.ts'

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`, `PLAN_REFUSED`, `STORE_MISMATCH` and what the client meets. */
export async function openWriter(dialect: Dialect, context: OpenContext): Promise<SinkWriter> {
  const options = must(context.tables[0], 'a domain has a table').connectorOptions as unknown as SearchOptions
  const client = await openClient(dialect, context.client, options)
  try {
    const { server, tables } = await openTables(client, dialect, context.tables)
    return new SearchWriter(client, server, tables, options)
  } catch (error) {
    await client.close()
    throw error
  }
}

/** How far a batch has come: a retry sends only what is left of it, so that nothing is applied twice. */
interface Progress {
  readonly settled: Set<MergeChange>
  readonly tables: readonly { written: number; stale: number }[]
  /** By place of the table in the batch: keys of which a change was refused; later ones were made on top of it. */
  readonly blocked: readonly Set<FoldKey>[]
  readonly truncated: Set<number>
}

interface Pending {
  /** Place of the table in the batch. */
  readonly at: number
  readonly change: MergeChange
  readonly action: Action
}

class SearchWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane = 2
  readonly #client: SearchClient
  readonly #tables: readonly WritableTable[]
  readonly #options: SearchOptions
  readonly #underWay = new Map<string, Progress>()
  #storeScripts: Promise<void> | undefined

  constructor(client: SearchClient, server: string, tables: readonly WritableTable[], options: SearchOptions) {
    this.#client = client
    this.server = server
    this.#tables = tables
    this.#options = options
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const progress = this.#progressOf(batch)
    for (const [at, table] of batch.tables.entries()) await this.#truncate(at, table, progress)
    const depth = Math.max(0, ...batch.tables.map(({ waves }) => waves.length))
    for (let wave = 0; wave < depth; wave++) await this.#writeWave(batch, wave, progress, context)
    this.#underWay.delete(batch.id)
    return { tables: progress.tables }
  }

  /**
   * What is left of a batch after an unknown outcome can be sent again if every table takes a repeat: documents by key that
   * come out the same, and rows without a key, whose ids go by the batch.
   */
  async committed(): Promise<boolean | undefined> {
    return this.#tables.every(({ plan }) => takesRepeats(plan)) ? false : undefined
  }

  async sweep(): Promise<void> {
    for (const { plan, target } of this.#tables) {
      const { deletedFlag, deletedAt, deleteMode, columns } = plan.merge
      if (deleteMode !== 'tombstone' || deletedFlag === undefined || deletedAt === undefined) continue
      if (plan.tombstoneRetention === 'forever') continue
      const name = (position: number): string => must(columns[position], 'a stored column').name
      // by the server's clock, which knows no unit below a second
      const before = `now-${Math.ceil(plan.tombstoneRetention / 1000)}s`
      const filter = [{ term: { [name(deletedFlag)]: true } }, { range: { [name(deletedAt)]: { lt: before } } }]
      await deleteFound(this.#client, target.index.pattern, { bool: { filter } })
    }
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const { plan, target, compare } = must(this.#tables[table], 'a table of the domain')
    const { deletedFlag, columns } = plan.merge
    const query =
      deletedFlag === undefined
        ? { match_all: {} }
        : { bool: { must_not: [{ term: { [must(columns[deletedFlag], 'the flag column').name]: true } }] } }
    await refreshIndex(this.#client, target.index.pattern)
    const hits = await search(this.#client, target.index.pattern, { size: Math.min(limit, pageMax), query })
    const reader = createDocumentReader(plan)
    return hits.map(({ _source = {} }) => reader(_source)).sort(compare)
  }

  async close(): Promise<void> {
    await this.#client.close()
  }

  #progressOf(batch: WriteBatch): Progress {
    const known = this.#underWay.get(batch.id)
    if (known !== undefined) return known
    const progress: Progress = {
      settled: new Set(),
      tables: batch.tables.map(() => ({ written: 0, stale: 0 })),
      blocked: batch.tables.map(() => new Set()),
      truncated: new Set(),
    }
    this.#underWay.set(batch.id, progress)
    return progress
  }

  async #truncate(at: number, { table, truncate }: TableBatch, { truncated }: Progress): Promise<void> {
    if (!truncate || truncated.has(at)) return
    const { target } = must(this.#tables[table], 'a batch names tables of the domain')
    await deleteFound(this.#client, target.index.pattern, { match_all: {} })
    truncated.add(at)
  }

  /** A key is in a wave once, so the requests of a wave are in any order; the next wave waits for all of them. */
  async #writeWave(batch: WriteBatch, wave: number, progress: Progress, context: WriteContext): Promise<void> {
    const rejected: RejectedChange[] = []
    const pending: Pending[] = []
    for (const [at, { waves }] of batch.tables.entries()) {
      const changes = waves[wave]
      if (changes !== undefined) pending.push(...this.#encode(batch, at, wave, changes, progress, rejected))
    }
    const left: SearchFailure[] = []
    for (const request of cutRequests(pending, this.#options['bulk.max-bytes'])) {
      context.signal.throwIfAborted()
      const actions = request.map(({ action }) => action)
      const outcomes = await sendBulk(this.#client, actions, this.#options.refresh, context.signal)
      for (const [index, outcome] of outcomes.entries()) {
        this.#settle(batch, must(request[index], 'an outcome an action'), outcome, progress, rejected, left)
      }
    }
    if (rejected.length > 0) await context.reject(rejected)
    if (left.length > 0) await this.#fail(left, pending.length)
  }

  #encode(
    batch: WriteBatch,
    at: number,
    wave: number,
    changes: Wave,
    { settled, blocked }: Progress,
    rejected: RejectedChange[],
  ): Pending[] {
    const { table } = must(batch.tables[at], 'a table of the batch')
    const { encoder, indices } = must(this.#tables[table], 'a batch names tables of the domain')
    const held = must(blocked[at], 'a set a table')
    const pending: Pending[] = []
    const refuse = (change: MergeChange, fault: Omit<RejectedChange, 'table' | 'change'>): void => {
      settled.add(change)
      held.add(change.key)
      rejected.push({ table, change, ...fault })
    }
    for (const [place, change] of changes.entries()) {
      if (settled.has(change)) continue
      const encoded = held.has(change.key)
        ? { reason: 'an earlier change of the key was rejected' }
        : encoder.encode(change, `${batch.id}.${table}.${wave}.${place}`)
      if ('reason' in encoded) refuse(change, encoded)
      else if (!indices.admit(encoded.index)) refuse(change, { reason: indices.reason })
      else pending.push({ at, change, action: encoded })
    }
    return pending
  }

  #settle(
    batch: WriteBatch,
    { at, change }: Pending,
    outcome: ItemOutcome,
    { settled, tables, blocked }: Progress,
    rejected: RejectedChange[],
    left: SearchFailure[],
  ): void {
    if (outcome.kind === 'failed') {
      left.push(outcome.failure)
      return
    }
    settled.add(change)
    if (outcome.kind !== 'rejected') {
      must(tables[at], 'a result a table')[outcome.kind]++
      return
    }
    must(blocked[at], 'a set a table').add(change.key)
    const { table } = must(batch.tables[at], 'a table of the batch')
    const { code, storeCode, reason } = outcome
    rejected.push({ table, change, code, storeCode, reason })
  }

  /** The failure that stands for all: one that time does not mend, else any. The core tries what is left again. */
  async #fail(left: readonly SearchFailure[], sent: number): Promise<never> {
    const final = left.find(({ failure }) => failure !== 'throttled' && failure !== 'transient')
    const failure = final ?? must(left[0], 'a failure')
    if (left.some(({ storeCode }) => storeCode === missingScript)) await this.#restoreScripts()
    throw new SearchFailure(
      `${left.length} of ${sent} changes are not written: ${failure.message}`,
      failure.failure,
      failure.storeCode,
      failure,
    )
  }

  /** Somebody has removed a stored script while the sink runs. */
  async #restoreScripts(): Promise<void> {
    this.#storeScripts ??= Promise.all(this.#tables.map(({ storeScript }) => storeScript())).then(() => {
      this.#storeScripts = undefined
    })
    await this.#storeScripts
  }
}

function takesRepeats({ merge }: TablePlan): boolean {
  return !merge.rules.some((rule) => rule.kind === 'aggregate' && notIdempotent.has(rule.function))
}

/** Most hits of a search, by default. */
const pageMax = 10_000
