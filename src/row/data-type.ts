/**
 * Logical types of Flink SQL (with JSON and UUID as additions), as plain data.
 * The canonical JavaScript value of each type is described in `value.ts`.
 */
export type DataType =
  | { readonly name: 'BOOLEAN' }
  | { readonly name: 'TINYINT' | 'SMALLINT' | 'INT' | 'BIGINT' }
  | { readonly name: 'FLOAT' | 'DOUBLE' }
  | { readonly name: 'DECIMAL'; readonly precision: number; readonly scale: number }
  /** `length` undefined: unbounded (STRING). */
  | { readonly name: 'CHAR' | 'VARCHAR'; readonly length: number | undefined }
  /** `length` undefined: unbounded (BYTES). */
  | { readonly name: 'BINARY' | 'VARBINARY'; readonly length: number | undefined }
  | { readonly name: 'DATE' }
  /** `precision`: digits of the fraction of a second, 0 to 9. */
  | { readonly name: 'TIME' | 'TIMESTAMP' | 'TIMESTAMP_LTZ'; readonly precision: number }
  | { readonly name: 'ARRAY'; readonly element: DataType }
  | { readonly name: 'MAP'; readonly key: DataType; readonly value: DataType }
  | { readonly name: 'ROW'; readonly fields: readonly RowField[] }
  | { readonly name: 'JSON' }
  | { readonly name: 'UUID' }

export interface RowField {
  readonly name: string
  readonly type: DataType
}

/** The type as Flink writes it. */
export function formatDataType(type: DataType): string {
  switch (type.name) {
    case 'DECIMAL':
      return `DECIMAL(${type.precision}, ${type.scale})`
    case 'CHAR':
      return `CHAR(${type.length ?? 1})`
    case 'VARCHAR':
      return type.length === undefined ? 'STRING' : `VARCHAR(${type.length})`
    case 'BINARY':
      return `BINARY(${type.length ?? 1})`
    case 'VARBINARY':
      return type.length === undefined ? 'BYTES' : `VARBINARY(${type.length})`
    case 'TIME':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return `${type.name}(${type.precision})`
    case 'ARRAY':
      return `ARRAY<${formatDataType(type.element)}>`
    case 'MAP':
      return `MAP<${formatDataType(type.key)}, ${formatDataType(type.value)}>`
    case 'ROW':
      return `ROW<${type.fields.map((field) => `\`${field.name.replaceAll('`', '``')}\` ${formatDataType(field.type)}`).join(', ')}>`
    default:
      return type.name
  }
}

/** Value range of the integer types, inclusive. */
export const integerRange: Record<'TINYINT' | 'SMALLINT' | 'INT' | 'BIGINT', readonly [bigint, bigint]> = {
  TINYINT: [-128n, 127n],
  SMALLINT: [-32768n, 32767n],
  INT: [-2147483648n, 2147483647n],
  BIGINT: [-9223372036854775808n, 9223372036854775807n],
}
