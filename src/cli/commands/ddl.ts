import type { Command } from 'commander'
import { planDomains, readTables } from '../../sink/plan-tables.ts'
import { inputOfArguments } from '../changelog-format.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import { loadTables } from '../load-tables.ts'

interface DdlOptions {
  readonly table?: string
  readonly format?: string
}

const examples = `
Examples:
  $ tidegate ddl orders.sql
  $ tidegate ddl orders.sql | psql "$DATABASE_URL"
`

export function addDdlCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('ddl')
    .description("print the store's own CREATE TABLE, with the columns and the view that the plan needs")
    .argument('<SINK.sql>', 'file with CREATE TABLE')
    .argument('[CHANGES]', 'file of changes, of which the format is found out')
    .option('--table <name>', 'only this table of the file')
    .option('--format <name>', 'format of the input')
    .addHelpText('after', examples)
    .action(async (sink: string, changes: string | undefined, options: DdlOptions) => {
      finish(await printDdl(context, sink, changes, options))
    })
}

async function printDdl(
  context: CommandContext,
  path: string,
  changes: string | undefined,
  options: DdlOptions,
): Promise<number> {
  const tables = await loadTables(path, options.table)
  const sets = await readTables(tables)
  const input = await inputOfArguments(context, changes, options.format, sets)
  for (const { connector, plan } of planDomains(sets, input)) {
    for (const table of plan.tables) {
      const statements = connector.createTable(table)
      if (statements.length === 0) {
        context.stderr.note(`${table.name}: ${connector.name} has no tables to create`)
      }
      for (const statement of statements)
        await context.stdout.line(`${statement.trim().replace(/;$/, '')}${connector.statementEnd ?? ';'}\n`)
    }
  }
  return exitStatus.done
}
