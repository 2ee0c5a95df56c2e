import type { RowObject } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { ValueEncoding } from '../row/value-encoding.ts'
import type { Position } from './position.ts'

/** What flows from a source to a sink. */
export type ChangelogElement = Change | GroupEnd | Watermark | PositionMark | Truncate | SchemaChange

/** How much of the row the producer sent: every column, some of them, or only the key. */
export type Image = 'full' | 'partial' | 'key'

/** One change of one row, as a decoder or a user hands it in. Values are checked and made canonical by the sink. */
export interface Change {
  readonly type?: 'change' | undefined
  readonly kind: RowKind
  /** By column name; a missing member is absent, not null. Columns that the table does not declare are not written. */
  readonly row: RowObject
  /** Default: `full` if every declared column is there, `key` if only key columns are, else `partial`. */
  readonly image?: Image | undefined
  /** The source's table (`schema.table` or a bare name); needed only where a stream carries several. */
  readonly table?: string | undefined
  readonly position?: Position | undefined
  /** True on all but the last of the changes that one input record gave: its position is complete only with the last. */
  readonly more?: boolean | undefined
  /** Changes that must become visible together: id of the source transaction or timestamp (rule B2). */
  readonly group?: string | undefined
  /** The two halves of an update carry the same id, unique within the stream for as long as the pair is open (rule K6). */
  readonly pair?: number | undefined
  /** How the values of `row` are to be read where their type alone does not tell. */
  readonly encoding?: ValueEncoding | undefined
  /** Number of the input record, from 1 (the line, for files). For messages, traces and dead letters. */
  readonly record?: number | undefined
}

export function isChange(element: ChangelogElement): element is Change {
  return element.type === undefined || element.type === 'change'
}

/** Every change of the group has been sent. */
export interface GroupEnd {
  readonly type: 'group-end'
  readonly group?: string | undefined
  readonly position?: Position | undefined
  readonly record?: number | undefined
}

/** Event time has reached `timestamp` (milliseconds since the epoch, or the producer's own text). */
export interface Watermark {
  readonly type: 'watermark'
  readonly timestamp: string | number
  readonly position?: Position | undefined
  readonly record?: number | undefined
}

/** The source has reached a position with nothing to write: records of other tables, tombstones, comments. */
export interface PositionMark {
  readonly type: 'position'
  readonly position: Position
  readonly record?: number | undefined
}

/** The source emptied the table (rule K5). */
export interface Truncate {
  readonly type: 'truncate'
  readonly table?: string | undefined
  readonly position?: Position | undefined
  readonly group?: string | undefined
  readonly record?: number | undefined
}

/** The source changed the table. Reported, never carried out. */
export interface SchemaChange {
  readonly type: 'schema-change'
  readonly table?: string | undefined
  readonly description: string
  readonly position?: Position | undefined
  readonly record?: number | undefined
}
