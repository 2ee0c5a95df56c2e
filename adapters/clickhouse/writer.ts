import { must } from '../../src/assert.ts'
import type {
  RejectedChange,
  TableBatch,
  TableWriteResult,
  Wave,
  WriteBatch,
  WriteResult,
} from '../../src/connector/batch.ts'
import type { CheckFinding, OpenContext, SinkWriter, WriteContext } from '../../src/connector/connector.ts'
import { RowStage } from '../../src/connector/row-stage.ts'
import { storeKeyCodec } from '../../src/connector/store-key-codec.ts'
import { untilAborted } from '../../src/connector/until-aborted.ts'
import { problemsError } from '../../src/errors.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { FoldKey, RowKeyCodec } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'
import { type CatalogTable, compareTarget, dropsRepeats, readCatalog } from './check.ts'
import { type Connection, openConnection } from './client.ts'
import { encodeRows, type OutgoingChange } from './encode-rows.ts'
import { aggregating, lackingInGroups } from './engine/aggregating.ts'
import type { OutgoingRow } from './engine/engine.ts'
import { quoteIdentifier, quoteQualified } from './identifier.ts'
import type { ClickhouseOptions } from './options.ts'
import { ArrivalNumbers, versionOf } from './row-version.ts'
import { SmallInserts } from './small-inserts.ts'
import { createTable, insertStatement, selectRows } from './statements.ts'
import { readStored } from './stored-rows.ts'
import { type Target, targetOf } from './target.ts'
import { textDecoder, typeMapping } from './type-mapping.ts'

/** Throws `OPTION_INVALID`, `DRIVER_MISSING`, `STORE_MISMATCH` and what the driver meets. */
export async function openWriter({ tables, client, warn }: OpenContext): Promise<SinkWriter> {
  const targets = tables.map(targetOf)
  const connection = await openConnection(
    client,
    must(tables[0], 'a domain has a table').connectorOptions as ClickhouseOptions,
  )
  try {
    const [version] = await connection.rows('SELECT version()')
    const open: OpenTable[] = []
    for (const target of targets) {
      const catalog = await prepare(connection, target)
      open.push({
        dropsRepeats: dropsRepeats(catalog),
        target,
        keys: storeKeyCodec(typeMapping, target.plan.schema),
        smallInserts: new SmallInserts(),
        arrivals: new ArrivalNumbers(await highestVersion(connection, target)),
      })
    }
    return new ClickhouseWriter(connection, open, `ClickHouse ${version?.[0] ?? ''}`, warn)
  } catch (error) {
    await connection.close()
    throw error
  }
}

/** Every difference of the targets to the plans. */
export async function check({ tables, client }: OpenContext): Promise<readonly CheckFinding[]> {
  const targets = tables.map(targetOf)
  const connection = await openConnection(
    client,
    must(tables[0], 'a domain has a table').connectorOptions as ClickhouseOptions,
  )
  try {
    const findings: CheckFinding[] = []
    for (const target of targets) findings.push(...compareTarget(target, await readCatalog(connection, target)))
    return findings
  } finally {
    await connection.close()
  }
}

async function prepare(connection: Connection, target: Target): Promise<CatalogTable> {
  let catalog = await readCatalog(connection, target)
  if (catalog === undefined && target.plan.createTable) {
    for (const statement of createTable(target.plan)) await connection.run(statement)
    catalog = await readCatalog(connection, target)
  }
  const findings = compareTarget({ ...target, plan: { ...target.plan, createTable: false } }, catalog)
  const problems = findings.filter(({ severity }) => severity === 'error')
  if (problems.length === 0) return must(catalog, 'a table that is missing is a problem')
  throw problemsError('the target in ClickHouse does not fit the plan:', problems, {
    code: 'STORE_MISMATCH',
    connector: 'clickhouse',
  })
}

/** Where arrivals are numbered, a new writer goes on above what is there. */
async function highestVersion(connection: Connection, { plan, name, engine }: Target): Promise<bigint> {
  const column = engine.countedBy(plan)
  if (column === undefined) return 0n
  const [row] = await connection.rows(`SELECT toString(max(${quoteIdentifier(column)})) FROM ${quoteQualified(name)}`)
  return BigInt(row?.[0] ?? '0')
}

interface OpenTable {
  readonly target: Target
  readonly keys: RowKeyCodec
  readonly arrivals: ArrivalNumbers
  readonly smallInserts: SmallInserts
  /** The server drops an insert whose token it has seen. */
  readonly dropsRepeats: boolean
}

class ClickhouseWriter implements SinkWriter {
  readonly server: string
  readonly inFlightPerLane = 2
  readonly dropsRepeatedBatches: boolean
  readonly #connection: Connection
  readonly #tables: readonly OpenTable[]
  readonly #warn: OpenContext['warn']
  #attempts = 0

  constructor(connection: Connection, tables: readonly OpenTable[], server: string, warn: OpenContext['warn']) {
    this.#warn = warn
    this.#connection = connection
    this.#tables = tables
    this.server = server
    this.dropsRepeatedBatches = tables.every((one) => one.dropsRepeats || !one.target.engine.countsRepeats)
  }

  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    return await untilAborted(this.#writeBatch(batch, context), context.signal)
  }

  async read(table: number, limit: number): Promise<readonly Readonly<Record<string, Value | null>>[]> {
    const { target } = this.#tableAt(table)
    const decoders = target.plan.schema.columns.map(({ name, type }) => ({ name, decode: textDecoder(type) }))
    const rows = await this.#connection.rows(selectRows(target, limit))
    return rows.map((texts) => {
      const row: Record<string, Value | null> = Object.create(null)
      for (const [at, { name, decode }] of decoders.entries()) {
        const text = texts[at]
        row[name] = text === null || text === undefined ? null : decode(text)
      }
      return row
    })
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #writeBatch(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const tables: TableWriteResult[] = []
    for (const table of batch.tables) tables.push(await this.#writeTable(batch.id, table, context))
    return { tables }
  }

  async #writeTable(batchId: string, batch: TableBatch, context: WriteContext): Promise<TableWriteResult> {
    const table = this.#tableAt(batch.table)
    if (batch.truncate) await this.#connection.run(`TRUNCATE TABLE ${quoteQualified(table.target.name)}`)
    const blocked = new Set<FoldKey>()
    let written = 0
    for (const [index, wave] of batch.waves.entries()) {
      const { rows, rejected, idle } = await this.#outgoing(table, batch.table, wave, blocked)
      const { body, count, faults } = encodeRows(table.target.columns, batch.table, rows)
      const refused = [...rejected, ...faults]
      for (const { change } of refused) blocked.add(change.key)
      if (refused.length > 0) await context.reject(refused)
      if (count > 0) {
        // without a token the server goes by content, and takes a row that comes back to what it once was for the insert of then
        const attempt = table.target.engine.countsRepeats ? '' : `/${++this.#attempts}`
        const token = `${batchId}/${batch.table}/${index}${attempt}`
        await this.#connection.insert(insertStatement(table.target), body, token)
        const advice = table.smallInserts.note(count, performance.now())
        if (advice !== undefined) this.#warn?.(table.target.plan.name, advice)
      }
      written += count + idle
    }
    return { written, stale: 0 }
  }

  /** `idle`: changes that need no row. */
  async #outgoing(
    table: OpenTable,
    index: number,
    wave: Wave,
    blocked: ReadonlySet<FoldKey>,
  ): Promise<{ rows: readonly OutgoingChange[]; rejected: readonly RejectedChange[]; idle: number }> {
    const rejected: RejectedChange[] = []
    const rows: OutgoingChange[] = []
    const asking: MergeChange[] = []
    for (const change of wave) {
      if (blocked.has(change.key)) {
        rejected.push({ table: index, change, reason: 'an earlier change of the key was rejected' })
      } else if (table.target.plan.merge.batchShape === 'retract-pairs')
        rows.push(imagesOf(table.target.plan.merge, change))
      else if (change.op === 'insert') rows.push(appendedRow(table, change))
      else if (table.target.engine === aggregating) {
        const reason = lackingInGroups(table.target.plan.merge, change.row)
        if (reason === undefined) rows.push(contributionOf(table, change))
        else rejected.push({ table: index, change, reason })
      } else if (change.op === 'upsert' && !change.replace)
        rejected.push({ table: index, change, reason: lacksColumns })
      else if (change.op === 'retract' || change.ungated === true) asking.push(change)
      else rows.push({ change, rows: [this.#versionOf(table, change.row, change.op === 'delete')] })
    }
    if (asking.length === 0) return { rows, rejected, idle: 0 }
    const merged = await this.#merge(table, index, asking)
    return { rows: [...rows, ...merged.rows], rejected: [...rejected, ...merged.rejected], idle: merged.idle }
  }

  /** Deletes that name no newer version go by what is stored. */
  async #merge(
    table: OpenTable,
    index: number,
    changes: readonly MergeChange[],
  ): Promise<{ rows: readonly OutgoingChange[]; rejected: readonly RejectedChange[]; idle: number }> {
    const { target, keys } = table
    const stored = await readStored(this.#connection, target, keys, changes)
    const stage = new RowStage({ plan: target.plan, stored: (key) => stored.get(key) })
    const { rejected } = stage.applyWave(index, changes)
    const { deletedFlag } = target.plan.merge
    const rows = changes.flatMap((change) => {
      const row = stage.rows.get(change.key)
      if (row === undefined) return []
      const isDeleted = deletedFlag !== undefined && row[deletedFlag] === true
      return [{ change, rows: [this.#versionOf(table, row, isDeleted)] }]
    })
    return { rows, rejected, idle: changes.length - rows.length - rejected.length }
  }

  #versionOf({ target, arrivals }: OpenTable, row: ArrayLike<unknown>, isDeleted: boolean): OutgoingRow {
    const { merge } = target.plan
    const version = merge.sequence === undefined ? arrivals.next() : versionOf(merge, row)
    if (!isDeleted) return { ...plainRow, row, version }
    const left = new Set([...merge.key, ...(merge.sequence?.columns ?? [])])
    const tombstone = merge.columns.map((_, at) => (left.has(at) ? row[at] : null))
    return { ...plainRow, row: tombstone, isDeleted, version }
  }

  #tableAt(index: number): OpenTable {
    return must(this.#tables[index], 'a batch names tables of the domain')
  }
}

const lacksColumns = 'it lacks columns, and a ReplacingMergeTree replaces whole rows'

const plainRow = { isDeleted: false, version: 0n, sign: 1, kind: '+I' } as const

function appendedRow({ target, arrivals }: OpenTable, change: MergeChange): OutgoingChange {
  const { row, kind = '+I' } = change
  const version = target.engine.countedBy(target.plan) === undefined ? 0n : arrivals.next()
  return { change, rows: [{ ...plainRow, row, kind, version }] }
}

/** What a change brings to the columns; they are merged in the store. */
function contributionOf({ arrivals }: OpenTable, change: MergeChange): OutgoingChange {
  const isDeleted = change.op === 'retract'
  return { change, rows: [{ ...plainRow, row: change.row, isDeleted, version: arrivals.next() }] }
}

/** The image that is taken back, and the one that stands (batch shape `retract-pairs`, rule K2). */
function imagesOf(merge: MergePlan, change: MergeChange): OutgoingChange {
  const image = (row: ArrayLike<unknown>, sign: 1 | -1): OutgoingRow => {
    return { ...plainRow, row, sign, version: merge.sequence === undefined ? 0n : versionOf(merge, row) }
  }
  if (change.op === 'retract') return { change, rows: [image(change.row, -1)] }
  const before = change.before === undefined ? [] : [image(change.before, -1)]
  return { change, rows: [...before, image(change.row, 1)] }
}
