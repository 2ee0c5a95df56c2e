import type { Row } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
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

/** A stored row out of the texts that the store gives. */
export function decodeRow(target: Target, texts: readonly (string | null)[]): Row {
  return target.columns.map(({ codec }, at) => {
    const text = texts[at]
    return text === null || text === undefined ? null : codec.decode(text)
  })
}

/** A document is cut where the server's largest request, or what one statement does well with, would be exceeded. */
export function documents<Item>(
  items: readonly Item[],
  rowOf: (item: Item) => StagedRow,
  bytesMax: number,
): readonly { readonly json: string; readonly items: readonly Item[] }[] {
  const parts: { json: string; items: Item[] }[] = []
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
    const text = JSON.stringify(rowOf(item))
    const size = Buffer.byteLength(text) + 1
    if (bytes + size > bytesMax || ofPart.length >= rowsMax) close()
    texts.push(text)
    ofPart.push(item)
    bytes += size
  }
  close()
  return parts
}

const rowsMax = 5000
