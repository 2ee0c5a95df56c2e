import { pipeline } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import { type DecodeStream, decode } from '../../src/format/decode.ts'
import { createSinks } from '../../src/sink/create-sink.ts'
import type { Sink } from '../../src/sink/sink.ts'
import { createSlot, type Replication, startReplication } from '../services/logical-replication.ts'
import { createDatabase, type PostgresAccess, type PostgresDatabase } from '../services/postgres-database.ts'
import { onDatabase, pgbenchDdl, pgbenchTableNames } from './pgbench.ts'

export interface ReplicaOptions {
  readonly source: PostgresDatabase
  readonly publication: string
  /** Where its own database is made. */
  readonly access: PostgresAccess
  /** Options of all four tables. */
  readonly options: Readonly<Record<string, string>>
}

/** A database that follows pgbench's tables: a copy of what there is, and from then on the slot's changelog. */
export class PgbenchReplica {
  readonly reader: BalanceReader
  readonly #options: ReplicaOptions
  readonly #target: PostgresDatabase
  readonly #slot: string
  flushCount = 0
  /** Records that were not written since the ledger had them already. */
  replayedRecords = 0
  /** End of the last commit that came, and what the source's slot holds as acknowledged. */
  lastCommit: string | undefined
  confirmed: string | undefined
  #run: Run | undefined

  private constructor(options: ReplicaOptions, target: PostgresDatabase) {
    this.#options = options
    this.#target = target
    this.#slot = target.name
    this.reader = new BalanceReader(target.url)
  }

  static async create(options: ReplicaOptions): Promise<PgbenchReplica> {
    const replica = new PgbenchReplica(options, await createDatabase(options.access))
    await createSlot(options.source.url, replica.#slot, (snapshot) => replica.#copy(snapshot))
    return replica
  }

  get url(): string {
    return this.#target.url
  }

  /** `acknowledge` false: the slot keeps everything, to send it again after a restart. */
  async start({ acknowledge }: { acknowledge: boolean }): Promise<void> {
    const sink = await createSinks({
      tables: pgbenchDdl((table) => ({
        ...this.#connector(),
        format: 'pgoutput',
        ...(table === 'pgbench_history' ? { 'source.changelog-mode': 'insert-only' } : {}),
        'sink.buffer-flush.interval': '100 ms',
        ...this.#options.options,
      })),
      onEvent: (event) => {
        if (event.type === 'flush') this.flushCount++
      },
    })
    const decoded = decode('pgoutput')
    const written = pipeline(decoded, sink.writable())
    const { source, publication } = this.#options
    const replication = startReplication({ url: source.url, slot: this.#slot, publication, into: decoded })
    const acknowledged = acknowledge ? acknowledgeDurable(sink, replication) : Promise.resolve()
    for (const promise of [written, acknowledged]) promise.catch(() => {})
    this.#run = { sink, decoded, written, replication, acknowledged }
    this.reader.start()
  }

  /** Resolves when so many commits have come since the last start. */
  async reached(commitCount: number): Promise<void> {
    const { replication, written } = this.#running()
    const reached = async (): Promise<void> => {
      while (replication.commitCount < commitCount) await delay(20)
    }
    await Promise.race([reached(), replication.failed, written])
  }

  /** Stops at once, as a process does that is killed: what is buffered is lost, and nobody hears of what is under way. */
  async crash(): Promise<void> {
    const { sink, replication, decoded, written } = this.#running()
    await sink.abort()
    await replication.stop()
    decoded.destroy()
    await written.catch(() => {})
  }

  /** Takes in so many commits, then closes the sink and waits until the slot knows what is durable. */
  async finish(commitCount: number): Promise<void> {
    const { sink, decoded, written, replication, acknowledged } = this.#running()
    await this.reached(commitCount)
    decoded.end()
    await written
    await acknowledged
    await this.reader.stop()
    this.replayedRecords = sink.account().ignored
    this.lastCommit = replication.lastCommit
    this.confirmed = await this.#confirmedPosition()
    await replication.stop()
  }

  async drop(): Promise<void> {
    await this.reader.stop()
    await this.#run?.sink.abort()
    await this.#run?.replication.stop()
    await this.#target.drop()
  }

  #running(): Run {
    if (this.#run === undefined) throw new Error('the replica was not started')
    return this.#run
  }

  #connector(): Record<string, string> {
    return { connector: 'postgres', url: this.url }
  }

  /** Of a snapshot, through a sink of its own: larger flushes, and each row once whatever happens. */
  async #copy(snapshot: string): Promise<void> {
    await using sink = await createSinks({
      tables: pgbenchDdl((table) => ({
        ...this.#connector(),
        'sink.create-table': 'if-not-exists',
        'source.changelog-mode': 'insert-only',
        ...(table === 'pgbench_history' ? { 'sink.accept-duplicates': 'true' } : {}),
      })),
    })
    await onDatabase(this.#options.source.url, async (client) => {
      await client.query('begin isolation level repeatable read read only')
      await client.query(`set transaction snapshot ${client.escapeLiteral(snapshot)}`)
      for (const table of pgbenchTableNames) {
        const { rows } = await client.query<Record<string, string>>({ text: `select * from ${table}`, types: asText })
        for (const row of rows) await sink.write({ kind: '+I', table, row })
      }
    })
  }

  /** The acknowledgement is on its way: asks until it has arrived, or for ten seconds. */
  async #confirmedPosition(): Promise<string | undefined> {
    return await onDatabase(this.#options.source.url, async (client) => {
      for (let attempt = 0; ; attempt++) {
        const { rows } = await client.query<{ lsn: string }>(
          'select confirmed_flush_lsn as lsn from pg_replication_slots where slot_name = $1',
          [this.#slot],
        )
        if (rows[0]?.lsn === this.lastCommit || attempt === 100) return rows[0]?.lsn
        await delay(100)
      }
    })
  }
}

interface Run {
  readonly sink: Sink
  readonly decoded: DecodeStream
  readonly written: Promise<void>
  readonly replication: Replication
  readonly acknowledged: Promise<void>
}

async function acknowledgeDurable(sink: Sink, replication: Replication): Promise<void> {
  for await (const { offset } of sink.durable()) await replication.acknowledge(String(offset))
}

const asText = { getTypeParser: () => (text: string) => text } as unknown as pg.CustomTypesConfig

/** Balances as one statement sees them: equal at the end of each of pgbench's transactions. */
export interface Balances {
  readonly accounts: string
  readonly tellers: string
  readonly branches: string
}

/** Looks at the three sums again and again while others write. */
export class BalanceReader {
  /** Sums that no transaction of the source has ever left behind. */
  readonly torn: Balances[] = []
  /** Sums of the accounts that were seen. */
  readonly states = new Set<string>()
  readonly #url: string
  #reading: Promise<void> | undefined
  #stopped = false

  constructor(url: string) {
    this.#url = url
  }

  start(): void {
    this.#reading ??= this.#read()
    this.#reading.catch(() => {})
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await this.#reading
  }

  async #read(): Promise<void> {
    await onDatabase(this.#url, async (client) => {
      await client.query("set default_transaction_isolation = 'repeatable read'")
      while (!this.#stopped) {
        const { rows } = await client.query<Balances>(sums)
        for (const balances of rows) this.#note(balances)
        await delay(5)
      }
    })
  }

  #note(balances: Balances): void {
    this.states.add(balances.accounts)
    if (new Set(Object.values(balances)).size > 1) this.torn.push(balances)
  }
}

const sums = `
  select (select sum(abalance) from pgbench_accounts) as accounts,
         (select sum(tbalance) from pgbench_tellers) as tellers,
         (select sum(bbalance) from pgbench_branches) as branches`
