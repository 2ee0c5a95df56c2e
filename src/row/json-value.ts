import { unreachable } from '../assert.ts'
import type { DataType } from './data-type.ts'
import type { Row } from './row.ts'
import { keyText } from './row-key.ts'
import type { Schema } from './schema.ts'
import type { Value } from './value.ts'

/**
 * A canonical value as JSON can say it without loss: BIGINT as text, bytes as `{"$base64": …}`, JSON as its text, NaN and
 * the infinities by name, a MAP as an object by the text of its keys, a ROW as an object. `createCoercion` reads it back.
 */
export function toJsonValue(type: DataType, value: Value | null): unknown {
  if (value === null) return null
  switch (type.name) {
    case 'BIGINT':
      return String(value)
    case 'FLOAT':
    case 'DOUBLE':
      return Number.isFinite(value) ? value : String(value)
    case 'BINARY':
    case 'VARBINARY':
      return { $base64: Buffer.from(value as Uint8Array).toString('base64') }
    case 'ARRAY':
      return (value as readonly (Value | null)[]).map((member) => toJsonValue(type.element, member))
    case 'ROW':
      return namedValues(type.fields, value as readonly (Value | null)[])
    case 'MAP':
      return ownMembers(
        [...(value as ReadonlyMap<Value, Value | null>)].map(([key, member]) => [
          keyText(type.key, key),
          toJsonValue(type.value, member),
        ]),
      )
    case 'BOOLEAN':
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'DECIMAL':
    case 'CHAR':
    case 'VARCHAR':
    case 'DATE':
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
    case 'JSON':
    case 'UUID':
      return value
    default:
      return unreachable(type)
  }
}

/** The row by column names, without the columns that are absent. */
export function toJsonRow(schema: Pick<Schema, 'columns'>, row: Row): Record<string, unknown> {
  return namedValues(schema.columns, row)
}

/** One line of NDJSON, without its line end. */
export function stringifyRow(schema: Pick<Schema, 'columns'>, row: Row): string {
  return JSON.stringify(toJsonRow(schema, row))
}

function namedValues(
  columns: readonly { readonly name: string; readonly type: DataType }[],
  values: readonly (Value | null | undefined)[],
): Record<string, unknown> {
  const members: [string, unknown][] = []
  for (const [index, { name, type }] of columns.entries()) {
    const value = values[index]
    if (value !== undefined) members.push([name, toJsonValue(type, value)])
  }
  return ownMembers(members)
}

/** `Object.fromEntries` defines members, so `__proto__` is one like any other. */
function ownMembers(members: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  return Object.fromEntries(members)
}
