import { type Command, Option } from 'commander'
import type { Account } from '../../buffer/account.ts'
import type { SinkEvent } from '../../delivery/sink-event.ts'
import { TidegateError } from '../../errors.ts'
import { openSink } from '../../sink/create-sink.ts'
import { planDomains, readTables, type TableSet } from '../../sink/plan-tables.ts'
import type { FlushReport, Sink } from '../../sink/sink.ts'
import { type ChangelogFile, openChangelogFile } from '../changelog-file.ts'
import type { CommandContext, Finish, StopSignalName } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import type { LineDecoder } from '../line-decoder.ts'
import { loadTables } from '../load-tables.ts'
import { type MalformedChoice, malformedChoices, malformedHandler } from '../malformed-lines.ts'
import { PositionFile } from '../position-file.ts'
import { prepareDecoder } from '../prepare-decoder.ts'
import { Progress, runStateOf } from '../progress.ts'
import { pumpChangelog } from '../pump-changelog.ts'
import { durableOf, type RunReport, runReportText } from '../run-report.ts'
import { namedFormat, sourceInputOf } from '../source-input.ts'
import { StopSignal } from '../stop-signal.ts'

interface RunOptions {
  readonly table?: string
  readonly format?: string
  readonly resume?: string
  readonly onMalformed?: MalformedChoice
  readonly json?: true
  readonly quiet?: true
}

const examples = `
Examples:
  $ tidegate run orders.sql changes.ndjson
  $ kcat -C -t shop.public.orders -J | tidegate run orders.sql
  $ tidegate run shop.sql changes.ndjson.gz --resume shop.position
  $ tidegate run orders.sql rejected.ndjson            dead letters, once their cause is mended

SIGINT and SIGTERM end the input, write what has been read and leave; a second one gives up at once. With --resume the
durable line is kept in a file, so that the next run goes on behind it; under 'sink.delivery-guarantee' = 'exactly-once'
the ledger in the store says where to go on.
`

export function addRunCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('run')
    .description('write a changelog into the store')
    .argument('<SINK.sql>', 'file with CREATE TABLE; several tables share one transaction')
    .argument('[CHANGES]', 'file of changes, gzip or not, or - for standard input', '-')
    .option('--table <name>', 'only this table of the DDL file')
    .option('--format <name>', 'format of the input; else it is found out')
    .option('--resume <file>', 'keep the durable position in this file, and go on from it')
    .addOption(
      new Option('--on-malformed <choice>', 'what a line that cannot be read does (default: fail)').choices(
        malformedChoices,
      ),
    )
    .option('--json', 'print the closing account as data')
    .option('--quiet', 'no progress; errors and the account only')
    .addHelpText('after', examples)
    .action(async (sink: string, changes: string, options: RunOptions) => {
      finish(await run(context, sink, changes, options))
    })
}

async function run(context: CommandContext, path: string, changes: string, options: RunOptions): Promise<number> {
  const tables = await loadTables(path, options.table)
  const sets = await readTables(tables)
  const file = await openChangelogFile(changes, {
    stdin: context.stdin,
    format: options.format,
    tableFormat: namedFormat(sets),
  })
  try {
    return await new ChangelogRun(context, sets, file, options).run()
  } finally {
    file.close()
  }
}

/** One run of a changelog into a sink. */
class ChangelogRun {
  readonly #context: CommandContext
  readonly #options: RunOptions
  readonly #sets: readonly TableSet[]
  readonly #file: ChangelogFile
  readonly #decoder: LineDecoder
  #started = performance.now()
  #flushes = 0
  #retries = 0
  #rejectionsTold = 0
  #progress: Progress | undefined

  constructor(context: CommandContext, sets: readonly TableSet[], file: ChangelogFile, options: RunOptions) {
    this.#context = context
    this.#sets = sets
    this.#file = file
    this.#options = options
    const path = sets.flatMap(({ inputs }) => inputs).map((input) => input.options['sink.dead-letter.path'])
    const handler = malformedHandler(
      options.onMalformed,
      path.find((one) => one !== undefined),
      (text) => this.#note(text),
    )
    this.#decoder = prepareDecoder(sets, file, handler)
  }

  async run(): Promise<number> {
    const planned = planDomains(this.#sets, sourceInputOf(this.#file.format, this.#decoder.groupEnd))
    const positions = await this.#openPositions()
    const sink = await openSink(planned, { onEvent: (event) => this.#onEvent(event) })
    this.#started = performance.now()
    const written = this.#linesWritten(sink, positions)
    this.#decoder.resumeAfter(written)
    const stop = this.#listen(sink)
    this.#progress = this.#startProgress(sink)
    const keeping = this.#keepPositions(sink, positions)
    try {
      const report = await pumpChangelog(this.#file, this.#decoder, sink, () => stop.received !== undefined)
      if (stop.received === undefined) this.#checkLength(written)
      await this.#close(sink, report, stop.received)
      return statusOf(stop.received)
    } catch (error) {
      this.#progress?.end()
      this.#context.stderr.note(
        runReportText(this.#reportOf(sink, undefined, stop.received), this.#context.stderr.style),
      )
      throw error
    } finally {
      stop.end()
      await keeping
      await positions?.finish(sink.positions())
    }
  }

  async #openPositions(): Promise<PositionFile | undefined> {
    const { resume } = this.#options
    if (resume === undefined) return undefined
    const tables = this.#sets.flatMap(({ inputs }) => inputs.map(({ definition }) => definition.name))
    return await PositionFile.open({ path: resume, input: this.#file.identity, tables })
  }

  /** The ledger in the store knows better than a file beside it. */
  #linesWritten(sink: Sink, file: PositionFile | undefined): ReadonlyMap<string, number> {
    if (sink.plan.delivery.guarantee !== 'exactly-once') return file?.lines ?? new Map()
    return new Map([...sink.positions()].flatMap(([partition, line]) => (isLine(line) ? [[partition, line]] : [])))
  }

  /** An input that has become shorter is not the one that was read before. */
  #checkLength(written: ReadonlyMap<string, number>): void {
    const { identity } = this.#file
    const own = [...written].filter(([partition]) => partition === identity || partition.startsWith(`${identity}/`))
    const furthest = Math.max(0, ...own.map(([, line]) => line))
    if (this.#decoder.line >= furthest) return
    throw new TidegateError(
      `${this.#file.name} ends at line ${this.#decoder.line}, and an earlier run has written up to line ${furthest}`,
      { code: 'STATE_INVALID', hint: 'it has been replaced or cut: start from its first line with a new position' },
    )
  }

  #listen(sink: Sink): StopSignal {
    const giveUp = (why: string): void => {
      this.#note(`giving up: ${why}`)
      void sink.abort(new Error(why))
    }
    return new StopSignal(this.#context, {
      timeoutMs: this.#shutdownTimeout(),
      onStop: (signal) => {
        this.#note(`${signal}: writing what has been read; once more gives up at once`)
        this.#file.close()
      },
      onTimeout: () => giveUp("'sink.shutdown-timeout' is over"),
      onSecond: () => giveUp('a second signal came'),
    })
  }

  #shutdownTimeout(): number {
    return Math.max(
      ...this.#sets.flatMap(({ inputs }) => inputs.map((input) => input.options['sink.shutdown-timeout'])),
    )
  }

  #startProgress(sink: Sink): Progress | undefined {
    if (this.#options.quiet === true) return undefined
    return new Progress(this.#context.stderr, () => runStateOf(sink, this.#decoder, this.#file))
  }

  async #keepPositions(sink: Sink, file: PositionFile | undefined): Promise<void> {
    for await (const _ of sink.durable()) file?.advance(sink.positions())
  }

  async #close(sink: Sink, report: FlushReport, stoppedBy: StopSignalName | undefined): Promise<void> {
    this.#progress?.end()
    const { stdout, stderr } = this.#context
    const summary = this.#reportOf(sink, report, stoppedBy)
    stderr.note(runReportText(summary, stderr.style))
    if (this.#options.json === true) await stdout.line(JSON.stringify(summary))
  }

  #reportOf(sink: Sink, report: FlushReport | undefined, stoppedBy: StopSignalName | undefined): RunReport {
    const account: Account = report?.account ?? sink.account()
    return {
      input: this.#file.name,
      server: `${sink.plan.connector} (${sink.server})`,
      elapsedMs: Math.round(performance.now() - this.#started),
      stoppedBy: stoppedBy ?? null,
      records: this.#decoder.recordCount,
      malformed: this.#decoder.malformedCount,
      writtenBefore: this.#decoder.skippedCount,
      account,
      flushes: this.#flushes,
      retries: this.#retries,
      pendingGroups: report?.pendingGroups ?? 0,
      otherTables: sink.otherTables,
      undeclaredColumns: sink.undeclaredColumns(),
      durable: durableOf(sink.positions()),
    }
  }

  #onEvent(event: SinkEvent): void {
    switch (event.type) {
      case 'flush':
        this.#flushes++
        break
      case 'retry':
        this.#retries++
        this.#note(`retry ${event.attempt} in ${Math.round(event.delayMs)} ms: ${event.reason}`)
        break
      case 'rejected':
        this.#tellRejection(event)
        break
      case 'warning':
        this.#note(event.table === undefined ? event.message : `${event.table}: ${event.message}`)
        break
    }
  }

  /** Under `fail` the error tells it; of many others only the first few are told one by one. */
  #tellRejection({ handled, table, record, code, reason }: SinkEvent & { type: 'rejected' }): void {
    if (handled === 'fail') return
    this.#rejectionsTold++
    if (this.#rejectionsTold > rejectionsToldMax) return
    const where = record === undefined ? table : `${table}, line ${record}`
    const more = this.#rejectionsTold === rejectionsToldMax ? ' (further ones are only counted)' : ''
    this.#note(`${handled === 'skip' ? 'skipped' : 'dead letter'}: ${where}: ${code}: ${reason}${more}`)
  }

  #note(text: string): void {
    if (this.#progress !== undefined) this.#progress.note(text)
    else this.#context.stderr.note(text)
  }
}

const rejectionsToldMax = 10

function isLine(offset: unknown): offset is number {
  return typeof offset === 'number'
}

function statusOf(signal: StopSignalName | undefined): number {
  if (signal === undefined) return exitStatus.done
  return signal === 'SIGINT' ? exitStatus.interrupted : exitStatus.terminated
}
