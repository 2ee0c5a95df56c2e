export interface Fault<Item> {
  readonly item: Item
  readonly error: unknown
}

/**
 * Finds the items that a store refuses and gets the rest written (rule R3): tries all, then halves, down to single ones.
 * `attempt` writes its items, or throws and leaves nothing behind (a savepoint). An error for which `isItemFault` says no
 * is thrown on: no choice of items would mend it. With one bad item among n it takes about 2·log2(n) attempts. The order
 * of the items is kept.
 */
export async function bisect<Item>(
  items: readonly Item[],
  attempt: (items: readonly Item[]) => Promise<void>,
  isItemFault: (error: unknown) => boolean,
): Promise<readonly Fault<Item>[]> {
  const faults: Fault<Item>[] = []
  const pending: (readonly Item[])[] = [items]
  for (let part = pending.pop(); part !== undefined; part = pending.pop()) {
    const [first] = part
    if (first === undefined) continue
    try {
      await attempt(part)
    } catch (error) {
      if (!isItemFault(error)) throw error
      if (part.length === 1) {
        faults.push({ item: first, error })
        continue
      }
      const middle = part.length >>> 1
      pending.push(part.slice(middle), part.slice(0, middle))
    }
  }
  return faults
}
