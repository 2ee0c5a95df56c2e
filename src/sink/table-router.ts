/**
 * Finds the table of a change by the name that the source gives it: `schema.table` or a bare name, against each table's
 * `source.table`. A change without a name belongs to the only table there is.
 */
export class TableRouter {
  readonly #plans: readonly RoutedTable[]
  readonly #found = new Map<string, number | undefined>()

  constructor(plans: readonly RoutedTable[]) {
    this.#plans = plans
  }

  /** Undefined: the change is for none of the tables. */
  route(name: string | undefined): number | undefined {
    if (name === undefined) return this.#plans.length === 1 ? 0 : this.#star()
    if (!this.#found.has(name)) this.#found.set(name, this.#search(name))
    return this.#found.get(name)
  }

  #search(name: string): number | undefined {
    const bare = name.slice(name.lastIndexOf('.') + 1)
    const exact = this.#plans.findIndex(({ source }) => source.table === name || source.table === bare)
    return exact >= 0 ? exact : this.#star()
  }

  #star(): number | undefined {
    const star = this.#plans.findIndex(({ source }) => source.table === '*')
    return star >= 0 ? star : undefined
  }
}

/** A table plan, as far as routing looks at it. */
interface RoutedTable {
  readonly source: { readonly table: string }
}
