import { must } from '../../src/assert.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { Coercion } from '../../src/row/coerce.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import type { Row } from '../../src/row/row.ts'
import type { Value } from '../../src/row/value.ts'
import { encodeValue, fieldDecoder, UnsendableValue } from './type-mapping.ts'

/** Between rows and what the server keeps of them: a text a column, null where there is none. */
export class RowCodec {
  /** Stored columns in their order; the server counts the life of tombstones itself. */
  readonly positions: readonly number[]
  readonly names: readonly string[]
  readonly #merge: MergePlan
  readonly #decoders: readonly Coercion[]

  constructor(merge: MergePlan) {
    this.#merge = merge
    this.positions = [...merge.columns.keys()].filter((at) => at !== merge.deletedAt)
    this.names = this.positions.map((at) => must(merge.columns[at], 'a stored column').name)
    this.#decoders = merge.columns.map(({ type }) => fieldDecoder(type))
  }

  /** Only a flag that is set is kept. Throws `UnsendableValue`, naming the column. */
  encode(row: ArrayLike<unknown>, isDeleted?: boolean): readonly (string | null)[] {
    return this.positions.map((at) => {
      const { name, type } = must(this.#merge.columns[at], 'a stored column')
      if (at === this.#merge.deletedFlag) return (isDeleted ?? row[at] === true) ? 'true' : null
      const value = row[at] as Value | null | undefined
      if (value === null || value === undefined) return null
      try {
        return encodeValue(type, value)
      } catch (error) {
        if (error instanceof UnsendableValue) throw new UnsendableValue(`column ${name}: ${error.message}`)
        throw error
      }
    })
  }

  decode(texts: readonly (string | null)[]): Row {
    const row: Row = new Array(this.#merge.columns.length).fill(null)
    for (const [index, at] of this.positions.entries()) {
      const text = texts[index]
      if (text !== null && text !== undefined) row[at] = must(this.#decoders[at], 'a decoder a column')(text)
      else if (at === this.#merge.deletedFlag) row[at] = false
    }
    return row
  }
}

/**
 * A row as one JSON text: a member a column that is not NULL. Numbers that JavaScript reads exactly, booleans and nested
 * values are what they are; the rest is text.
 */
export function toRowText({ columns }: MergePlan, codec: RowCodec, texts: readonly (string | null)[]): string {
  const members = codec.positions.flatMap((at, index) => {
    const text = texts[index]
    if (text === null || text === undefined) return []
    const { name, type } = must(columns[at], 'a stored column')
    return [`${JSON.stringify(name)}:${plainTypes.has(type.name) ? text : JSON.stringify(text)}`]
  })
  return `{${members.join(',')}}`
}

const plainTypes = new Set(['BOOLEAN', 'TINYINT', 'SMALLINT', 'INT', 'ARRAY', 'MAP', 'ROW'])

export function fromRowText({ names }: RowCodec, text: string): readonly (string | null)[] {
  const object = parseExact(text) as Record<string, unknown>
  return names.map((name) => {
    const value = Object.hasOwn(object, name) ? object[name] : null
    return value === null || value === undefined ? null : typeof value === 'string' ? value : toJsonText(value)
  })
}
