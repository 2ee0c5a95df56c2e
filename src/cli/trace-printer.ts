import type { FlushTrigger } from '../delivery/sink-event.ts'
import { toJsonText } from '../row/json-text.ts'
import type { Output } from './output.ts'
import type { ControlLine, TraceLine } from './trace-line.ts'
import type { TracedChange, TraceRecorder } from './trace-recorder.ts'
import { controlText, traceText } from './trace-text.ts'

export interface TracePrinterOptions {
  readonly json: boolean
  /**
   * Print each change as soon as its record has been taken, as held if it waits in the buffer, and with the flush what has
   * become of it. Else each change is printed in its turn, once its fate is known.
   */
  readonly showsHeld: boolean
}

/** Prints the lines of a trace in the order of the changes. */
export class TracePrinter {
  readonly #output: Output
  readonly #recorder: TraceRecorder
  readonly #options: TracePrinterOptions
  #waiting: TracedChange[] = []
  /** Printed as held. */
  readonly #held = new Set<TracedChange>()
  #flushes: { readonly trigger: FlushTrigger; readonly changes: readonly TracedChange[] }[] = []

  constructor(output: Output, recorder: TraceRecorder, options: TracePrinterOptions) {
    this.#output = output
    this.#recorder = recorder
    this.#options = options
  }

  add(traced: TracedChange): void {
    this.#waiting.push(traced)
  }

  flushed(trigger: FlushTrigger, changes: readonly TracedChange[]): void {
    if (this.#options.showsHeld) this.#flushes.push({ trigger, changes })
  }

  /** Prints what can be told by now; in the end (`isLast`) everything. */
  async print(isLast: boolean): Promise<void> {
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (!first.isSettled && !isLast && !this.#options.showsHeld) break
      this.#waiting.shift()
      if (!first.isSettled) this.#held.add(first)
      await this.line(this.#recorder.lineOf(first))
    }
    for (const { trigger, changes } of this.#flushes.splice(0)) await this.#printFlush(trigger, changes)
  }

  async line(line: TraceLine): Promise<void> {
    await this.#output.line(this.#options.json ? toJsonText(line) : traceText(line, this.#output.style))
  }

  async control(line: ControlLine): Promise<void> {
    await this.#output.line(this.#options.json ? toJsonText(line) : controlText(line, this.#output.style))
  }

  /** One control line, so that every change keeps its one line; in it, what became of those that had been held. */
  async #printFlush(trigger: FlushTrigger, changes: readonly TracedChange[]): Promise<void> {
    const lines = changes.filter((traced) => this.#held.delete(traced)).map((traced) => this.#recorder.lineOf(traced))
    await this.control({ record: null, control: 'flush', trigger, changes: lines })
    if (!this.#options.json) for (const line of lines) await this.line(line)
  }
}
