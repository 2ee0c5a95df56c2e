import type { TypeMapping } from '../../src/connector/connector.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Value } from '../../src/row/value.ts'
import { arrayLiteral } from './array-literal.ts'
import { UnsendableValue, type WireType } from './binary-array.ts'

export const typeMapping: TypeMapping = { nativeType, keyNormalizer, sequenceFault }

/** Digits of a second that PostgreSQL keeps. */
const secondDigitsMax = 6
/** Most digits that `numeric(p, s)` can declare. */
const numericDigitsMax = 1000

/** The type of a column that holds every value of `type` exactly; undefined if there is none. */
function nativeType(type: DataType): string | undefined {
  switch (type.name) {
    case 'BOOLEAN':
      return 'boolean'
    case 'TINYINT':
    case 'SMALLINT':
      return 'smallint'
    case 'INT':
      return 'integer'
    case 'BIGINT':
      return 'bigint'
    case 'FLOAT':
      return 'real'
    case 'DOUBLE':
      return 'double precision'
    case 'DECIMAL':
      return type.precision <= numericDigitsMax ? `numeric(${type.precision},${type.scale})` : undefined
    case 'CHAR':
      return `character(${type.length ?? 1})`
    case 'VARCHAR':
      return type.length === undefined ? 'text' : `character varying(${type.length})`
    case 'BINARY':
    case 'VARBINARY':
      return 'bytea'
    case 'DATE':
      return 'date'
    case 'TIME':
      return secondsType('time', type.precision, 'without')
    case 'TIMESTAMP':
      return secondsType('timestamp', type.precision, 'without')
    case 'TIMESTAMP_LTZ':
      return secondsType('timestamp', type.precision, 'with')
    case 'ARRAY':
      return isNested(type.element) ? 'jsonb' : arrayOf(nativeType(type.element))
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return 'jsonb'
    case 'UUID':
      return 'uuid'
  }
}

function secondsType(name: string, precision: number, zone: 'with' | 'without'): string | undefined {
  return precision <= secondDigitsMax ? `${name}(${precision}) ${zone} time zone` : undefined
}

function arrayOf(element: string | undefined): string | undefined {
  return element === undefined ? undefined : `${element}[]`
}

/** Arrays of PostgreSQL must be rectangular and hold no JSON arrays, so what nests goes into one jsonb. */
function isNested(type: DataType): boolean {
  return type.name === 'ARRAY' || type.name === 'MAP' || type.name === 'ROW' || type.name === 'JSON'
}

/** `character(n)` ignores blanks at the end. */
function keyNormalizer(type: DataType): ((value: Value) => Value) | undefined {
  return type.name === 'CHAR' ? (value) => (value as string).replace(/ +$/, '') : undefined
}

/** Why PostgreSQL's order of `type` is not tidegate's (rule G7). Text is compared with `COLLATE "C"`. */
function sequenceFault(type: DataType): string | undefined {
  switch (type.name) {
    case 'JSON':
    case 'MAP':
    case 'ROW':
    case 'ARRAY':
      return `${formatDataType(type)} has no order that the store and tidegate share`
    case 'CHAR':
      return 'PostgreSQL ignores the blanks at the end of a CHAR; declare VARCHAR'
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return type.precision > secondDigitsMax
        ? 'PostgreSQL keeps microseconds; nothing finer can order rows'
        : undefined
    default:
      return undefined
  }
}

/** Type of a column as the catalog tells, domains resolved. */
export interface StoreType {
  /** As format_type writes it, without length: `character varying`, `app.mood`, `integer[]`. */
  readonly name: string
  readonly kind: 'base' | 'enum' | 'composite' | 'range' | 'pseudo'
  /** atttypmod, or that of the domain; -1: none. */
  readonly modifier: number
}

/** How the values of a column travel and what the statement does with them. */
export interface Binding {
  readonly wire: WireType
  /** The staged value is cast to this type before it meets the column. */
  readonly cast: string | undefined
  /** Canonical value to what the wire type takes; undefined: as it is. Throws `UnsendableValue`. */
  readonly encode: ((value: Value) => unknown) | undefined
  /** The column's type without length, for `NULL::type`. */
  readonly type: string
  /** Compares by code point only with `COLLATE "C"`. */
  readonly collated: boolean
  /** Equality of `json` and the like is asked in this type; undefined: the type has its own. */
  readonly comparedAs: string | undefined
}

export type Bound = { readonly binding: Binding } | { readonly fault: string; readonly fix: string | undefined }

/** The binding to a column of the type that `nativeType` gives: what `explain` and `ddl` go by. */
export function bindNative(type: DataType): Bound {
  const native = nativeType(type)
  if (native === undefined) return misfit(type, 'any type of PostgreSQL')
  return bind(type, { name: native.replace(/\([\d,]+\)/, ''), kind: 'base', modifier: modifierOf(type) })
}

/** The binding of a declared type to a column that is there; or why its values would not come through unchanged. */
export function bind(type: DataType, store: StoreType): Bound {
  switch (type.name) {
    case 'BOOLEAN':
      return store.name === 'boolean' ? plain('bool', store) : misfit(type, store.name)
    case 'TINYINT':
    case 'SMALLINT':
      return bindInteger(type, 'int2', store)
    case 'INT':
      return bindInteger(type, 'int4', store)
    case 'BIGINT':
      return bindInteger(type, 'int8', store)
    case 'FLOAT':
      return store.name === 'real' ? plain('float4', store) : misfit(type, store.name)
    case 'DOUBLE':
      return store.name === 'double precision' ? plain('float8', store) : misfit(type, store.name)
    case 'DECIMAL':
      return bindDecimal(type, store)
    case 'CHAR':
    case 'VARCHAR':
      return bindText(type, store)
    case 'BINARY':
    case 'VARBINARY':
      return store.name === 'bytea' ? plain('bytea', store) : misfit(type, store.name)
    case 'DATE':
      return store.name === 'date' ? plain('date', store) : misfit(type, store.name)
    case 'TIME':
      return bindSeconds(type, type.precision, 'time', 'time without time zone', store)
    case 'TIMESTAMP':
      return bindSeconds(type, type.precision, 'timestamp', 'timestamp without time zone', store)
    case 'TIMESTAMP_LTZ':
      return bindSeconds(type, type.precision, 'timestamptz', 'timestamp with time zone', store)
    case 'ARRAY':
      return bindArray(type, store)
    case 'MAP':
    case 'ROW':
      return bindJson(type, store, (value) => JSON.stringify(toJsonValue(type, value)))
    case 'JSON':
      return bindJson(type, store, undefined)
    case 'UUID':
      return store.name === 'uuid' ? plain('uuid', store) : misfit(type, store.name)
  }
}

function plain(wire: WireType, store: StoreType, more: Partial<Binding> = {}): Bound {
  const binding: Binding = {
    wire,
    cast: undefined,
    encode: undefined,
    type: store.name,
    collated: false,
    comparedAs: undefined,
    ...more,
  }
  return { binding }
}

function misfit(type: DataType, storeName: string, fix?: string): Bound {
  return { fault: `${storeName} does not hold every ${formatDataType(type)} exactly`, fix }
}

const integerTypes = ['smallint', 'integer', 'bigint']

/** A narrower column is taken: a value that does not fit raises an error, and no digit is lost. */
function bindInteger(type: DataType, wire: WireType, store: StoreType): Bound {
  if (integerTypes.includes(store.name)) return plain(wire, store)
  if (store.name === 'numeric' && numericScale(store.modifier) >= 0) return plain(wire, store)
  return misfit(type, store.name)
}

function bindDecimal(type: DataType & { name: 'DECIMAL' }, store: StoreType): Bound {
  if (store.name !== 'numeric') return misfit(type, store.name)
  if (store.modifier >= 0 && numericScale(store.modifier) < type.scale) {
    const scale = numericScale(store.modifier)
    return misfit(
      type,
      `numeric with ${scale} digits after the point`,
      'a numeric column rounds what it is too narrow for',
    )
  }
  return plain('numeric', store)
}

function numericScale(modifier: number): number {
  if (modifier < 0) return 0
  // eleven bits with sign
  const scale = (modifier - 4) & 0x7ff
  return scale > 1023 ? scale - 2048 : scale
}

/** Types that have a declared type of their own: text that is cast to them can be read in more than one way. */
const notForText = new Set([
  'boolean',
  ...integerTypes,
  'numeric',
  'real',
  'double precision',
  'bytea',
  'date',
  'time without time zone',
  'time with time zone',
  'timestamp without time zone',
  'timestamp with time zone',
  'money',
  'oid',
])

function bindText(type: DataType, store: StoreType): Bound {
  switch (store.name) {
    case 'text':
      return plain('text', store, { collated: true })
    case 'character varying':
      return plain('text', store, { collated: true, encode: withinLength(store.modifier) })
    case 'character':
      // the name `character` alone would mean one character
      return plain('text', { ...store, name: 'bpchar' }, { collated: true, cast: 'bpchar' })
    default:
      break
  }
  if (notForText.has(store.name) || store.kind === 'pseudo' || store.kind === 'composite') {
    return misfit(type, store.name, 'declare the column with the type that it has in PostgreSQL')
  }
  // enums, uuid, json, inet and whatever an extension brings: by their own text form
  return plain('text', store, { cast: store.name, comparedAs: 'text' })
}

/** An assignment to `varchar(n)` refuses what is too long, but blanks beyond n it cuts in silence. */
function withinLength(modifier: number): ((value: Value) => Value) | undefined {
  const length = modifier - 4
  if (length < 0) return undefined
  return (value) => {
    const text = value as string
    if (text.length > length && text.endsWith(' ') && [...text].length > length) {
      throw new UnsendableValue(-1, '22001', `text is longer than the ${length} characters of its column`)
    }
    return text
  }
}

function bindSeconds(type: DataType, precision: number, wire: WireType, name: string, store: StoreType): Bound {
  if (store.name !== name) return misfit(type, store.name)
  const kept = store.modifier < 0 ? secondDigitsMax : store.modifier
  return precision <= kept
    ? plain(wire, store)
    : misfit(type, `${name} with ${kept} digits of the second`, `declare a precision of ${kept}`)
}

function bindArray(type: DataType & { name: 'ARRAY' }, store: StoreType): Bound {
  if (store.name === 'jsonb' || store.name === 'json') {
    return bindJson(type, store, (value) => JSON.stringify(toJsonValue(type, value)))
  }
  if (!store.name.endsWith('[]') || isNested(type.element)) return misfit(type, store.name)
  const element = bind(type.element, { ...store, name: store.name.slice(0, -2) })
  if ('fault' in element) return element
  const { encode } = element.binding
  return plain('text', store, {
    cast: store.name,
    encode: (value) => {
      const members = value as readonly (Value | null)[]
      if (encode !== undefined) for (const member of members) if (member !== null) encode(member)
      return arrayLiteral(type.element, members)
    },
  })
}

function bindJson(type: DataType, store: StoreType, encode: ((value: Value) => string) | undefined): Bound {
  if (store.name === 'jsonb') return plain('jsonb', store, { encode })
  if (store.name === 'json') return plain('json', store, { encode, comparedAs: 'jsonb' })
  return misfit(type, store.name)
}

/** The modifier that the native type has, as far as `bind` looks at it. */
function modifierOf(type: DataType): number {
  switch (type.name) {
    case 'DECIMAL':
      return ((type.precision << 16) | (type.scale & 0x7ff)) + 4
    case 'CHAR':
    case 'VARCHAR':
      return type.length === undefined ? -1 : type.length + 4
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return type.precision
    case 'ARRAY':
      return modifierOf(type.element)
    default:
      return -1
  }
}
