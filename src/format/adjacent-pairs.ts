import type { Change } from '../changelog/element.ts'
import type { Emit } from './format.ts'

/**
 * A `-U` and the `+U` that is the next record are the two halves of one update (rule K6), if they come from the same place:
 * a `-U` waits here for the next record.
 */
export class AdjacentPairs {
  #first: { readonly change: Change; readonly origin: unknown } | undefined
  #count = 0

  /** `origin`: whatever tells streams apart that were merged into one, e.g. a subtask. */
  push(change: Change, origin: unknown, emit: Emit): void {
    const first = this.#first
    this.#first = undefined
    if (first !== undefined && change.kind === '+U' && first.origin === origin && isSameSource(first.change, change)) {
      const pair = ++this.#count
      emit({ ...first.change, pair })
      emit({ ...change, pair })
      return
    }
    if (first !== undefined) emit(first.change)
    if (change.kind === '-U') this.#first = { change, origin }
    else emit(change)
  }

  /** Something else follows: what waits is no half of a pair. */
  release(emit: Emit): void {
    if (this.#first !== undefined) emit(this.#first.change)
    this.#first = undefined
  }
}

function isSameSource(a: Change, b: Change): boolean {
  return a.table === b.table && a.group === b.group && a.position?.partition === b.position?.partition
}
