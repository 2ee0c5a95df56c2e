import { must } from '../../src/assert.ts'
import type { Positions } from '../../src/changelog/position.ts'
import type { WriteBatch, WriteResult } from '../../src/connector/batch.ts'
import type { OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { type Problem, problemsError } from '../../src/errors.ts'
import type { SinkPlan } from '../../src/plan/plan.ts'
import { RedisFailure } from './failures.ts'
import { type Progress, runFlush } from './flush.ts'
import { groupBy } from './group-by.ts'
import { hashSlot } from './hash-slot.ts'
import { Ledger, ledgerKey } from './ledger.ts'
import { type Link, openLink } from './link.ts'
import { isCluster, type RedisOptions } from './options.ts'
import { readRows } from './read-rows.ts'
import { scanKeys } from './scan-keys.ts'
import { type ServerFacts, serverFacts } from './server-facts.ts'
import { prepareTable, type RedisTable } from './table.ts'

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`, `STORE_MISMATCH` and what the driver meets when it connects. */
export async function openWriter({ tables: plans, plan, client }: OpenContext): Promise<SinkWriter> {
  const options = must(plans[0], 'a domain has a table').connectorOptions as RedisOptions
  const tables = plans.map(prepareTable)
  const clashes = sharedKeys(tables)
  if (clashes.length > 0) throw problemsError('the tables cannot be written:', clashes, mismatch)
  const link = await openLink(client, options)
  try {
    const facts = await serverFacts(link)
    const key = ledgerKeyOf(plan, options)
    const problems = [...serverProblems(facts, options), ...ledgerProblems(facts, tables, key)]
    if (problems.length > 0) throw problemsError('the server does not fit the plan:', problems, mismatch)
    const ledger = key === undefined ? undefined : await Ledger.open(link, key, plan.delivery.sinkId ?? '')
    return new RedisWriter(link, tables, options, facts.name, ledger)
  } catch (error) {
    await link.close()
    throw error
  }
}

const mismatch = { code: 'STORE_MISMATCH', connector: 'redis' } as const

/** What cannot be written to, whatever the tables. */
export function serverProblems(
  { name, version, isCluster: isNode }: ServerFacts,
  options: RedisOptions,
): readonly Problem[] {
  const problems: Problem[] = []
  const [major = 0, minor = 0] = version
  if (major < 6 || (major === 6 && minor < 2)) {
    problems.push({ subject: 'server', message: `is ${name}, and 6.2 is the oldest that is written to` })
  }
  const found = isNode ? 'cluster' : 'single'
  if (found !== options.mode) {
    const message = `is ${options.mode}, and the server is ${isNode ? 'a node of a cluster' : 'no cluster'}`
    problems.push({ subject: 'mode', message, fix: `'mode' = '${found}'` })
  }
  return problems
}

/** Undefined: the sink keeps no ledger. */
export function ledgerKeyOf({ delivery }: SinkPlan, options: RedisOptions): string | undefined {
  if (delivery.guarantee !== 'exactly-once') return undefined
  return ledgerKey(options['ledger-key'], must(delivery.sinkId, 'exactly-once has a sink.id'))
}

/** What would lose the ledger: the sink would begin anew, and count twice. */
export function ledgerProblems(
  { info }: ServerFacts,
  tables: readonly RedisTable[],
  key: string | undefined,
): readonly Problem[] {
  if (key === undefined) return []
  const problems: Problem[] = []
  const policy = info.get('maxmemory_policy') ?? 'noeviction'
  if (policy.startsWith('allkeys-')) {
    const message = `is ${policy}: the ledger of exactly-once could be evicted`
    problems.push({ subject: 'maxmemory-policy', message, fix: 'CONFIG SET maxmemory-policy noeviction' })
  }
  for (const { plan, template } of tables) {
    if (template.partsOf(key) === undefined && template.prefix !== key) continue
    problems.push({ subject: 'ledger-key', message: `could be the key of a row of ${plan.name}`, fix: 'set another' })
  }
  return problems
}

/** Tables whose keys have the same form would write into each other. */
export function sharedKeys(tables: readonly RedisTable[]): readonly Problem[] {
  const byShape = groupBy(tables, ({ template }) => template.shape)
  return [...byShape.values()].flatMap((same) => {
    if (same.length < 2) return []
    const names = same.map(({ plan }) => plan.name).join(' and ')
    return [{ subject: 'key', message: `gives ${names} the same keys`, fix: "give each a 'key' of its own" }]
  })
}

/** How many keys of an emptied table go in the call that writes the flush; more are removed before it. */
const dropsMax = 50_000

class RedisWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane = 2
  readonly positions: Positions | undefined
  readonly #link: Link
  readonly #tables: readonly RedisTable[]
  readonly #options: RedisOptions
  readonly #ledger: Ledger | undefined
  /** Of flushes that have failed and will be tried again, by their id. */
  readonly #progress = new Map<string, Progress>()

  constructor(
    link: Link,
    tables: readonly RedisTable[],
    options: RedisOptions,
    server: string,
    ledger: Ledger | undefined,
  ) {
    this.#link = link
    this.#tables = tables
    this.#options = options
    this.server = server
    this.#ledger = ledger
    this.positions = ledger?.positions
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    context.signal.throwIfAborted()
    return await untilAborted(this.#write(batch, context), context.signal)
  }

  /** On a cluster nobody can say. */
  async committed(batchId: string): Promise<boolean | undefined> {
    return await this.#ledger?.committed(this.#link, batchId)
  }

  async read(table: number, limit: number): ReturnType<NonNullable<SinkWriter['read']>> {
    return await readRows(this.#link, must(this.#tables[table], 'a table of the domain'), limit)
  }

  async close(): Promise<void> {
    await this.#link.close()
  }

  async #write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const progress: Progress = this.#progress.get(batch.id) ?? new Map()
    const inCluster = isCluster(this.#options)
    try {
      const drops = progress.size > 0 ? new Map<number, readonly string[]>() : await this.#dropsOf(batch)
      const result = await runFlush({
        ...{ link: this.#link, tables: this.#tables, batch, context },
        ...{ isCluster: inCluster, drops, progress, ledger: this.#ledger },
      })
      await this.#waitForReplicas(batch)
      this.#progress.delete(batch.id)
      return result
    } catch (error) {
      if (progress.size > 0) this.#progress.set(batch.id, progress)
      throw error
    }
  }

  async #dropsOf({ tables }: WriteBatch): Promise<ReadonlyMap<number, readonly string[]>> {
    const drops = new Map<number, readonly string[]>()
    for (const [at, { table, truncate }] of tables.entries()) {
      if (!truncate) continue
      const keys = await scanKeys(this.#link, must(this.#tables[table], 'a batch names tables of the domain'))
      const early = keys.slice(dropsMax)
      for (const slotKeys of this.#bySlot(early)) {
        for (let from = 0; from < slotKeys.length; from += 1000) {
          await this.#link.send(['UNLINK', ...slotKeys.slice(from, from + 1000)], slotKeys[0])
        }
      }
      drops.set(at, keys.slice(0, dropsMax))
    }
    return drops
  }

  #bySlot(keys: readonly string[]): Iterable<readonly string[]> {
    return isCluster(this.#options) ? groupBy(keys, hashSlot).values() : keys.length === 0 ? [] : [keys]
  }

  /** On the connection that has written: its writes are those that are waited for. */
  async #waitForReplicas({ tables }: WriteBatch): Promise<void> {
    const wanted = this.#options['wait.replicas']
    if (wanted === 0 || tables.length === 0) return
    const wait = ['WAIT', String(wanted), String(this.#options['wait.timeout'])]
    for (const send of await this.#link.masters()) {
      const reached = Number(await send(wait))
      if (reached >= wanted) continue
      throw new RedisFailure(`${reached} of ${wanted} replicas have the flush`, 'transient')
    }
  }
}
