/** Keeps rows from making more indices than the user allows: every one costs the cluster shards. */
export class IndexCap {
  readonly reason: string
  readonly #max: number
  readonly #known = new Set<string>()

  constructor(max: number) {
    this.#max = max
    this.reason = `the row would go to one more index than the ${max} of 'index.max-count'`
  }

  admit(index: string): boolean {
    if (this.#known.has(index)) return true
    if (this.#known.size >= this.#max) return false
    this.#known.add(index)
    return true
  }
}
