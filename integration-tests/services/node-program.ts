import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'vite'
import { projectFolder } from '../build-package.ts'

/** A program of the tests' own, compiled together with the sources, for processes that plain Node runs. */
export interface NodeProgram extends AsyncDisposable {
  /** `env`: added to the environment of this process. */
  start(argument: unknown, env?: Readonly<Record<string, string>>): ProgramRun
}

export interface ProgramRun {
  readonly pid: number
  /** Lines of JSON that the program has printed so far. */
  readonly lines: readonly ProgramLine[]
  /** Resolves with the first line that has such a member; rejects when the program ends without one. */
  waitFor(member: string): Promise<ProgramLine>
  readonly ended: Promise<ProgramEnd>
  signal(signal: NodeJS.Signals): void
}

export type ProgramLine = Readonly<Record<string, unknown>>

export interface ProgramEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stderr: string
}

/** `entry`: a TypeScript file. */
export async function buildProgram(entry: string): Promise<NodeProgram> {
  const cache = join(projectFolder, 'node_modules', '.cache')
  await mkdir(cache, { recursive: true })
  const outDir = mkdtempSync(join(cache, 'tidegate-program-'))
  await build({
    configFile: false,
    logLevel: 'error',
    // one file with everything that the sources use starts twice as fast; drivers are found where the project finds them
    ssr: { noExternal: true, external: ['pg', '@electric-sql/pglite'] },
    build: {
      ssr: entry,
      outDir,
      target: 'node20',
      minify: false,
      rollupOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  })
  const running = new Set<ChildProcess>()
  return {
    start: (argument, env) => startProgram(join(outDir, 'main.mjs'), argument, env, running),
    [Symbol.asyncDispose]: async () => {
      for (const child of running) child.kill('SIGKILL')
      rmSync(outDir, { recursive: true, force: true })
    },
  }
}

function startProgram(
  file: string,
  argument: unknown,
  env: Readonly<Record<string, string>> | undefined,
  running: Set<ChildProcess>,
): ProgramRun {
  const child = spawn(process.execPath, [file, JSON.stringify(argument)], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  const lines: ProgramLine[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  createInterface(child.stdout).on('line', (line) => {
    lines.push(JSON.parse(line) as ProgramLine)
    wake()
  })
  let end: ProgramEnd | undefined
  const ended = new Promise<ProgramEnd>((resolve) => {
    // all output has come
    child.once('close', (code, signal) => {
      running.delete(child)
      end = { code, signal, stderr }
      resolve(end)
      wake()
    })
  })
  return {
    pid: child.pid ?? 0,
    lines,
    ended,
    signal: (signal) => void child.kill(signal),
    waitFor: async (member) =>
      await new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.find((line) => member in line)
          if (found !== undefined) resolve(found)
          else if (end !== undefined) reject(new Error(`${basename(file)} ended without "${member}": ${end.stderr}`))
          else return
          waiting.delete(look)
        }
        waiting.add(look)
        look()
      }),
  }
}
