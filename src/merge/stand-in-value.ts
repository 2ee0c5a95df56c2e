import type { DataType } from '../row/data-type.ts'
import type { Value } from '../row/value.ts'

/** Some value of the type, where only it matters that there is one: a retract whose value is not compared. */
export function standInValue(type: DataType): Value {
  switch (type.name) {
    case 'BOOLEAN':
      return false
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
      return 0
    case 'BIGINT':
      return 0n
    case 'DECIMAL':
      return `0${fraction(type.scale)}`
    case 'CHAR':
      return ' '.repeat(type.length ?? 1)
    case 'VARCHAR':
      return ''
    case 'BINARY':
      return new Uint8Array(type.length ?? 1)
    case 'VARBINARY':
      return new Uint8Array()
    case 'DATE':
      return '1970-01-01'
    case 'TIME':
      return `00:00:00${fraction(type.precision)}`
    case 'TIMESTAMP':
      return `1970-01-01T00:00:00${fraction(type.precision)}`
    case 'TIMESTAMP_LTZ':
      return `1970-01-01T00:00:00${fraction(type.precision)}Z`
    case 'ARRAY':
      return []
    case 'MAP':
      return new Map()
    case 'ROW':
      return type.fields.map(() => null)
    case 'JSON':
      return 'null'
    case 'UUID':
      return '00000000-0000-0000-0000-000000000000'
  }
}

function fraction(digits: number): string {
  return digits === 0 ? '' : `.${'0'.repeat(digits)}`
}
