import type { Change } from '../changelog/element.ts'
import type { Emit } from './format.ts'
import type { ParsedRecord } from './parse-record.ts'

/** Gives out what one record means, with its position; without a change the position alone, so that it can be acknowledged. */
export function emitChanges(record: ParsedRecord, changes: readonly Change[], emit: Emit): void {
  const { position, record: number } = record
  if (changes.length === 0) {
    emitPosition(record, emit)
    return
  }
  const last = changes.length - 1
  for (let index = 0; index < last; index++) {
    emit({ ...(changes[index] as Change), position, record: number, more: true })
  }
  emit({ ...(changes[last] as Change), position, record: number })
}

/** A record with nothing to write still moves the position on. */
export function emitPosition({ position, record }: ParsedRecord, emit: Emit): void {
  if (position !== undefined) emit({ type: 'position', position, record })
}
