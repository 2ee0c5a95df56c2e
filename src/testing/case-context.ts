import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { ChangelogElement } from '../changelog/element.ts'
import type { Capabilities } from '../connector/capabilities.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import type { SinkEvent } from '../delivery/sink-event.ts'
import { type ErrorCode, TidegateError } from '../errors.ts'
import { rowToObject } from '../row/row.ts'
import { createRowReader } from '../row/row-reader.ts'
import type { Value } from '../row/value.ts'
import { createSinks, planTables } from '../sink/create-sink.ts'
import type { CreateSinksOptions } from '../sink/create-sink-options.ts'
import type { FlushReport, Sink } from '../sink/sink.ts'
import type { Need } from './cases/need.ts'
import { parseChangelog } from './changelog-text.ts'
import { declaredTable, tableDdl } from './conformance-table.ts'
import type { Harness } from './harness.ts'
import { rowDifferences } from './row-difference.ts'

/** Each table of a run has a name of its own, also where several runs share a database. */
const run = Math.random().toString(36).slice(2, 8)
let tableCount = 0

/** What every case does with a harness: prepare tables, open sinks on them, look at the rows. */
export class CaseContext {
  readonly harness: Harness
  #capabilities: Promise<Capabilities> | undefined

  constructor(harness: Harness) {
    this.harness = harness
  }

  /** A new empty table; `columns` as in CREATE TABLE. Flushes come only when a case asks for them, unless `options` say more. */
  async table(
    columns: string,
    options: Readonly<Record<string, string>> = {},
    name?: string,
  ): Promise<TableDefinition> {
    const declared = declaredTable(
      tableDdl(name ?? `case_${run}_${++tableCount}`, columns, {
        connector: this.harness.connector.name,
        ...quiet,
        ...options,
      }),
    )
    const prepared = await this.harness.prepare(declared)
    return { ...declared, options: { ...declared.options, ...prepared } }
  }

  async open(
    tables: TableDefinition | readonly TableDefinition[],
    more: Partial<Omit<CreateSinksOptions, 'tables'>> = {},
  ): Promise<Sink> {
    const { connector, client } = this.harness
    const list = 'schema' in tables ? [tables] : tables
    return await createSinks({ connectors: [connector], client, ...more, tables: list })
  }

  /** Opens a sink, writes, closes, and checks that the account closes (rule R4). */
  async write(
    table: TableDefinition,
    changelog: string | readonly ChangelogElement[],
    more: Partial<Omit<CreateSinksOptions, 'tables'>> = {},
  ): Promise<FlushReport> {
    const sink = await this.open(table, more)
    return await writeAndClose(sink, this.elements(table, changelog))
  }

  elements(table: TableDefinition, changelog: string | readonly ChangelogElement[]): readonly ChangelogElement[] {
    return typeof changelog === 'string' ? parseChangelog(table.schema, changelog) : changelog
  }

  /** What a reader sees, in canonical values. */
  async rows(table: TableDefinition): Promise<Record<string, Value | null>[]> {
    const reader = createRowReader(table.schema)
    return (await this.harness.snapshot(table)).map((row) => rowToObject(table.schema, reader.read(row)))
  }

  /** `rows`: texts in the notation of `parseChangelog` without a kind, or canonical rows. */
  async expectRows(
    table: TableDefinition,
    rows: readonly (string | Readonly<Record<string, Value | null>>)[],
    when = '',
  ): Promise<void> {
    const expected = rows.map((row) => (typeof row === 'string' ? this.#row(table, row) : row))
    const differences = rowDifferences(table, expected, await this.rows(table))
    assert.deepEqual(differences, [], `what a reader sees differs from what was written${when && `, ${when}`}`)
  }

  /** Opening a sink on the tables must be refused with one of the codes. */
  async expectRefused(
    tables: TableDefinition | readonly TableDefinition[],
    codes: readonly ErrorCode[],
    more: Partial<Omit<CreateSinksOptions, 'tables'>> = {},
  ): Promise<TidegateError> {
    const error = await this.open(tables, more).then(
      async (sink) => {
        await sink.close()
        return undefined
      },
      (reason: unknown) => reason,
    )
    assert.ok(error !== undefined, `the plan must be refused with ${codes.join(' or ')}, and a sink was opened`)
    assert.ok(error instanceof TidegateError, `a refusal is a TidegateError, not ${String(error)}`)
    assert.ok(
      codes.includes(error.code),
      `the plan must be refused with ${codes.join(' or ')}, not ${error.code}: ${error.message}`,
    )
    return error
  }

  /** Are the tables flushed together (rule B4)? */
  async shareDomain(tables: readonly TableDefinition[]): Promise<boolean> {
    const { connector, client } = this.harness
    return (await planTables({ connectors: [connector], client, tables })).length === 1
  }

  /** What the connector declares for a plain table. */
  capabilities(): Promise<Capabilities> {
    this.#capabilities ??= this.#askCapabilities()
    return this.#capabilities
  }

  async declares(needs: readonly Need[]): Promise<boolean> {
    const capabilities = await this.capabilities()
    return needs.every(({ declaredBy }) => declaredBy(capabilities))
  }

  async #askCapabilities(): Promise<Capabilities> {
    const table = await this.table('id INT, PRIMARY KEY (id) NOT ENFORCED')
    const sink = await this.open(table)
    await sink.close()
    const [plan] = sink.plan.tables
    assert.ok(plan !== undefined)
    return plan.capabilities
  }

  #row(table: TableDefinition, text: string): Record<string, Value | null> {
    const [element] = parseChangelog(table.schema, `+I ${text}`)
    assert.ok(element !== undefined && 'row' in element)
    return element.row as Record<string, Value | null>
  }
}

/** Only `flush()` and `close()` flush. */
const quiet = { 'sink.buffer-flush.interval': '0' }

export async function writeAndClose(sink: Sink, elements: readonly ChangelogElement[]): Promise<FlushReport> {
  try {
    for (const element of elements) await sink.write(element)
  } catch (error) {
    await sink.close().catch(() => {})
    throw error
  }
  const report = await sink.close()
  assertAccountCloses(report)
  return report
}

/** Rule R4. */
export function assertAccountCloses({ account }: FlushReport): void {
  const { accepted, written, folded, stale, ignored, rejected, held } = account
  assert.equal(held, 0, `nothing is held once all is durable: ${JSON.stringify(account)}`)
  assert.equal(
    accepted,
    written + folded + stale + ignored + rejected,
    `the account closes: ${JSON.stringify(account)}`,
  )
  for (const count of Object.values(account)) assert.ok(count >= 0, `no count is negative: ${JSON.stringify(account)}`)
}

/** Looks again until `check` no longer throws, for at most some seconds. */
export async function eventually(check: () => Promise<void>): Promise<void> {
  const deadline = performance.now() + 10_000
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (performance.now() > deadline) throw error
    }
    await delay(10)
  }
}

/** Keeps the events of a sink; hand `listen` in as `onEvent`. */
export class EventRecord {
  readonly events: SinkEvent[] = []
  readonly listen = (event: SinkEvent): void => {
    this.events.push(event)
  }

  of<Type extends SinkEvent['type']>(type: Type): Extract<SinkEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<SinkEvent, { type: Type }> => event.type === type)
  }
}
