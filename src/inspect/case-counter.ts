import type { Cases } from './inspect-report.ts'

const linesMax = 5

/** Counts cases and keeps the lines of the first few. */
export class CaseCounter {
  #count = 0
  readonly #lines: number[] = []

  add(line: number | undefined): void {
    this.#count++
    if (line !== undefined && this.#lines.length < linesMax && this.#lines.at(-1) !== line) this.#lines.push(line)
  }

  get count(): number {
    return this.#count
  }

  report(): Cases {
    return { count: this.#count, lines: [...this.#lines] }
  }
}
