import type { ContributionRow } from '../../src/merge/merge-change.ts'
import type { DataType } from '../../src/row/data-type.ts'
import { keyText } from '../../src/row/row-key.ts'
import type { Schema } from '../../src/row/schema.ts'
import type { Value } from '../../src/row/value.ts'
import { isWellFormed } from './well-formed.ts'

const nameBytesMax = 255
const forbidden = /[\\/*?"<>| ,#:]/

/** Why an index cannot have the name; undefined if it can. The rules: those of the create-index API of both products. */
export function indexNameFault(name: string): string | undefined {
  if (name === '' || name === '.' || name === '..') return 'is no name of an index'
  if (name !== name.toLowerCase()) return 'has capital letters, which an index cannot have'
  if (forbidden.test(name))
    return 'holds a character that an index cannot have: one of \\ / * ? " < > | , # : or a blank'
  if (/^[-_+]/.test(name)) return 'starts with - _ or +'
  if (Buffer.byteLength(name) > nameBytesMax) return `is longer than ${nameBytesMax} bytes`
  return isWellFormed(name) ? undefined : 'holds half of a surrogate pair'
}

/** A part of the pattern: text as it is, or a column with the form of a date. */
type Part = string | { readonly column: string; readonly format: string | undefined }

/** Why the option `index` cannot be read; columns are looked at later. */
export function indexPatternFault(pattern: string): string | undefined {
  const parts = parsePattern(pattern)
  if (parts === undefined) return 'has a brace that is not closed or not opened'
  for (const part of parts) {
    if (typeof part === 'string') continue
    if (/^now\s*\(/.test(part.column))
      return 'uses now(): a change that is sent again would go to another index; use a key column'
    if (part.format !== undefined && !dateFormat.test(part.format))
      return `has the date format ${part.format}; known are yyyy, MM, dd and HH`
  }
  return indexNameFault(parts.map((part) => (typeof part === 'string' ? part : 'x')).join(''))
}

/** `{column}` and `{column|yyyy-MM-dd}` between text. */
function parsePattern(pattern: string): readonly Part[] | undefined {
  const parts = pattern.split(/(\{[^{}]*\})/).filter((part) => part !== '')
  if (parts.some((part) => /[{}]/.test(part) && !isColumn(part))) return undefined
  return parts.map((part) => {
    if (!isColumn(part)) return part
    const [column = '', ...format] = part.slice(1, -1).split('|')
    return { column, format: format.length === 0 ? undefined : format.join('|') }
  })
}

function isColumn(part: string): boolean {
  return /^\{[^{}]+\}$/.test(part)
}

const dateFormat = /^(?:yyyy|MM|dd|HH|[-._])+$/
const dated: ReadonlySet<string> = new Set(['DATE', 'TIMESTAMP', 'TIMESTAMP_LTZ'])

/** Where rows go. */
export interface IndexTarget {
  /** The index, or with `*` in place of columns the pattern of all of them. */
  readonly pattern: string
  readonly isDynamic: boolean
  /** The index of a row; `undefined` for a value that no index can be named by. */
  indexOf(row: ContributionRow): string | undefined
}

/** Reads the pattern against the columns; what is wrong is handed to `fail`. */
export function createIndexTarget(
  pattern: string,
  schema: Schema,
  fail: (message: string, fix: string) => void,
): IndexTarget {
  const renderers = (parsePattern(pattern) ?? []).map((part) => renderer(part, schema, fail))
  const isDynamic = renderers.some((part) => typeof part !== 'string')
  if (!isDynamic) return { pattern, isDynamic, indexOf: () => pattern }
  return {
    pattern: renderers.map((part) => (typeof part === 'string' ? part : '*')).join(''),
    isDynamic,
    indexOf(row) {
      const name = renderers.map((part) => (typeof part === 'string' ? part : part(row))).join('')
      return indexNameFault(name) === undefined ? name : undefined
    },
  }
}

function renderer(
  part: Part,
  schema: Schema,
  fail: (message: string, fix: string) => void,
): string | ((row: ContributionRow) => string) {
  if (typeof part === 'string') return part
  const position = schema.positions.get(part.column)
  const type: DataType | undefined = position === undefined ? undefined : schema.columns[position]?.type
  if (position === undefined || type === undefined) {
    fail(`names ${part.column}, which is no written column of the table`, 'name a column of the primary key')
    return ''
  }
  if (!schema.primaryKey.includes(position)) {
    fail(
      `goes by ${part.column}, which is outside the primary key: a row whose value changes would leave its old document behind`,
      'go by columns of the primary key',
    )
  }
  const { format } = part
  if (format === undefined) return (row) => keyText(type, row[position] as Value)
  if (!dated.has(type.name)) fail(`takes a date from ${part.column}, which is none`, 'leave the format out')
  return (row) => formatDate(format, String(row[position]))
}

/** Of the canonical text, in UTC for an instant. */
function formatDate(format: string, text: string): string {
  const match = /^([+-]?\d+)-(\d\d)-(\d\d)(?:T(\d\d))?/.exec(text)
  const [, year = '', month = '', day = '', hour = '00'] = match ?? []
  return format.replace(/yyyy|MM|dd|HH/g, (field) => ({ yyyy: year, MM: month, dd: day, HH: hour })[field] ?? '')
}
