import type { Change } from '../changelog/element.ts'
import type { Emit } from './format.ts'
import { type JsonObject, type ParsedRecord, requireObject } from './parse-record.ts'

/** What the changes of one record have in common. */
export type ChangeContext = Pick<Change, 'table' | 'group' | 'encoding'>

/** Every member is set, in one order, so that the engine sees one shape: spreading an object costs several times as much. */
export function createChange(kind: Change['kind'], row: JsonObject, context: ChangeContext, pair?: number): Change {
  const { table, group, encoding } = context
  return {
    kind,
    row,
    image: undefined,
    table,
    position: undefined,
    more: undefined,
    group,
    pair,
    encoding,
    record: undefined,
  }
}

/** Gives out what one record means, with its position; without a change the position alone, so that it can be acknowledged. */
export function emitChanges(record: ParsedRecord, changes: readonly Change[], emit: Emit): void {
  const last = changes.length - 1
  if (last < 0) {
    emitPosition(record, emit)
    return
  }
  for (let index = 0; index < last; index++) emit(placeChange(changes[index] as Change, record, true))
  emit(placeChange(changes[last] as Change, record, undefined))
}

/** A record with nothing to write still moves the position on. */
export function emitPosition({ position, record }: ParsedRecord, emit: Emit): void {
  if (position !== undefined) emit({ type: 'position', position, record })
}

/** The message of a record. A tombstone has none, and only moves the position on: then the answer is undefined. */
export function messageOf(record: ParsedRecord, emit: Emit): JsonObject | undefined {
  if (record.value !== null) return requireObject(record)
  emitPosition(record, emit)
  return undefined
}

function placeChange(change: Change, { position, record }: ParsedRecord, more: true | undefined): Change {
  const { kind, row, image, table, group, pair, encoding } = change
  return { kind, row, image, table, position, more, group, pair, encoding, record }
}
