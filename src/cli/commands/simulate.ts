import { type Command, InvalidArgumentError } from 'commander'
import { createMemoryStore, type MemoryStore } from '../../../adapters/memory/store.ts'
import { must } from '../../assert.ts'
import { type Change, type ChangelogElement, isChange } from '../../changelog/element.ts'
import type { RejectionPolicy } from '../../delivery/failure-handler.ts'
import type { TidegateError } from '../../errors.ts'
import type { InputRecord } from '../../format/format.ts'
import type { TablePlan } from '../../plan/plan.ts'
import { toJsonText } from '../../row/json-text.ts'
import { primaryKeyNames } from '../../row/schema.ts'
import { openSink } from '../../sink/create-sink.ts'
import { type PlannedDomain, planDomains, readTables, type TableSet } from '../../sink/plan-tables.ts'
import type { Sink } from '../../sink/sink.ts'
import { TableRouter } from '../../sink/table-router.ts'
import { type ChangelogFile, openChangelogFile } from '../changelog-file.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import type { LineDecoder } from '../line-decoder.ts'
import { loadTables } from '../load-tables.ts'
import { prepareDecoder } from '../prepare-decoder.ts'
import { rowsText } from '../rows-text.ts'
import { simulated } from '../simulated-connector.ts'
import { namedFormat, sourceInputOf } from '../source-input.ts'
import type { ControlLine, TraceLine } from '../trace-line.ts'
import { TracePrinter } from '../trace-printer.ts'
import { TraceRecorder } from '../trace-recorder.ts'
import { TracedTable } from '../traced-table.ts'
import { UsageError } from '../usage-error.ts'

interface SimulateOptions {
  readonly table?: string
  readonly format?: string
  readonly trace?: true
  readonly json?: true
  readonly flushRows?: number
  readonly strict?: true
}

const examples = `
Examples:
  $ tidegate simulate orders.sql changes.ndjson                  the table that would result; no store is touched
  $ tidegate simulate orders.sql changes.ndjson --trace          what became of each change, and why
  $ tidegate simulate orders.sql changes.ndjson --trace --json | jq 'select(.outcome == "stale")'
  $ tidegate simulate orders.sql changes.ndjson --trace --flush-rows 2

The plan is made for the connector that the DDL names, by what its oldest supported server can do ('sink.server-version'
names another), and runs in memory. --trace flushes after each record, which ends every hold; with --flush-rows the
buffer flushes as in a run, and what waits in it is shown as held. A rejected record does not end a simulation; with
--strict it makes the exit status 1 if 'sink.failure-handler' is 'fail'.
`

export function addSimulateCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('simulate')
    .description('run a changelog in memory: the table that would result, and what becomes of each change')
    .argument('<SINK.sql>', 'file with CREATE TABLE')
    .argument('<CHANGES>', 'file of changes, gzip or not, or - for standard input')
    .option('--table <name>', 'only this table of the DDL file')
    .option('--format <name>', 'format of the input; else it is found out')
    .option('--trace', 'say of each change what became of it')
    .option('--json', 'one line of JSON a change (with --trace) or a row')
    .option('--flush-rows <n>', 'with --trace: flush when so many rows are buffered', wholeNumber)
    .option('--strict', 'exit status 1 if a record was rejected')
    .addHelpText('after', examples)
    .action(async (sink: string, changes: string, options: SimulateOptions) => {
      finish(await simulate(context, sink, changes, options))
    })
}

async function simulate(
  context: CommandContext,
  path: string,
  changes: string,
  options: SimulateOptions,
): Promise<number> {
  if (options.flushRows !== undefined && options.trace !== true) {
    throw new UsageError('--flush-rows needs --trace', 'without a trace the table is the same at any flush size')
  }
  const tables = await loadTables(path, options.table)
  const store = createMemoryStore()
  const sets = await Promise.all((await readTables(tables)).map((set) => simulated(set, store)))
  const file = await openChangelogFile(changes, {
    stdin: context.stdin,
    format: options.format,
    tableFormat: namedFormat(sets),
  })
  try {
    return await new Simulation(context, sets, file, store, options).run()
  } finally {
    file.close()
  }
}

class Simulation {
  readonly #context: CommandContext
  readonly #options: SimulateOptions
  readonly #file: ChangelogFile
  readonly #store: MemoryStore
  readonly #decoder: LineDecoder
  readonly #planned: readonly PlannedDomain[]
  readonly #tables: readonly TracedTable[]
  readonly #router: TableRouter
  readonly #recorder: TraceRecorder
  readonly #printer: TracePrinter
  /** How many changes each record has given so far. */
  readonly #changeCounts = new Map<number, number>()
  #malformed: TraceLine[] = []
  #rejected = 0

  constructor(
    context: CommandContext,
    sets: readonly TableSet[],
    file: ChangelogFile,
    store: MemoryStore,
    options: SimulateOptions,
  ) {
    this.#context = context
    this.#options = options
    this.#file = file
    this.#store = store
    this.#decoder = prepareDecoder(sets, file, (error, record) => this.#onMalformed(error, record))
    const planned = planDomains(sets, sourceInputOf(file.format, this.#decoder.groupEnd))
    this.#planned = planned.map((domain) => withTriggers(domain, options))
    this.#tables = this.#planned.flatMap(({ connector, plan }) =>
      plan.tables.map((table) => new TracedTable(connector, table, store)),
    )
    this.#router = new TableRouter(this.#tables.map(({ plan }) => plan))
    this.#recorder = new TraceRecorder(this.#tables, (trigger, changes) => this.#printer.flushed(trigger, changes))
    this.#printer = new TracePrinter(context.stdout, this.#recorder, {
      json: options.json === true,
      showsHeld: options.flushRows !== undefined,
    })
  }

  async run(): Promise<number> {
    const sink = await this.#open()
    try {
      await this.#pump(sink)
    } finally {
      await sink.close().catch(() => {})
    }
    // a sink that failed without a write noticing it says so again
    await sink.close()
    if (this.#isTrace) await this.#printer.print(true)
    if (this.#isTrace && this.#options.json !== true) await this.#context.stdout.line()
    if (!this.#isTrace || this.#options.json !== true) await this.#printTables()
    const fails = this.#options.strict === true && this.#failsOnRejection && this.#rejected > 0
    return fails ? exitStatus.failed : exitStatus.done
  }

  get #isTrace(): boolean {
    return this.#options.trace === true
  }

  get #failsOnRejection(): boolean {
    return this.#planned.some(({ plan }) => plan.delivery.failureHandler === 'fail')
  }

  async #open(): Promise<Sink> {
    if (this.#isTrace) this.#store.onApply = this.#recorder.onApply
    return await openSink(this.#planned, {
      rejectionPolicy: this.#rejectionPolicy(),
      observer: this.#isTrace ? this.#recorder : undefined,
      onEvent: (event) => {
        if (event.type === 'rejected') this.#onRejected(event.record, `${event.code}: ${event.reason}`)
        if (this.#isTrace) this.#recorder.onEvent(event)
      },
    })
  }

  /** As the plan's, save that nothing is written to a file and `fail` does not end the simulation. */
  #rejectionPolicy(): RejectionPolicy {
    const isDeadLetter = this.#planned.some(({ plan }) => plan.delivery.failureHandler === 'dead-letter')
    return isDeadLetter ? { name: 'dead-letter', handler: { handle: async () => {} } } : { name: 'skip' }
  }

  async #pump(sink: Sink): Promise<void> {
    const elements: ChangelogElement[] = []
    const push = (element: ChangelogElement): void => {
      elements.push(element)
    }
    const drain = (): Promise<void> => this.#write(sink, elements.splice(0))
    for await (const batch of this.#file.records()) {
      for (const record of batch) {
        this.#decoder.decode(record, push)
        await drain()
      }
    }
    this.#decoder.end(push)
    await drain()
  }

  async #write(sink: Sink, elements: readonly ChangelogElement[]): Promise<void> {
    if (this.#isTrace) await this.#trace(sink, elements)
    else for (const element of elements) await sink.write(element)
    for (const line of this.#malformed.splice(0)) if (this.#isTrace) await this.#printer.line(line)
  }

  /** A flush follows each record, but never comes between the halves of a change of key (rule K6). */
  async #trace(sink: Sink, elements: readonly ChangelogElement[]): Promise<void> {
    const moves = keyChanges(elements, (table) => this.#route(table)[0]?.plan)
    const openPairs = new Set<number>()
    for (const [at, element] of elements.entries()) {
      await this.#writeTraced(sink, element)
      const pair = isChange(element) ? element.pair : undefined
      if (pair !== undefined && moves.has(pair) && !openPairs.delete(pair)) openPairs.add(pair)
      const next = elements[at + 1]
      if (next === undefined || (next.record !== element.record && openPairs.size === 0)) await this.#endRecord(sink)
    }
  }

  async #writeTraced(sink: Sink, element: ChangelogElement): Promise<void> {
    if (isChange(element)) {
      const index = this.#nextIndex(element.record)
      const tables = this.#route(element.table)
      for (const table of tables.length === 0 ? [undefined] : tables) {
        this.#printer.add(this.#recorder.begin(element, index, table))
      }
      await sink.write(element)
      return
    }
    await sink.write(element)
    // what it ends is told before it
    await this.#endRecord(sink)
    await this.#printer.control(controlLine(element, (table) => this.#route(table)[0]?.plan.truncate))
  }

  #route(name: string | undefined): readonly TracedTable[] {
    return this.#router.route(name).map((at) => must(this.#tables[at], 'routed to a table of the sink'))
  }

  async #endRecord(sink: Sink): Promise<void> {
    if (this.#options.flushRows === undefined) await sink.flush()
    else while (sink.isFlushing) await new Promise<void>((resolve) => setImmediate(resolve))
    await this.#printer.print(false)
  }

  #nextIndex(record: number | undefined): number {
    if (record === undefined) return 0
    const index = this.#changeCounts.get(record) ?? 0
    this.#changeCounts.set(record, index + 1)
    return index
  }

  async #printTables(): Promise<void> {
    const { stdout } = this.#context
    for (const table of this.#tables) {
      const rows = table.rows().map((row) => table.rowJson(row))
      if (stdout.isTerminal && this.#options.json !== true) {
        await stdout.line(stdout.style.heading(`${table.plan.name}: ${rows.length} rows`))
        const names = table.plan.schema.columns.map(({ name }) => name)
        if (rows.length > 0) await stdout.line(rowsText(names, rows))
        continue
      }
      const isSeveral = this.#tables.length > 1
      for (const row of rows) await stdout.line(toJsonText(isSeveral ? { table: table.plan.name, row } : row))
    }
  }

  #onMalformed(error: TidegateError, { record }: InputRecord): void {
    this.#malformed.push(malformedLine(record, error.message))
    this.#onRejected(record, error.message)
  }

  #onRejected(record: number | undefined, reason: string): void {
    this.#rejected++
    if (this.#isTrace) return
    const where = record === undefined || reason.startsWith('line ') ? '' : `line ${record}: `
    const end = this.#failsOnRejection ? '; a run would end here' : ''
    this.#context.stderr.note(`rejected: ${where}${reason}${end}`)
  }
}

/** With `--flush-rows` nothing but the rows starts a flush, so that a trace comes out the same each time. */
function withTriggers({ connector, plan }: PlannedDomain, { trace, flushRows }: SimulateOptions): PlannedDomain {
  if (trace !== true) return { connector, plan }
  const flush = { ...plan.flush, maxRows: flushRows ?? 0, maxBytes: 0, intervalMs: 0 }
  return { connector, plan: { ...plan, flush } }
}

function controlLine(
  element: Exclude<ChangelogElement, Change>,
  effectOfTruncate: (table: string | undefined) => string | undefined,
): ControlLine {
  const record = element.record ?? null
  switch (element.type) {
    case 'group-end':
      return { record, control: 'group-end', group: element.group ?? null }
    case 'watermark':
      return { record, control: 'watermark', timestamp: element.timestamp }
    case 'truncate': {
      const effect = effectOfTruncate(element.table) ?? 'ignore'
      return { record, control: 'truncate', table: element.table ?? null, effect }
    }
    case 'schema-change':
      return { record, control: 'schema-change', table: element.table ?? null, description: element.description }
    case 'position':
      return { record, control: 'position' }
  }
}

/** A line that could not be read is told of like a change that was rejected. */
function malformedLine(record: number | undefined, reason: string): TraceLine {
  const outcome = 'rejected'
  return { record: record ?? null, change: 0, kind: null, key: null, outcome, columns: {}, reason, row: null }
}

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('it is a whole number from 1.')
  return number
}

/** Ids of the pairs whose halves have different keys. */
function keyChanges(
  elements: readonly ChangelogElement[],
  planOf: (table: string | undefined) => TablePlan | undefined,
): ReadonlySet<number> {
  const firstKeys = new Map<number, string>()
  const moves = new Set<number>()
  for (const element of elements) {
    if (!isChange(element) || element.pair === undefined) continue
    const plan = planOf(element.table)
    const names = plan === undefined ? [] : primaryKeyNames(plan.schema)
    const key = names.map((name) => String(element.row[name])).join('\0')
    const first = firstKeys.get(element.pair)
    if (first === undefined) firstKeys.set(element.pair, key)
    else if (first !== key) moves.add(element.pair)
  }
  return moves
}
