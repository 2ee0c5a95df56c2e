import type { DataType } from '../../src/row/data-type.ts'
import type { Value } from '../../src/row/value.ts'

/** An array of scalars in PostgreSQL's text form, to be cast to the column's type. */
export function arrayLiteral(element: DataType, values: readonly (Value | null)[]): string {
  return `{${values.map((value) => (value === null ? 'NULL' : quote(scalarText(element, value)))).join(',')}}`
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

function scalarText(type: DataType, value: Value): string {
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return `\\x${Buffer.from(value as Uint8Array).toString('hex')}`
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return dateText(value as string)
    default:
      return String(value)
  }
}

/** Years beyond 9999 have no plus in PostgreSQL, years before 1 count backwards from 1 BC. */
function dateText(text: string): string {
  const sign = text.charCodeAt(0)
  if (sign !== 43 && sign !== 45 && !text.startsWith('0000-')) return text
  const dash = text.indexOf('-', 1)
  const year = Number(text.slice(0, dash))
  const digits = String(year > 0 ? year : 1 - year).padStart(4, '0')
  return `${digits}${text.slice(dash)}${year > 0 ? '' : ' BC'}`
}
