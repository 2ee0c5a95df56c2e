import type { ChangelogElement } from './element.ts'

type Emit = (element: ChangelogElement) => void

/**
 * Ends groups where the producer marks no end: within one partition a group is over when a change of another one comes, and
 * at the end of the input. Ends that the producer does mark pass, and are not repeated.
 */
export class NextIdGroups {
  /** By partition. */
  readonly #open = new Map<string, string>()

  push(element: ChangelogElement, emit: Emit): void {
    if (element.type === 'group-end') this.#forget(element.group)
    if (element.type === undefined || element.type === 'change') {
      const partition = element.position?.partition ?? ''
      const open = this.#open.get(partition)
      if (open !== undefined && open !== element.group) {
        this.#forget(open)
        emit({ type: 'group-end', group: open })
      }
      if (element.group !== undefined) this.#open.set(partition, element.group)
    }
    emit(element)
  }

  end(emit: Emit): void {
    const groups = new Set(this.#open.values())
    this.#open.clear()
    for (const group of groups) emit({ type: 'group-end', group })
  }

  #forget(group: string | undefined): void {
    for (const [partition, open] of this.#open) if (open === group) this.#open.delete(partition)
  }
}
