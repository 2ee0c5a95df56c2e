import type { Command } from 'commander'
import type { CheckFinding, OpenContext } from '../../connector/connector.ts'
import { TidegateError } from '../../errors.ts'
import { type PlannedDomain, planDomains, readTables } from '../../sink/plan-tables.ts'
import type { TextStyle } from '../../text-style.ts'
import { inputOfArguments } from '../changelog-format.ts'
import type { CommandContext, Finish } from '../command-context.ts'
import { exitStatus } from '../exit-status.ts'
import { loadTables } from '../load-tables.ts'

interface CheckOptions {
  readonly table?: string
  readonly format?: string
  readonly json?: true
}

const examples = `
Examples:
  $ tidegate check orders.sql          every difference between the plan and the table in the store, with what mends it
  $ tidegate check orders.sql --json

Exit status 1 if there is an error among the findings; warnings alone leave it 0.
`

export function addCheckCommand(program: Command, context: CommandContext, finish: Finish): void {
  program
    .command('check')
    .description('compare the target in the store with the plan; writes nothing')
    .argument('<SINK.sql>', 'file with CREATE TABLE')
    .argument('[CHANGES]', 'file of changes, of which the format is found out')
    .option('--table <name>', 'only this table of the file')
    .option('--format <name>', 'format of the input')
    .option('--json', 'the findings as data')
    .addHelpText('after', examples)
    .action(async (sink: string, changes: string | undefined, options: CheckOptions) => {
      finish(await check(context, sink, changes, options))
    })
}

async function check(
  context: CommandContext,
  path: string,
  changes: string | undefined,
  options: CheckOptions,
): Promise<number> {
  const tables = await loadTables(path, options.table)
  const sets = await readTables(tables)
  const input = await inputOfArguments(context, changes, options.format, sets)
  const findings: (CheckFinding & { readonly connector: string })[] = []
  for (const domain of planDomains(sets, input)) {
    for (const finding of await findingsOf(domain)) findings.push({ connector: domain.connector.name, ...finding })
  }
  if (options.json === true) await context.stdout.line(JSON.stringify(findings, undefined, 2))
  else for (const finding of findings) await context.stdout.line(findingText(finding, context.stdout.style))
  return findings.some(({ severity }) => severity === 'error') ? exitStatus.failed : exitStatus.done
}

async function findingsOf({ connector, plan }: PlannedDomain): Promise<readonly CheckFinding[]> {
  const names = plan.tables.map(({ name }) => name).join(', ')
  if (connector.check === undefined) {
    return [{ severity: 'ok', subject: names, message: `${connector.name} has nothing that could differ` }]
  }
  const controller = new AbortController()
  const context: OpenContext = {
    plan,
    tables: plan.tables,
    client: undefined,
    lanes: 1,
    inFlightPerLane: 1,
    signal: controller.signal,
  }
  try {
    return await connector.check(context)
  } catch (error) {
    if (error instanceof TidegateError) throw error
    throw new TidegateError(`${connector.name} cannot be reached: ${error instanceof Error ? error.message : ''}`, {
      code: connector.classify(error) === 'auth' ? 'STORE_AUTH' : 'STORE_UNAVAILABLE',
      connector: connector.name,
      cause: error,
    })
  }
}

function findingText({ severity, subject, message, fix }: CheckFinding, style: TextStyle): string {
  const marks = { ok: style.good('ok     '), warning: style.warning('warning'), error: style.bad('error  ') }
  const lines = (fix ?? '').split('\n').filter((line) => line !== '')
  return [`${marks[severity]}  ${subject}: ${message}`, ...lines.map((line) => `           ${line}`)].join('\n')
}
