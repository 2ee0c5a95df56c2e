import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { ServerUser } from './server-user.ts'

/**
 * A small shell stands between the test run and the server. It reads from a pipe that only the test run holds open: when the
 * run ends in whatever way, ctrl-C and SIGKILL included, the pipe closes, the shell ends the server and clears up.
 */
export const keeperScript = `
  signal=$1 log=$2 clean=$3; shift 3
  "$@" </dev/null >>"$log" 2>&1 &
  server=$!
  echo "$server"
  read -r word || word=abandoned
  kill -s "$signal" "$server" 2>/dev/null
  tries=0
  while kill -0 "$server" 2>/dev/null && [ "$tries" -lt 100 ]; do sleep 0.1; tries=$((tries + 1)); done
  kill -s KILL "$server" 2>/dev/null
  wait "$server"
  [ "$word" = pause ] || eval "$clean"
`

export interface KeptProcess {
  readonly pid: number
  /** Ends the process with its signal, after ten seconds with SIGKILL, and clears up. */
  stop(): Promise<void>
  /** Ends the process in the same way, but leaves its files for the next start. */
  pause(): Promise<void>
}

export interface KeptProcessOptions {
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly user?: ServerUser | undefined
  readonly cwd: string
  readonly log: string
  /** What the process takes as the request to end in good order. */
  readonly signal: 'INT' | 'TERM'
  /** Shell command that removes what the process leaves behind. */
  readonly clean: string
}

/** Starts a process that never outlives this one. Resolves when it runs, not yet when it answers. */
export async function keepProcess(options: KeptProcessOptions): Promise<KeptProcess> {
  const { command, user, signal, log, clean } = options
  const shell = spawn('/bin/sh', ['-c', keeperScript, 'keeper', signal, log, clean, ...command], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    uid: user?.uid,
    gid: user?.gid,
    // a session of its own: ctrl-C on the terminal must reach the server in order, through the keeper
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<void>((resolve) => shell.once('exit', () => resolve()))
  const pid = await new Promise<number>((resolve, reject) => {
    shell.once('error', reject)
    createInterface(shell.stdout).once('line', (line) => resolve(Number(line)))
  })
  shell.unref()
  for (const pipe of [shell.stdin, shell.stdout]) (pipe as unknown as Socket).unref()
  const finish = async (word: string): Promise<void> => {
    if (shell.exitCode === null && shell.stdin.writable) shell.stdin.end(`${word}\n`)
    shell.ref()
    await ended
  }
  return { pid, stop: () => finish('stop'), pause: () => finish('pause') }
}

/** Shell text for one word, whatever is in it. */
export function shellQuote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}
