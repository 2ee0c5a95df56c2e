import type { TypeMapping } from '../../src/connector/connector.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'
import { toJsonText } from '../../src/row/json-text.ts'
import { toJsonValue } from '../../src/row/json-value.ts'
import type { Value } from '../../src/row/value.ts'

/** Everything is text, in canonical form, so every type is held exactly. */
export const typeMapping: TypeMapping = {
  nativeType: (type) => (isNested(type) ? 'JSON text' : 'text'),
  keyNormalizer: () => undefined,
  sequenceFault: (type) =>
    isNested(type) ? `${formatDataType(type)} has no order that the store and tidegate share` : undefined,
}

function isNested({ name }: DataType): boolean {
  return name === 'JSON' || name === 'MAP' || name === 'ROW' || name === 'ARRAY'
}

/** A value that has no text form; the message does not repeat it. */
export class UnsendableValue extends Error {
  override readonly name = 'UnsendableValue'
}

/** Canonical value to the text of a field. Throws `UnsendableValue`. */
export function encodeValue(type: DataType, value: Value): string {
  switch (type.name) {
    case 'CHAR':
    case 'VARCHAR':
    case 'JSON':
    case 'UUID':
      return wellFormed(value as string)
    case 'BINARY':
    case 'VARBINARY':
      return Buffer.from(value as Uint8Array).toString('base64')
    case 'ARRAY':
    case 'MAP':
    case 'ROW':
      return wellFormed(toJsonText(toJsonValue(type, value)))
    default:
      return String(value)
  }
}

export function fieldDecoder(type: DataType): Coercion {
  return createCoercion(type)
}

/** How the server compares two texts of a type as tidegate compares the values; undefined: it can't. */
export function storeOrder(type: DataType): 'number' | 'text' | undefined {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
    case 'DECIMAL':
      return 'number'
    // bytes of UTF-8 are in the order of the code points
    case 'CHAR':
    case 'VARCHAR':
    case 'UUID':
    case 'TIME':
      return 'text'
    default:
      return undefined
  }
}

function wellFormed(text: string): string {
  if (/[\ud800-\udfff]/u.test(text)) throw new UnsendableValue('a text holds half a surrogate pair')
  return text
}
