import type { Command } from 'commander'
import type { Explanation } from '../../plan/explain.ts'
import { explainText } from '../../plan/explain-text.ts'
import { explainSets } from '../../sink/explain-tables.ts'
import { readTables } from '../../sink/plan-tables.ts'
import { inputOfArguments } from '../changelog-format.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import { loadTables } from '../load-tables.ts'

interface ExplainOptions {
  readonly table?: string
  readonly format?: string
  readonly json?: true
}

const examples = `
Examples:
  $ tidegate explain orders.sql                  what would be done, and what is promised; no connection is made
  $ tidegate explain orders.sql changes.ndjson   the same for this input: its format is looked at
  $ tidegate explain orders.sql --json | jq '.[0].tables[0].statements'
`

export function addExplainCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('explain')
    .description('show the plan: changelog modes, merge rules, statements, promises, options')
    .argument('<SINK.sql>', 'file with CREATE TABLE')
    .argument('[CHANGES]', 'file of changes, of which the format is found out')
    .option('--table <name>', 'only this table of the file')
    .option('--format <name>', 'format of the input')
    .option('--json', 'the plan as data')
    .addHelpText('after', examples)
    .action(async (sink: string, changes: string | undefined, options: ExplainOptions) => {
      finish(await explainSink(context, sink, changes, options))
    })
}

/** A refused plan is shown as far as it got, with every problem. */
async function explainSink(
  context: CommandContext,
  path: string,
  changes: string | undefined,
  options: ExplainOptions,
): Promise<number> {
  const tables = await loadTables(path, options.table)
  const sets = await readTables(tables)
  const input = await inputOfArguments(context, changes, options.format, sets)
  const explanations = explainSets(sets, input)
  if (options.json === true) await context.stdout.line(JSON.stringify(explanations, undefined, 2))
  else await context.stdout.write(textOf(explanations, context))
  return explanations.some(({ refused }) => refused !== null) ? exitStatus.refused : exitStatus.done
}

function textOf(explanations: readonly Explanation[], { stdout }: CommandContext): string {
  return explanations.map((explanation) => explainText(explanation, stdout.style)).join('\n')
}
