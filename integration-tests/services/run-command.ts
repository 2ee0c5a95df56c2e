import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { ServerUser } from './server-user.ts'

export interface CommandOptions {
  readonly cwd?: string | undefined
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>> | undefined
  readonly user?: ServerUser | undefined
  readonly timeoutMs?: number | undefined
}

/** Runs a program to its end and gives its standard output. Rejects with the end of what it printed if it fails. */
export async function runCommand(file: string, args: readonly string[], options: CommandOptions = {}): Promise<string> {
  return await new Promise((resolve, reject) => {
    const child = execFile(
      file,
      args,
      {
        cwd: options.cwd,
        env: { ...process.env, ...options.env },
        uid: options.user?.uid,
        gid: options.user?.gid,
        timeout: options.timeoutMs ?? 600_000,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout)
        else
          reject(
            new Error(`${file} ${args[0] ?? ''} failed: ${lastLines(stderr) || lastLines(stdout) || error.message}`),
          )
      },
    )
    child.stdin?.end()
  })
}

/** Full path of a program on PATH or in the folders named. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter)
  return [...folders, ...path].map((folder) => join(folder, name)).find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-8).join('\n')
}
