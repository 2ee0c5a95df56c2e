import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable, Writable } from 'node:stream'
import { type CommandContext, createContext, type StopSignalName } from './command-context.ts'
import { runCli } from './run-cli.ts'

export interface CommandResult {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandInput {
  readonly stdin?: string | Readable
  readonly env?: NodeJS.ProcessEnv
  /** Standard output is a terminal. */
  readonly isTerminal?: boolean
}

/** Runs the command line in this process, with streams of its own in place of the process's. */
export async function runCommandLine(args: readonly string[], input: CommandInput = {}): Promise<CommandResult> {
  return await startCommandLine(args, input).result
}

export interface StartedCommand {
  readonly result: Promise<CommandResult>
  /** As `kill` would. */
  signal(name: StopSignalName): void
  /** What has been printed so far. */
  printed(): string
}

export function startCommandLine(args: readonly string[], input: CommandInput = {}): StartedCommand {
  const [stdout, stderr] = [new Recorder(input.isTerminal), new Recorder(input.isTerminal)]
  const listeners = new Set<(name: StopSignalName) => void>()
  const stdin = typeof input.stdin === 'string' ? Readable.from([Buffer.from(input.stdin)]) : input.stdin
  const created = createContext({
    stdin: stdin ?? new PassThrough().end(),
    stdout,
    stderr,
    env: input.env ?? {},
    on: () => undefined,
    off: () => undefined,
  })
  const context: CommandContext = {
    stdin: created.stdin,
    stdout: created.stdout,
    stderr: created.stderr,
    env: created.env,
    onSignal(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const result = runCli(args, context).then((status) => ({ status, stdout: stdout.text, stderr: stderr.text }))
  return {
    result,
    signal: (name) => {
      for (const listener of listeners) listener(name)
    },
    printed: () => stdout.text + stderr.text,
  }
}

class Recorder extends Writable {
  readonly isTTY: boolean
  readonly columns = 100
  text = ''

  constructor(isTerminal = false) {
    super({ decodeStrings: false })
    this.isTTY = isTerminal
  }

  override _write(chunk: Buffer | string, _encoding: BufferEncoding, callback: () => void): void {
    this.text += chunk.toString()
    callback()
  }
}

/** A folder with these files; gives the path of each by its name. */
export function folderWith(files: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-cli-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return (name) => join(folder, name)
}

export function jsonLines(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

export function ndjson(...lines: readonly unknown[]): string {
  return lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
}
