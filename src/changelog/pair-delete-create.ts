import { toJsonText } from '../row/json-text.ts'
import { ValueFault } from '../row/value-fault.ts'
import { type Change, type ChangelogElement, isChange } from './element.ts'

type Emit = (element: ChangelogElement) => void

/**
 * `source.update-encoding` = `delete-create`: Flink's debezium, canal, maxwell and ogg encoders write an update as a delete
 * and a create. A `-D` and the `+I` of its key that is the next change of its partition become `-U` and `+U`, one pair
 * (rule K6). A change of its key from another partition ends the wait too, so that the order of a key is kept; if it is a
 * `+I`, it is the other half: a producer without keys spreads the halves.
 */
export class DeleteCreatePairing {
  readonly #keyOf: ((change: Change) => unknown) | undefined
  /** By partition: were it by table too, the position of another table's change would overtake a delete that waits (R1). */
  readonly #held = new Map<string | undefined, Change>()
  /** Negative, so that they never meet the ids of a decoder. */
  #pairs = 0

  /**
   * `keyOf` gives something that is equal (as a Map sees it) exactly for one row of one table; undefined for a change
   * without a key. Without `keyOf` any adjacent `-D` and `+I` of a partition are a pair.
   */
  constructor(keyOf?: (change: Change) => unknown) {
    this.#keyOf = keyOf
  }

  push(element: ChangelogElement, emit: Emit): void {
    if (!isChange(element)) {
      // a mark must not pass what came before it
      this.end(emit)
      emit(element)
      return
    }
    const held = this.#takeMatch(element, emit)
    if (held === undefined) {
      if (element.kind === '-D' && element.pair === undefined) this.#held.set(placeOf(element), element)
      else emit(element)
      return
    }
    const pair = --this.#pairs
    emit({ ...held, kind: '-U', pair })
    emit({ ...element, kind: '+U', pair })
  }

  end(emit: Emit): void {
    for (const change of this.#held.values()) emit(change)
    this.#held.clear()
  }

  /** The held delete that `change` is the create to. What `change` ends the wait of, or would overtake, is let go. */
  #takeMatch(change: Change, emit: Emit): Change | undefined {
    const place = placeOf(change)
    const key = this.#keyOf?.(change)
    let match: Change | undefined
    for (const [heldPlace, held] of this.#held) {
      const isSameKey = this.#keyOf === undefined ? heldPlace === place : key !== undefined && this.#keyOf(held) === key
      if (!isSameKey && heldPlace !== place) continue
      this.#held.delete(heldPlace)
      if (isSameKey && change.kind === '+I' && change.pair === undefined && held.table === change.table) match = held
      else emit(held)
    }
    return match
  }
}

/**
 * A `keyOf` by columns, for producers that write a value always in the same way: the table and the raw values as text.
 * Undefined where a key column is null or missing, or holds what has no text.
 */
export function keyOfColumns(columns: readonly string[]): (change: Change) => string | undefined {
  return ({ table, row }) => {
    const values = columns.map((column) => (Object.hasOwn(row, column) ? row[column] : undefined))
    if (values.some((value) => value === undefined || value === null)) return undefined
    try {
      return toJsonText([table ?? null, ...values])
    } catch (error) {
      if (error instanceof ValueFault) return undefined
      throw error
    }
  }
}

function placeOf({ position }: Change): string | undefined {
  return position?.partition
}
