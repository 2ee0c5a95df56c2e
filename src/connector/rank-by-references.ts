/** A table, and those that its foreign keys point at. */
export interface ReferringTable {
  readonly id: string
  readonly references: readonly string[]
}

/** By id: place in an order in which tables come before those that point at them (rule B4). A circle is cut somewhere. */
export function rankByReferences(tables: readonly ReferringTable[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>()
  const visiting = new Set<string>()
  const visit = ({ id, references }: ReferringTable): void => {
    if (ranks.has(id) || visiting.has(id)) return
    visiting.add(id)
    for (const reference of references) {
      const parent = tables.find((other) => other.id === reference)
      if (parent !== undefined) visit(parent)
    }
    ranks.set(id, ranks.size)
  }
  for (const table of tables) visit(table)
  return ranks
}
