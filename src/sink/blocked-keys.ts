import type { FoldKey } from '../row/row-key.ts'
import type { SinkTable } from './sink-table.ts'

/**
 * Keys of which a change went to the dead-letter file in this run. Without a sequence, what comes later for such a key
 * must follow it there, else a replay of the file would put an old version over a newer one (rule R3).
 */
export class BlockedKeys {
  readonly #keys: readonly (Map<FoldKey, number> | undefined)[]

  constructor(tables: readonly SinkTable[], deadLetters: boolean) {
    this.#keys = tables.map(({ plan }) =>
      deadLetters && plan.merge.key.length > 0 && plan.merge.sequence?.gates !== true ? new Map() : undefined,
    )
  }

  add(table: number, key: FoldKey, record: number): void {
    const keys = this.#keys[table]
    if (keys !== undefined && !keys.has(key)) keys.set(key, record)
  }

  /** The record that blocks the key. */
  record(table: number, key: FoldKey): number | undefined {
    const keys = this.#keys[table]
    return keys === undefined || keys.size === 0 ? undefined : keys.get(key)
  }
}
