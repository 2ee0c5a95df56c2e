import type { Row } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import type { Cell } from './session.ts'
import { columnAt } from './statements/staged.ts'
import type { Target } from './target.ts'
import { UnsendableValue } from './type-mapping.ts'

/** Texts in the order of the positions that the statement stages; what is NULL or not said is an empty array. */
export type StagedRow = readonly (string | typeof nothing)[]

/** No text is this, and JSON_TABLE makes NULL of it on every server. A JSON null it does not, on all of them. */
const nothing: readonly never[] = []

/** One row as a member of the document. Throws `UnsendableValue`, naming the column. */
export function encodeRow(target: Target, positions: readonly number[], row: ArrayLike<unknown>): StagedRow {
  return positions.map((at) => {
    const value = row[at] as Value | null | undefined
    if (value === null || value === undefined) return nothing
    const { name, codec } = columnAt(target, at)
    try {
      return codec.encode(value)
    } catch (error) {
      if (error instanceof UnsendableValue) throw new UnsendableValue(`column ${name}: ${error.message}`)
      throw error
    }
  })
}

/** A stored row out of what the store gives. */
export function decodeRow(target: Target, cells: readonly Cell[]): Row {
  return target.columns.map(({ codec }, at) => {
    const cell = cells[at]
    return cell === null || cell === undefined ? null : codec.decode(cell)
  })
}

export interface Document<Item> {
  readonly json: string
  readonly items: readonly Item[]
}

export interface DocumentLimits {
  /** Bytes of a document that is large enough, and of the largest that can be sent. */
  readonly documentBytes: number
  readonly documentBytesMax: number
}

/** Items as documents of some size; those that no request has room for are left out. */
export function documents<Item extends { readonly row: StagedRow }>(
  items: readonly Item[],
  { documentBytes, documentBytesMax }: DocumentLimits,
): { readonly parts: readonly Document<Item>[]; readonly tooLarge: readonly Item[] } {
  const parts: Document<Item>[] = []
  const tooLarge: Item[] = []
  let texts: string[] = []
  let ofPart: Item[] = []
  let bytes = 2
  const close = (): void => {
    if (ofPart.length > 0) parts.push({ json: `[${texts.join(',')}]`, items: ofPart })
    texts = []
    ofPart = []
    bytes = 2
  }
  for (const item of items) {
    const text = JSON.stringify(item.row)
    const size = Buffer.byteLength(text) + 1
    if (size + 2 > documentBytesMax) {
      tooLarge.push(item)
      continue
    }
    if (bytes + size > documentBytes || ofPart.length >= rowsMax) close()
    texts.push(text)
    ofPart.push(item)
    bytes += size
  }
  close()
  return { parts, tooLarge }
}

const rowsMax = 5000
