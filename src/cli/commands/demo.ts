import type { Command } from 'commander'
import { alignedLines } from '../../aligned-lines.ts'
import { importDriver } from '../../connector/import-driver.ts'
import { countText } from '../../counted.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import type { InputRecord } from '../../format/format.ts'
import { explain } from '../../plan/explain.ts'
import { explainText } from '../../plan/explain-text.ts'
import { openSink } from '../../sink/create-sink.ts'
import { type PlannedDomain, planDomains, readTables } from '../../sink/plan-tables.ts'
import type { FlushReport } from '../../sink/sink.ts'
import { BalanceReader, type BalanceView, type QueryClient } from '../balance-reader.ts'
import { openChangelogFile } from '../changelog-file.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import type { LineDecoder } from '../line-decoder.ts'
import { loadTables } from '../load-tables.ts'
import { packagePath } from '../package-folder.ts'
import { prepareDecoder } from '../prepare-decoder.ts'
import { Progress, runStateOf } from '../progress.ts'
import { pumpChangelog } from '../pump-changelog.ts'
import { rowsText } from '../rows-text.ts'
import { elapsedText } from '../size-text.ts'
import { sourceInputOf } from '../source-input.ts'

const examples = `
Needs no server: the database is PGlite, a PostgreSQL inside of this process, and is gone afterwards.
`

export function addDemoCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('demo')
    .description('replicate a recorded changelog into an embedded PostgreSQL, and watch it as a reader would')
    .addHelpText('after', examples)
    .action(async () => {
      finish(await new Demo(context).run())
    })
}

/** The part of PGlite that the demo uses. */
interface Database extends QueryClient {
  exec(text: string): Promise<unknown>
  close(): Promise<void>
}

interface Replica {
  readonly planned: readonly PlannedDomain[]
  readonly decoder: LineDecoder
  readonly report: FlushReport
  readonly view: BalanceView
  readonly elapsedMs: number
}

/** Runs the recording twice: with flushes that keep transactions whole, and with flushes that cut them. */
class Demo {
  readonly #context: CommandContext
  readonly #ddlPath = packagePath('demo', 'pgbench.sql')
  readonly #changesPath = packagePath('demo', 'pgbench.ndjson.gz')

  constructor(context: CommandContext) {
    this.#context = context
  }

  async run(): Promise<number> {
    const tables = await loadTables(this.#ddlPath, undefined)
    await this.#say('A bank, recorded: the transactions of four pgbench clients as PostgreSQL replicates them.', '')
    await this.#say(`  changes  ${this.#changesPath}`, `  tables   ${this.#ddlPath}`, '')
    this.#context.stderr.note('starting an embedded PostgreSQL …')
    const database = await openDatabase()
    try {
      const aligned = await this.#replicate(database, tables, 'group')
      await this.#showTables(database)
      await this.#showAccount(aligned)
      await this.#showPlan(aligned.planned)
      await database.exec('drop schema public cascade; create schema public')
      const cut = await this.#replicate(database, tables, 'none')
      await this.#showReaders(aligned.view, cut.view)
    } finally {
      await database.close()
    }
    await this.#say(...nextSteps(this.#ddlPath, this.#changesPath))
    return exitStatus.done
  }

  async #replicate(database: Database, tables: readonly TableDefinition[], align: 'group' | 'none'): Promise<Replica> {
    this.#context.stderr.note(`writing the changelog, 'sink.flush.align' = '${align}' …`)
    const sets = await readTables(tables.map((table) => withFlushes(table, align)))
    const file = await openChangelogFile(this.#changesPath, { stdin: this.#context.stdin })
    const decoder = prepareDecoder(sets, file, undefined)
    const planned = planDomains(sets, sourceInputOf(file.format, decoder.groupEnd))
    const started = performance.now()
    const sink = await openSink(planned, { client: database })
    const progress = new Progress(this.#context.stderr, () => runStateOf(sink, decoder, file))
    const reader = new BalanceReader(database)
    try {
      const report = await pumpChangelog({ records: () => inPieces(file.records()) }, decoder, sink)
      return { planned, decoder, report, view: await reader.stop(), elapsedMs: performance.now() - started }
    } finally {
      progress.end()
      await reader.stop().catch(() => {})
      file.close()
    }
  }

  async #showTables(database: Database): Promise<void> {
    const { rows: sums } = await database.query<Record<string, unknown>>(sumsQuery)
    const { rows: accounts } = await database.query<Record<string, unknown>>(accountsQuery)
    await this.#heading('The tables')
    await this.#say(rowsText(['table', 'rows', 'sum'], sums), '')
    await this.#say('The accounts that moved most:', rowsText(['aid', 'bid', 'abalance', 'transfers'], accounts), '')
  }

  async #showAccount({ decoder, report, elapsedMs }: Replica): Promise<void> {
    const { accepted, written, folded, ignored } = report.account
    await this.#heading('The account')
    await this.#say(
      `  ${countText(decoder.recordCount)} lines in ${elapsedText(elapsedMs)}, with somebody reading all the while`,
      `  ${countText(accepted)} changes = ${countText(written)} written + ${countText(folded)} folded + ${countText(ignored)} ignored`,
      '',
    )
  }

  async #showPlan(planned: readonly PlannedDomain[]): Promise<void> {
    const [domain] = planned
    if (domain === undefined) return
    const { connector, plan } = domain
    const accounts = plan.tables.filter(({ name }) => name === 'pgbench_accounts')
    const explanation = explain(connector, { ...plan, tables: accounts })
    const brief = explanation.tables.map((table) => ({
      ...table,
      statements: table.statements.slice(0, 2),
      options: table.options.filter(({ given }) => given),
    }))
    await this.#heading('The plan of one of the four tables')
    await this.#say(explainText({ ...explanation, tables: brief }, this.#context.stdout.style))
  }

  async #showReaders(aligned: BalanceView, cut: BalanceView): Promise<void> {
    const { style } = this.#context.stdout
    const line = (view: BalanceView) => `${countText(view.tornReads)} of ${countText(view.reads)} reads`
    await this.#heading('What a reader saw meanwhile')
    await this.#say(
      '  Each transaction changes an account, a teller and the branch by the same amount, so the three sums are equal.',
      `  'sink.flush.align' = 'none':   they differed in  ${style.bad(line(cut))}`,
      `  'sink.flush.align' = 'group':  they differed in  ${style.good(line(aligned))}`,
      '',
    )
  }

  async #heading(text: string): Promise<void> {
    await this.#say(this.#context.stdout.style.heading(text))
  }

  async #say(...lines: readonly string[]): Promise<void> {
    for (const line of lines) await this.#context.stdout.line(line)
  }
}

function nextSteps(ddl: string, changes: string): string[] {
  return [
    'Next',
    ...alignedLines([
      [`tidegate explain ${ddl}`, 'the whole plan'],
      [`tidegate inspect ${changes} --sink ${ddl}`, 'what is in the changelog'],
      [`tidegate simulate ${ddl} ${changes} --trace`, 'what became of each change'],
      ['tidegate run my.sql my-changes.ndjson', `your own: see ${packagePath('docs', 'quickstart.md')}`],
    ]).map((line) => `  ${line}`),
  ]
}

const sumsQuery = `
select 'pgbench_accounts' as "table", count(*)::int as rows, sum(abalance)::int as sum from pgbench_accounts
union all select 'pgbench_tellers', count(*)::int, sum(tbalance)::int from pgbench_tellers
union all select 'pgbench_branches', count(*)::int, sum(bbalance)::int from pgbench_branches
union all select 'pgbench_history', count(*)::int, sum(delta)::int from pgbench_history`

const accountsQuery = `
select aid, bid, abalance, (select count(*)::int from pgbench_history where pgbench_history.aid = pgbench_accounts.aid) as transfers
from pgbench_accounts order by abs(abalance) desc, aid limit 5`

/** As records come from a network: a few at a time, and others have their turn in between. */
async function* inPieces(
  batches: AsyncIterable<readonly InputRecord[]>,
): AsyncGenerator<readonly InputRecord[], void, undefined> {
  const pieceSize = 50
  for await (const batch of batches) {
    for (let from = 0; from < batch.length; from += pieceSize) {
      yield batch.slice(from, from + pieceSize)
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
  }
}

/** Small flushes, so that a reader comes in between often. */
function withFlushes(table: TableDefinition, align: 'group' | 'none'): TableDefinition {
  return {
    ...table,
    options: { ...table.options, 'sink.flush.align': align, 'sink.buffer-flush.max-rows': '100' },
  }
}

async function openDatabase(): Promise<Database> {
  const driver = { connector: 'postgres', name: '@electric-sql/pglite', range: '^0.5.17' }
  const { PGlite } = await importDriver(driver, () => import('@electric-sql/pglite'))
  return await PGlite.create()
}
