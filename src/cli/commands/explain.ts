import type { Command } from 'commander'
import { type Explanation, explain } from '../../plan/explain.ts'
import { explainText } from '../../plan/explain-text.ts'
import { draftSink } from '../../plan/plan-sink.ts'
import { readTables, sourceOf } from '../../sink/plan-tables.ts'
import { inputOfArguments } from '../changelog-format.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus, statusOfError } from '../exit-status.ts'
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

/** A refused plan is shown as far as it got, with every problem; its status is that of the refusal. */
async function explainSink(
  context: CommandContext,
  path: string,
  changes: string | undefined,
  options: ExplainOptions,
): Promise<number> {
  const { tables, notes } = await loadTables(path, options.table)
  const sets = await readTables(tables)
  const input = await inputOfArguments(context, changes, options.format, sets)
  const drafts = sets.map(({ connector, inputs }) => ({
    connector,
    draft: draftSink(connector, inputs, sourceOf(inputs, input)),
  }))
  const explanations = drafts.map(({ connector, draft }) => explain(connector, draft.plan, draft.refusal))
  if (options.json === true) await context.stdout.line(JSON.stringify(explanations, undefined, 2))
  else await context.stdout.write(textOf(explanations, notes, context))
  const refusal = drafts.map(({ draft }) => draft.refusal).find((one) => one !== undefined)
  return refusal === undefined ? exitStatus.done : statusOfError(refusal)
}

function textOf(explanations: readonly Explanation[], notes: readonly string[], { stdout }: CommandContext): string {
  const texts = explanations.map((explanation) => explainText(explanation, stdout.style))
  if (notes.length > 0) {
    texts.push(`${stdout.style.heading('notes on the file')}\n${notes.map((note) => `  · ${note}\n`).join('')}`)
  }
  return texts.join('\n')
}
