import type { Change, ChangelogElement } from './element.ts'
import { DeleteCreatePairing } from './pair-delete-create.ts'

type Emit = (element: ChangelogElement) => void

/**
 * The option `source.update-encoding`. `auto` pairs deletes and creates for as long as the input has shown no update
 * operation: one `-U` or `+U` tells that the producer writes updates as updates.
 */
export class UpdateEncoding {
  readonly #pairing: DeleteCreatePairing
  readonly #isAuto: boolean
  #isPairing: boolean

  /** `keyOf` as for `DeleteCreatePairing`. */
  constructor(encoding: 'auto' | 'update' | 'delete-create', keyOf?: (change: Change) => unknown) {
    this.#pairing = new DeleteCreatePairing(keyOf)
    this.#isAuto = encoding === 'auto'
    this.#isPairing = encoding !== 'update'
  }

  push(element: ChangelogElement, emit: Emit): void {
    if (this.#isPairing && this.#isAuto && isUpdate(element)) {
      this.release(emit)
      this.#isPairing = false
    }
    if (this.#isPairing) this.#pairing.push(element, emit)
    else emit(element)
  }

  /** Nothing follows for now: what waits for a second half is let go. */
  release(emit: Emit): void {
    this.#pairing.end(emit)
  }
}

function isUpdate(element: ChangelogElement): boolean {
  return (element.type === undefined || element.type === 'change') && (element.kind === '-U' || element.kind === '+U')
}
