import { type Options, type Params, SingleBar } from 'cli-progress'
import type { Account } from '../buffer/account.ts'
import { counted, countText } from '../counted.ts'
import type { Sink } from '../sink/sink.ts'
import type { ChangelogFile } from './changelog-file.ts'
import type { LineDecoder } from './line-decoder.ts'
import type { Output } from './output.ts'
import { bytesText, elapsedText } from './size-text.ts'

/** Where a run stands. */
export interface RunState {
  /** Changes so far. */
  readonly account: Account
  readonly bufferRows: number
  readonly bufferBytes: number
  /** Lines read, and how many of them are not durable yet. */
  readonly lines: number
  readonly linesBehind: number
  /** Bytes of the input; `total` undefined where nobody knows. */
  readonly bytesRead: number
  readonly bytesTotal: number | undefined
}

export function runStateOf(sink: Sink, decoder: LineDecoder, file: ChangelogFile): RunState {
  const { rowCount, byteCount } = sink.load()
  return {
    account: sink.account(),
    bufferRows: rowCount,
    bufferBytes: byteCount,
    lines: decoder.line,
    linesBehind: decoder.linesBehind(sink.positions()),
    bytesRead: file.bytesRead,
    bytesTotal: file.size,
  }
}

const redrawEveryMs = 200
const logEveryMs = 5000

/** Shows where a run stands: one line that is redrawn on a terminal, else one line of log every few seconds. */
export class Progress {
  readonly #output: Output
  readonly #state: () => RunState
  readonly #started = performance.now()
  readonly #timer: NodeJS.Timeout | undefined
  readonly #bar: SingleBar | undefined
  #last = { at: this.#started, lines: 0 }

  constructor(output: Output, state: () => RunState) {
    this.#output = output
    this.#state = state
    if (output.isTerminal) {
      const stream = output.stream as NodeJS.WriteStream
      this.#bar = new SingleBar({
        stream,
        format: (options, params) => this.#barText(options, params),
        hideCursor: true,
        clearOnComplete: true,
        gracefulExit: false,
        fps: 10,
        barsize: 16,
      })
      this.#bar.start(1, 0)
    }
    this.#timer = setInterval(() => this.#show(), output.isTerminal ? redrawEveryMs : logEveryMs)
    this.#timer.unref()
  }

  /** Says something without disturbing the line. */
  note(text: string): void {
    if (this.#bar !== undefined) this.#output.stream.write('\r\u001b[K')
    this.#output.note(text)
  }

  end(): void {
    clearInterval(this.#timer)
    this.#bar?.stop()
  }

  #show(): void {
    if (this.#bar !== undefined) {
      this.#bar.update(shareOf(this.#state()))
      return
    }
    const now = performance.now()
    const state = this.#state()
    const rate = ((state.lines - this.#last.lines) * 1000) / (now - this.#last.at)
    this.#last = { at: now, lines: state.lines }
    this.#output.note(`${elapsedText(now - this.#started).padStart(8)}  ${stateText(state, rate)}`)
  }

  #barText(options: Options, { progress }: Params): string {
    const state = this.#state()
    const rate = (state.lines * 1000) / Math.max(1, performance.now() - this.#started)
    const width = this.#output.columns
    const size = options.barsize ?? 0
    const filled = Math.round(progress * size)
    const bar = state.bytesTotal === undefined ? '' : `[${'='.repeat(filled)}${' '.repeat(size - filled)}] `
    const text = stateText(state, rate)
    return bar.length + text.length < width ? bar + text : text.slice(0, width - 1)
  }
}

function shareOf({ bytesRead, bytesTotal }: RunState): number {
  return bytesTotal === undefined || bytesTotal === 0 ? 0 : Math.min(1, bytesRead / bytesTotal)
}

function stateText({ account, bufferRows, bufferBytes, lines, linesBehind }: RunState, rate: number): string {
  const { written, folded, rejected } = account
  const parts = [
    `${counted(lines, 'line')} (${countText(rate)}/s)`,
    `written ${countText(written)}`,
    `folded ${countText(folded)}`,
    ...(rejected > 0 ? [`rejected ${countText(rejected)}`] : []),
    `buffer ${counted(bufferRows, 'row')} ${bytesText(bufferBytes)}`,
    `behind ${countText(linesBehind)}`,
  ]
  return parts.join('  ')
}
