import type { Entry } from '../buffer/entry.ts'
import type { LiftInput } from '../merge/merge-function.ts'

/** First half of an update whose second half has not come yet (rule K6). */
export interface FirstHalf {
  readonly input: LiftInput
  readonly entry: Entry
}

/** More open halves than this can only be halves whose partners were lost; the oldest is forgotten. */
const openPairsMax = 10_000

/** Halves of updates by pair id, for one table. */
export class OpenPairs {
  readonly #halves = new Map<number, FirstHalf>()

  open(pair: number, half: FirstHalf): void {
    if (this.#halves.size >= openPairsMax) {
      const [oldest] = this.#halves.keys()
      if (oldest !== undefined) this.#halves.delete(oldest)
    }
    this.#halves.set(pair, half)
  }

  close(pair: number): FirstHalf | undefined {
    const half = this.#halves.get(pair)
    if (half !== undefined) this.#halves.delete(pair)
    return half
  }

  clear(): void {
    this.#halves.clear()
  }
}
