import type { Writable } from 'node:stream'
import pc from 'picocolors'
import type { TextStyle } from '../text-style.ts'

/** Nobody reads any more (`tidegate inspect … | head`): no fault, but the end of the command. */
export class OutputClosed extends Error {
  constructor() {
    super('the output was closed')
    this.name = 'OutputClosed'
  }
}

/** A stream that people or programs read: standard output or standard error. */
export interface OutputStream extends Writable {
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Colours only on a terminal, and never under NO_COLOR (https://no-color.org); FORCE_COLOR asks for them anywhere. */
export class Output {
  readonly stream: OutputStream
  readonly isTerminal: boolean
  readonly style: TextStyle
  #closed = false

  constructor(stream: OutputStream, env: NodeJS.ProcessEnv) {
    this.stream = stream
    this.isTerminal = stream.isTTY === true
    this.style = styleOf(pc.createColors(wantsColor(this.isTerminal, env)))
    stream.on('error', (error: NodeJS.ErrnoException) => {
      this.#closed = true
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') throw error
    })
  }

  get columns(): number {
    return this.stream.columns ?? 100
  }

  /** Waits while the reader is slow; rejects with `OutputClosed` once it is gone. */
  async write(text: string): Promise<void> {
    if (this.#closed || this.stream.destroyed) throw new OutputClosed()
    if (this.stream.write(text)) return
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        for (const event of ['drain', 'error', 'close']) this.stream.off(event, settle)
        resolve()
      }
      for (const event of ['drain', 'error', 'close']) this.stream.on(event, settle)
    })
    if (this.#closed) throw new OutputClosed()
  }

  async line(text = ''): Promise<void> {
    await this.write(`${text}\n`)
  }

  /** For what is nice to know: nobody waits for it, and nobody minds if it is lost. */
  note(text: string): void {
    if (!this.#closed && !this.stream.destroyed) this.stream.write(`${text}\n`)
  }
}

function wantsColor(isTerminal: boolean, env: NodeJS.ProcessEnv): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false
  const forced = env['FORCE_COLOR']
  if (forced !== undefined) return forced !== '0' && forced !== 'false'
  return isTerminal && env['TERM'] !== 'dumb'
}

function styleOf(colors: ReturnType<typeof pc.createColors>): TextStyle {
  return { heading: colors.bold, dim: colors.dim, good: colors.green, warning: colors.yellow, bad: colors.red }
}
