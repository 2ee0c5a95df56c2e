import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import type { CommandContext, Finish } from './command-context.ts'
import { addCheckCommand } from './commands/check.ts'
import { addDdlCommand } from './commands/ddl.ts'
import { addDemoCommand } from './commands/demo.ts'
import { addExplainCommand } from './commands/explain.ts'
import { addInspectCommand } from './commands/inspect.ts'
import { addRunCommand } from './commands/run.ts'
import { addSimulateCommand } from './commands/simulate.ts'
import { packageFolder } from './package-folder.ts'

export function createProgram(context: CommandContext, finish: Finish): Command {
  const program = new Command('tidegate')
    .description('Writes changelog streams (+I -U +U -D) into databases by native upserts.')
    .version(packageVersion(), '-V, --version')
    .option('--debug', 'show where an error comes from')
    .showHelpAfterError('(tidegate --help, or tidegate <command> --help, shows how it is called)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.stdout.stream.write(text),
      writeErr: (text) => context.stderr.stream.write(text),
      getOutHelpWidth: () => Math.min(context.stdout.columns, 120),
      getErrHelpWidth: () => Math.min(context.stderr.columns, 120),
      getOutHasColors: () => context.stdout.isTerminal,
      getErrHasColors: () => context.stderr.isTerminal,
    })
    .addHelpText('after', programHelp)
  addDemoCommand(program, context, finish)
  addExplainCommand(program, context, finish)
  addDdlCommand(program, context, finish)
  addCheckCommand(program, context, finish)
  addRunCommand(program, context, finish)
  addInspectCommand(program, context, finish)
  addSimulateCommand(program, context, finish)
  return program
}

const programHelp = `
Exit status:
  0    done
  1    the input or the store failed, or a check found faults
  2    the command line, the DDL, an option or the plan is refused; nothing was written
  130  stopped by SIGINT, 143 by SIGTERM; what had been read was written first

Examples:
  $ tidegate demo
  $ tidegate explain orders.sql
  $ tidegate run orders.sql changes.ndjson
`

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageFolder(), 'package.json'), 'utf8')) as { version: string }
  return version
}
