/** Those who wait for something to happen the next time. */
export class WaitingList {
  #waiting: (() => void)[] = []

  /** Resolves with the next `wake`. */
  next(): Promise<void> {
    return new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  wake(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
