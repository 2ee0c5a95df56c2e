import type { MemoryStore } from './store.ts'

const lastInLine = new WeakMap<MemoryStore, Promise<void>>()

/** Resolves when whoever came before has released the store: transactions of sinks that share it run one after another. */
export async function lockStore(store: MemoryStore): Promise<() => void> {
  const before = lastInLine.get(store)
  let release = (): void => {}
  lastInLine.set(store, new Promise((resolve) => (release = resolve)))
  await before
  return release
}
