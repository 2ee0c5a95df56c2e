import type { TypeMapping } from '../../src/connector/connector.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { parseExact } from '../../src/row/exact-json.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Value } from '../../src/row/value.ts'

export const typeMapping: TypeMapping = {
  nativeType,
  // keys are bytes, and each canonical value has one text
  keyNormalizer: () => undefined,
  sequenceFault: (type) =>
    comparisonOf(type) === undefined ? `${formatDataType(type)} has no order that is kept in its text` : undefined,
}

/** How values stand in Redis, which knows only bytes; every type has an exact text. */
function nativeType(type: DataType): string {
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return 'bytes'
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
    case 'JSON':
      return 'JSON text'
    default:
      return 'text'
  }
}

/** By what the script compares the stored texts of a type; undefined: it has no order. */
export function comparisonOf(type: DataType): 'bytes' | 'number' | 'double' | 'date' | undefined {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
    case 'DECIMAL':
      return 'number'
    case 'FLOAT':
    case 'DOUBLE':
      return 'double'
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return 'date'
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return undefined
    default:
      return 'bytes'
  }
}

/** A value that has no form in Redis; the message does not repeat it. */
export class UnsendableValue extends Error {
  override readonly name = 'UnsendableValue'
}

export interface ValueCodec {
  /** Throws `UnsendableValue`. */
  encode(value: Value): string | Buffer
  /** Throws `ValueFault` for what somebody else has put there. */
  decode(stored: Buffer): Value
}

export function valueCodec(type: DataType): ValueCodec {
  const coerce = createCoercion(type)
  const decodeText = (stored: Buffer): Value => coerce(stored.toString('utf8'))
  switch (type.name) {
    case 'BINARY':
    case 'VARBINARY':
      return {
        encode: (value) => {
          const { buffer, byteOffset, byteLength } = value as Uint8Array
          return Buffer.from(buffer, byteOffset, byteLength)
        },
        decode: (stored) => Uint8Array.from(stored),
      }
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return {
        encode: (value) => JSON.stringify(toJsonValue(type, value)),
        decode: (stored) => coerce(parseExact(stored.toString('utf8'))),
      }
    case 'CHAR':
    case 'VARCHAR':
    case 'JSON':
      return { encode: (value) => wellFormed(value as string), decode: decodeText }
    default:
      return { encode: String, decode: decodeText }
  }
}

/** UTF-8 has no form for half of a surrogate pair, and would put another character in its place. */
export function wellFormed(text: string): string {
  if (/\p{Surrogate}/u.test(text)) throw new UnsendableValue('text with half of a surrogate pair has no form in UTF-8')
  return text
}
