/** Inserts that are looked at together. */
const insertsMin = 20
/** ClickHouse asks for about one insert a second, of a thousand rows at the least. https://clickhouse.com/docs/optimize/bulk-inserts */
const rowsMin = 1000
const rateMax = 1

/** Tells, once, of a table that gets many inserts of few rows: each makes a part, and parts are merged by the server at a cost. */
export class SmallInserts {
  readonly #recent: { readonly at: number; readonly rows: number }[] = []
  #isTold = false

  /** `now`: milliseconds. A message if it is time for one. */
  note(rows: number, now: number): string | undefined {
    if (this.#isTold) return undefined
    this.#recent.push({ at: now, rows })
    if (this.#recent.length < insertsMin) return undefined
    const [first] = this.#recent
    const seconds = (now - (first?.at ?? now)) / 1000
    const mean = this.#recent.reduce((sum, one) => sum + one.rows, 0) / this.#recent.length
    this.#recent.shift()
    if (mean >= rowsMin || seconds * rateMax >= insertsMin) return undefined
    this.#isTold = true
    return (
      `${insertsMin} inserts in ${seconds.toFixed(1)} s, of ${Math.round(mean)} rows on average: each makes a part, which ClickHouse has to merge; ` +
      "flush seldom and much, e.g. 'sink.buffer-flush.max-rows' = '50000' and 'sink.buffer-flush.interval' = '5s'"
    )
  }
}
