import { isJsonObject, type JsonObject, textMember } from './parse-record.ts'

/**
 * Tells when a source transaction is complete: when its END has come, and as many changes as END counts. They come on
 * different topics, so either may be first.
 */
export class TransactionEnds {
  readonly #collections: ReadonlySet<string> | undefined
  readonly #seen = new Map<string, number>()
  readonly #expected = new Map<string, number>()

  /** `collections`: the tables whose changes this stream carries; undefined: all. */
  constructor(collections: ReadonlySet<string> | undefined) {
    this.#collections = collections
  }

  /** True if this was the last change of the transaction. */
  countChange(id: string): boolean {
    this.#seen.set(id, (this.#seen.get(id) ?? 0) + 1)
    return this.#isComplete(id)
  }

  /** True if every change of the transaction has come already. */
  end(id: string, marker: JsonObject): boolean {
    this.#expected.set(id, this.#countOf(marker))
    return this.#isComplete(id)
  }

  #isComplete(id: string): boolean {
    const expected = this.#expected.get(id)
    if (expected === undefined || (this.#seen.get(id) ?? 0) < expected) return false
    this.#expected.delete(id)
    this.#seen.delete(id)
    return true
  }

  #countOf(marker: JsonObject): number {
    const { data_collections: collections } = marker
    if (this.#collections === undefined || !Array.isArray(collections)) return Number(marker['event_count'])
    let count = 0
    for (const collection of collections) {
      if (!isJsonObject(collection)) continue
      const name = textMember(collection, 'data_collection')
      if (name !== undefined && this.#collections.has(name)) count += Number(collection['event_count'])
    }
    return count
  }
}
