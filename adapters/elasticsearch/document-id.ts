import { must } from '../../src/assert.ts'
import type { ContributionRow } from '../../src/merge/merge-change.ts'
import type { DataType } from '../../src/row/data-type.ts'
import { keyText } from '../../src/row/row-key.ts'
import type { Value } from '../../src/row/value.ts'
import { isWellFormed } from './well-formed.ts'

/** Most bytes of an id; one that is longer fails the whole bulk request that it is in. */
export const idBytesMax = 512

export interface KeyColumn {
  readonly position: number
  readonly type: DataType
}

export type DocumentId = (row: ContributionRow) => string

/**
 * The id of a row's document. Without a delimiter different keys have different ids: one column stands as its text, save
 * that an id cannot be empty; several are joined by commas, with those inside of them marked by a backslash.
 */
export function createDocumentId(columns: readonly KeyColumn[], delimiter: string | undefined): DocumentId {
  const [only, ...others] = columns
  const first = must(only, 'a table with documents by key has key columns')
  if (others.length === 0) return (row) => notEmpty(textAt(row, first))
  if (delimiter !== undefined) return (row) => columns.map((column) => textAt(row, column)).join(delimiter)
  return (row) => columns.map((column) => textAt(row, column).replace(/[\\,]/g, '\\$&')).join(',')
}

/** Why the server would refuse the id; undefined if it takes it. */
export function idFault(id: string): string | undefined {
  if (Buffer.byteLength(id) > idBytesMax) return `the key makes an id of more than ${idBytesMax} bytes`
  if (!isWellFormed(id)) return 'the key holds half of a surrogate pair'
  return id === '' ? 'the key makes an empty id' : undefined
}

function textAt(row: ContributionRow, { position, type }: KeyColumn): string {
  return keyText(type, row[position] as Value)
}

/** `%` stands for the empty text, so a text that starts with one gets another. */
function notEmpty(text: string): string {
  return text === '' || text.startsWith('%') ? `%${text}` : text
}
