import { CommanderError } from 'commander'
import type { CommandContext } from './command-context.ts'
import { exitStatus, statusOfError } from './exit-status.ts'
import { failureJson, failureText } from './failure-text.ts'
import { OutputClosed } from './output.ts'
import { createProgram } from './program.ts'

/** Runs the command line with the arguments behind the program's name; resolves to the exit status, never rejects. */
export async function runCli(args: readonly string[], context: CommandContext): Promise<number> {
  let status: number = exitStatus.done
  const program = createProgram(context, (finished) => {
    status = finished
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return status
  } catch (error) {
    return await fail(error, args, context)
  }
}

async function fail(error: unknown, args: readonly string[], context: CommandContext): Promise<number> {
  // whoever read has seen enough
  if (error instanceof OutputClosed) return exitStatus.done
  // commander has told the user already
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitStatus.done : exitStatus.refused
  if (args.includes('--json')) {
    await context.stdout.line(JSON.stringify(failureJson(error))).catch(() => {})
  }
  context.stderr.note(failureText(error, args.includes('--debug'), context.stderr.style))
  return statusOfError(error)
}
