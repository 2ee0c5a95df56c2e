import type { Position } from '../changelog/position.ts'
import type { MergeChange } from '../merge/merge-change.ts'
import type { FoldKey } from '../row/row-key.ts'

/** What the buffer holds of one key: usually one change, several where they could not be composed. */
export interface Entry {
  readonly key: FoldKey
  readonly table: number
  /** Undefined only while nothing but an update-before is held. */
  change: MergeChange | undefined
  /** How many records are folded into `change`; 0 for the deletion of a change of key whose record is counted elsewhere. */
  records: number
  /** Changes for the second and later waves. */
  later: Later[] | undefined
  byteCount: number
  /** Arrival number of the oldest record in the entry. */
  readonly firstArrival: number
  /** Where the newest record came from, for messages and dead letters. */
  record: number | undefined
  position: Position | undefined
  /** An update-before whose update-after has not come (rule K2): a change to fold in, or a refusal, if it never comes. */
  held: HeldUpdateBefore | undefined
  /** Flush count of the buffer when the last record was an unpaired `-U`; -1 if it was not. */
  heldSince: number
  /** Entries that must go out in the same flush: the halves of a change of key (rule K6). */
  linked: Entry[] | undefined
}

export interface Later {
  change: MergeChange
  records: number
}

export interface HeldUpdateBefore {
  /** Undefined: an update-before that nothing can take; if no update-after follows, `reject` is called. */
  readonly change: MergeChange | undefined
  readonly byteCount: number
  readonly reject: (() => void) | undefined
  /** Called when its update-after has come and it is dropped, or nothing of it was needed; for traces. */
  readonly dropped?: (() => void) | undefined
}

/** How many changes of an entry stand for no record of their own. */
export function countUncounted({ change, records, later }: Entry): number {
  let count = change !== undefined && records === 0 ? 1 : 0
  for (const wave of later ?? []) if (wave.records === 0) count++
  return count
}

/** How many records an entry holds, over all its waves. */
export function countRecords({ records, later }: Entry): number {
  let count = records
  for (const wave of later ?? []) count += wave.records
  return count
}
