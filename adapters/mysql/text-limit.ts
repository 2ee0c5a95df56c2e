import type { DataType } from '../../src/row/data-type.ts'
import type { CatalogColumn } from './catalog.ts'
import { type ColumnCodec, UnsendableValue } from './type-mapping.ts'

/**
 * The codec for texts in a column that is there. Strict mode refuses what is too long, but blanks beyond the end it cuts in
 * silence, and a CHAR drops those at its end.
 */
export function withinTextColumn(codec: ColumnCodec, type: DataType, column: CatalogColumn): ColumnCodec {
  const fault = textFaultOf(type, column)
  if (fault === undefined) return codec
  return {
    ...codec,
    encode: (value) => {
      const text = codec.encode(value)
      const reason = fault(text)
      if (reason !== undefined) throw new UnsendableValue(reason)
      return text
    },
  }
}

type TextFault = (text: string) => string | undefined

function textFaultOf(type: DataType, { dataType, characterLength, byteLength }: CatalogColumn): TextFault | undefined {
  switch (dataType) {
    case 'char': {
      const isTooLong = longerThan(characterLength)
      // of a declared CHAR, blanks at the end are no part of the value
      if (type.name === 'CHAR') return isTooLong
      return (text) => (text.endsWith(' ') ? 'a CHAR column drops blanks at the end' : isTooLong(text))
    }
    case 'varchar':
      return longerThan(characterLength)
    case 'tinytext':
    case 'text':
    case 'mediumtext':
      return (text) =>
        Buffer.byteLength(text) > (byteLength ?? Number.POSITIVE_INFINITY)
          ? `a text is longer than the ${byteLength} bytes of its column`
          : undefined
    default:
      return undefined
  }
}

function longerThan(length = Number.POSITIVE_INFINITY): TextFault {
  return (text) => {
    // as many code units are as many characters or fewer
    if (text.length <= length || [...text].length <= length) return undefined
    return `a text is longer than the ${length} characters of its column`
  }
}
