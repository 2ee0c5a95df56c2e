/**
 * Finds the tables of a change by the name that the source gives it: `schema.table` or a bare name, against each table's
 * `source.table`. Several tables, say in several stores, may be for one table of the source: each gets every change. A
 * change without a name belongs to the only table there is.
 */
export class TableRouter {
  readonly #plans: readonly RoutedTable[]
  readonly #found = new Map<string, readonly number[]>()
  readonly #unnamed: readonly number[]

  constructor(plans: readonly RoutedTable[]) {
    this.#plans = plans
    const isOneTable = plans.every(({ source }) => source.table === plans[0]?.source.table)
    this.#unnamed = isOneTable ? [...plans.keys()] : this.#indexesOf('*')
  }

  /** Indexes of the tables; empty: the change is for none of them. */
  route(name: string | undefined): readonly number[] {
    if (name === undefined) return this.#unnamed
    let found = this.#found.get(name)
    if (found === undefined) {
      const exact = this.#indexesOf(name, name.slice(name.lastIndexOf('.') + 1))
      found = exact.length > 0 ? exact : this.#indexesOf('*')
      this.#found.set(name, found)
    }
    return found
  }

  #indexesOf(...names: readonly string[]): number[] {
    return [...this.#plans.entries()].flatMap(([index, { source }]) => (names.includes(source.table) ? [index] : []))
  }
}

/** A table plan, as far as routing looks at it. */
interface RoutedTable {
  readonly source: { readonly table: string }
}
