import type { Readable } from 'node:stream'
import { Output, type OutputStream } from './output.ts'

/** All that a command knows of the process it runs in; tests hand in streams of their own. */
export interface CommandContext {
  readonly stdin: Readable
  /** What was asked for. */
  readonly stdout: Output
  /** Progress, notes and errors. */
  readonly stderr: Output
  readonly env: NodeJS.ProcessEnv
  /** Listens for SIGINT and SIGTERM until the returned function is called. */
  onSignal(listener: (signal: StopSignalName) => void): () => void
}

export type StopSignalName = 'SIGINT' | 'SIGTERM'

/** Takes the exit status of the command that ran. */
export type Finish = (status: number) => void

export interface ProcessLike {
  readonly stdin: Readable
  readonly stdout: OutputStream
  readonly stderr: OutputStream
  readonly env: NodeJS.ProcessEnv
  on(event: StopSignalName, listener: () => void): unknown
  off(event: StopSignalName, listener: () => void): unknown
}

export function createContext(process: ProcessLike): CommandContext {
  const { env } = process
  return {
    // a getter: to look at it is to open it, and most commands have no use for it
    get stdin() {
      return process.stdin
    },
    stdout: new Output(process.stdout, env),
    stderr: new Output(process.stderr, env),
    env,
    onSignal(listener) {
      const [onInterrupt, onTerminate] = [() => listener('SIGINT'), () => listener('SIGTERM')]
      process.on('SIGINT', onInterrupt)
      process.on('SIGTERM', onTerminate)
      return () => {
        process.off('SIGINT', onInterrupt)
        process.off('SIGTERM', onTerminate)
      }
    },
  }
}
