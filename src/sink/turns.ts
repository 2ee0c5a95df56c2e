/** Callers that cannot go on at once take turns, in the order in which they came. */
export class Turns {
  #last: Promise<void> | undefined

  get isTaken(): boolean {
    return this.#last !== undefined
  }

  /** Does the work once all who came before are through, however that ended. */
  take(work: () => Promise<void>): Promise<void> {
    return this.hold((this.#last ?? Promise.resolve()).then(work))
  }

  /** Whoever comes next waits for `turn`, which is under way. */
  hold(turn: Promise<void>): Promise<void> {
    const settled = turn
      .catch(() => {})
      .then(() => {
        if (this.#last === settled) this.#last = undefined
      })
    this.#last = settled
    return turn
  }

  /** Resolves when all who have come so far are through. */
  async passed(): Promise<void> {
    await this.#last
  }
}
