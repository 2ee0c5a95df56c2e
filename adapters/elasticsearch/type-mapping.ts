import type { TypeMapping } from '../../src/connector/connector.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { fieldNameFault } from './field-name.ts'

/** A mapping of one field, as `PUT index` takes it. */
export interface FieldMapping {
  readonly type: string
  readonly [parameter: string]: unknown
}

/**
 * Values are exact in the document, whatever the mapping: it says how they can be searched. So every type can be held, and
 * a text of a document orders rows as tidegate does.
 */
export const typeMapping: TypeMapping = {
  nativeType: (type) => describeMapping(fieldMapping(type)),
  keyNormalizer: () => undefined,
  sequenceFault: (type) =>
    unordered.has(type.name) ? `${formatDataType(type)} has no order that the store and tidegate share` : undefined,
}

const unordered: ReadonlySet<string> = new Set(['JSON', 'MAP', 'ROW', 'ARRAY'])

/** Most characters that a term of the index holds: 32766 bytes, 4 a character. A longer text is kept and not searchable. */
const termCharactersMax = 8191

const text: FieldMapping = { type: 'keyword', ignore_above: termCharactersMax }
/** What the index cannot hold, as NaN or the year 9999 in nanoseconds, stays in the document and is not searchable. */
const lenient = { ignore_malformed: true }
const unparsed: FieldMapping = { type: 'object', enabled: false }

export function fieldMapping(type: DataType): FieldMapping {
  switch (type.name) {
    case 'BOOLEAN':
      return { type: 'boolean' }
    case 'TINYINT':
      return { type: 'byte' }
    case 'SMALLINT':
      return { type: 'short' }
    case 'INT':
      return { type: 'integer' }
    case 'BIGINT':
      return { type: 'long' }
    case 'FLOAT':
      return { type: 'float', ...lenient }
    case 'DOUBLE':
      return { type: 'double', ...lenient }
    case 'DECIMAL':
      return { type: 'keyword', fields: { number: { type: 'double', ...lenient } } }
    case 'CHAR':
    case 'VARCHAR':
      return text
    case 'BINARY':
    case 'VARBINARY':
      return { type: 'binary' }
    case 'DATE':
      return { type: 'date', format: 'strict_date', ...lenient }
    case 'TIME':
    case 'UUID':
      return { type: 'keyword' }
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return type.precision <= 3
        ? { type: 'date', format: 'strict_date_optional_time', ...lenient }
        : { type: 'date_nanos', format: 'strict_date_optional_time_nanos', ...lenient }
    case 'ARRAY':
      return isObject(type.element) ? unparsed : fieldMapping(type.element)
    case 'MAP':
      return unparsed
    case 'ROW':
      return rowMapping(type)
    case 'JSON':
      return { type: 'keyword', index: false, doc_values: false }
  }
}

function isObject(type: DataType): boolean {
  return type.name === 'MAP' || type.name === 'ROW'
}

function rowMapping({ fields }: DataType & { name: 'ROW' }): FieldMapping {
  if (fields.some(({ name }) => fieldNameFault(name) !== undefined || name.includes('.'))) return unparsed
  return { type: 'object', properties: Object.fromEntries(fields.map(({ name, type }) => [name, fieldMapping(type)])) }
}

function describeMapping({ type, enabled, index, fields }: FieldMapping): string {
  if (enabled === false || index === false) return `${type}, not indexed`
  return fields === undefined ? type : `${type}, and double as .number`
}

/** Types of an existing field in which values of `type` are indexed without loss, or at all. */
export function fitsField(type: DataType, found: FieldMapping): 'fits' | 'loses' | 'refuses' {
  if (found['enabled'] === false || found['index'] === false) return 'fits'
  const wanted = fieldMapping(type)
  if (found.type === wanted.type || textual.has(found.type))
    return isObject(type) && textual.has(found.type) ? 'refuses' : 'fits'
  const width = integerWidths.indexOf(found.type)
  const needed = integerWidths.indexOf(wanted.type)
  if (needed >= 0) {
    if (width >= 0) return width >= needed ? 'fits' : 'refuses'
    return floating.has(found.type) ? 'loses' : 'refuses'
  }
  if (type.name === 'DECIMAL')
    return width >= 0 && type.scale === 0 ? 'refuses' : floating.has(found.type) ? 'loses' : 'refuses'
  if (wanted.type === 'double' || wanted.type === 'float') return floating.has(found.type) ? 'loses' : 'refuses'
  if (wanted.type === 'date_nanos') return found.type === 'date' ? 'loses' : 'refuses'
  if (wanted.type === 'object') return objects.has(found.type) ? 'fits' : 'refuses'
  return 'refuses'
}

const textual: ReadonlySet<string> = new Set(['keyword', 'text', 'wildcard', 'constant_keyword', 'match_only_text'])
const floating: ReadonlySet<string> = new Set(['double', 'float', 'half_float', 'scaled_float'])
const objects: ReadonlySet<string> = new Set(['object', 'nested', 'flattened', 'flat_object'])
const integerWidths: readonly string[] = ['byte', 'short', 'integer', 'long']
