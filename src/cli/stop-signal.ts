import type { CommandContext, StopSignalName } from './command-context.ts'

export interface StopSignalOptions {
  /** Take nothing more in, finish what there is. */
  readonly onStop: (signal: StopSignalName) => void
  /** Milliseconds for that. */
  readonly timeoutMs: number
  readonly onTimeout: () => void
  /** Give up at once. */
  readonly onSecond: () => void
}

/** SIGINT and SIGTERM during a run: the first asks it to finish, the second to give up. */
export class StopSignal {
  readonly #options: StopSignalOptions
  readonly #unsubscribe: () => void
  #first: StopSignalName | undefined
  #deadline: NodeJS.Timeout | undefined

  constructor(context: CommandContext, options: StopSignalOptions) {
    this.#options = options
    this.#unsubscribe = context.onSignal((signal) => this.#take(signal))
  }

  /** The signal that asked to stop; undefined if none has come. */
  get received(): StopSignalName | undefined {
    return this.#first
  }

  /** Signals have their usual effect again. */
  end(): void {
    clearTimeout(this.#deadline)
    this.#unsubscribe()
  }

  #take(signal: StopSignalName): void {
    const { onStop, onTimeout, onSecond, timeoutMs } = this.#options
    if (this.#first !== undefined) {
      onSecond()
      return
    }
    this.#first = signal
    this.#deadline = setTimeout(onTimeout, timeoutMs)
    onStop(signal)
  }
}
