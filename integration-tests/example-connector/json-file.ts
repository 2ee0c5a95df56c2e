import { open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import {
  type Capabilities,
  type Connector,
  createRowKeyCodec,
  createRowReader,
  equalValues,
  type FailureClass,
  type FoldKey,
  formatDataType,
  type MergeChange,
  type OpenContext,
  type Row,
  type SinkWriter,
  type TableBatch,
  type TablePlan,
  type TableWriteResult,
  text,
  toJsonRow,
  type WriteBatch,
  type WriteContext,
  type WriteResult,
} from 'tidegate/connector'

/** Tables in one JSON file, `{ "orders": [{…}, {…}] }`, which every flush replaces as a whole. */
export const jsonFile: Connector = {
  name: 'json-file',
  options: {
    path: text({ section: 'json-file', required: true, description: 'The file; it is made if it is missing.' }),
  },
  identity: (options) => String(options['path']),
  capabilities: () => capabilities,
  typeMapping: {
    nativeType: formatDataType,
    keyNormalizer: () => undefined,
    sequenceFault: () => undefined,
  },
  targetName: ({ name }) => name,
  statements: () => [],
  createTable: () => [],
  open: async (context) => new JsonFileWriter(context),
  classify,
}

const capabilities: Capabilities = {
  changelog: 'upsert',
  deleteModes: ['hard'],
  patch: true,
  sequence: { gate: false, compound: false, descending: false },
  sequenceGroups: false,
  aggregates: [],
  retracts: [],
  firstRow: false,
  moves: false,
  transaction: true,
  openTransaction: false,
  exactlyOnce: false,
  truncate: true,
  outcome: 'count',
  batchShape: 'upsert',
  volatile: false,
  tombstoneLife: 'not at all',
}

/** The lock is held by another writer for a moment; what a full disk or missing rights cause is not mended by time. */
function classify(error: unknown): FailureClass {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
  if (code === 'EEXIST') return 'transient'
  return code === 'EACCES' || code === 'EPERM' ? 'auth' : 'fatal'
}

/** Rows of one table by key; those of a table without a primary key by their number. */
type Rows = Map<FoldKey, Row>

class JsonFileWriter implements SinkWriter {
  readonly server = 'json-file'
  readonly #path: string
  readonly #tables: readonly TablePlan[]

  constructor({ tables }: OpenContext) {
    this.#path = String(tables[0]?.connectorOptions['path'])
    this.#tables = tables
  }

  /** Reads the file, applies the batch, and puts a new file in its place: all of the flush is visible at once. */
  async write(batch: WriteBatch, context: WriteContext): Promise<WriteResult> {
    const lock = await open(`${this.#path}.lock`, 'wx')
    try {
      const file = await readTables(this.#path)
      const results: TableWriteResult[] = []
      for (const table of batch.tables) {
        const plan = this.#tables[table.table]
        if (plan === undefined) throw new Error('a batch names only tables of the sink')
        const rows = rowsOf(plan, table.truncate ? [] : (file[plan.name] ?? []))
        results.push(await applyTable(plan, rows, table, context))
        file[plan.name] = [...rows.values()].map((row) => toJsonRow(plan.schema, row))
      }
      await writeFile(`${this.#path}.new`, JSON.stringify(file), { flush: true })
      await rename(`${this.#path}.new`, this.#path)
      return { tables: results }
    } finally {
      await lock.close()
      await rm(`${this.#path}.lock`)
    }
  }

  async close(): Promise<void> {}
}

type Tables = Record<string, Record<string, unknown>[]>

async function readTables(path: string): Promise<Tables> {
  const json = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  return JSON.parse(json) as Tables
}

function rowsOf({ schema }: TablePlan, stored: readonly Record<string, unknown>[]): Rows {
  const reader = createRowReader(schema)
  const keys = createRowKeyCodec(schema)
  const rows: Rows = new Map()
  for (const [index, object] of stored.entries()) {
    const row = reader.read(object)
    rows.set(schema.primaryKey.length === 0 ? index : (keys.keyOf(row) ?? index), row)
  }
  return rows
}

async function applyTable(
  plan: TablePlan,
  rows: Rows,
  { table, waves }: TableBatch,
  context: WriteContext,
): Promise<TableWriteResult> {
  let written = 0
  for (const change of waves.flat()) {
    const fault = apply(plan, rows, change)
    if (fault === undefined) written++
    // throws if the flush is to fail; nothing has been written by then
    else await context.reject([{ table, change, reason: fault }])
  }
  return { written, stale: 0 }
}

/** What one change does; or why the row cannot be stored. */
function apply({ schema }: TablePlan, rows: Rows, change: MergeChange): string | undefined {
  // without aggregate functions the columns of a change are plain values
  const image = change.row as Row
  const stored = rows.get(change.key)
  switch (change.op) {
    case 'insert':
      rows.set(rows.size, image)
      return undefined
    case 'delete':
      rows.delete(change.key)
      return undefined
    case 'retract': {
      // a delete of exactly this version: every column that it carries must be what is stored
      const same = schema.columns.every(({ type }, index) => {
        const value = image[index]
        return value === undefined || equalValues(type, value, stored?.[index] ?? null)
      })
      if (stored !== undefined && same) rows.delete(change.key)
      return undefined
    }
    case 'upsert': {
      // an absent column keeps its value, unless the row was deleted in between
      const row = schema.columns.map((_, index) => {
        const value = image[index]
        if (value !== undefined) return value
        return change.replace ? null : (stored?.[index] ?? null)
      })
      const lacking = schema.columns.find(({ nullable }, index) => !nullable && row[index] === null)
      if (lacking !== undefined) return `column ${lacking.name} is NOT NULL and would have no value`
      rows.set(change.key, row)
      return undefined
    }
  }
}
