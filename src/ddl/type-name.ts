import { didYouMean } from '../did-you-mean.ts'
import type { DataType } from '../row/data-type.ts'

/** What stands behind the name of a type. */
export interface TypeParameters {
  readonly numbers: readonly number[]
  readonly zone: 'none' | 'without' | 'local' | 'with'
}

/** `unsupported`: Flink has the type, tidegate does not. */
export interface TypeFault {
  readonly message: string
  readonly hint?: string | undefined
  readonly unsupported?: true
}

/** Largest length that Flink takes; CHAR, VARCHAR and their binary kin with it are unbounded. */
const lengthMax = 2_147_483_647

/** Types without parameters, Flink's other names for them included. */
const plainTypes: Readonly<Record<string, DataType>> = {
  BOOLEAN: { name: 'BOOLEAN' },
  TINYINT: { name: 'TINYINT' },
  SMALLINT: { name: 'SMALLINT' },
  INT: { name: 'INT' },
  INTEGER: { name: 'INT' },
  BIGINT: { name: 'BIGINT' },
  FLOAT: { name: 'FLOAT' },
  DOUBLE: { name: 'DOUBLE' },
  DATE: { name: 'DATE' },
  STRING: { name: 'VARCHAR', length: undefined },
  BYTES: { name: 'VARBINARY', length: undefined },
  JSON: { name: 'JSON' },
  UUID: { name: 'UUID' },
}

interface Parametrised {
  /** How many numbers it takes at most. */
  readonly most: number
  readonly make: (numbers: readonly number[]) => DataType | TypeFault
}

const parametrised: Readonly<Record<string, Parametrised>> = {
  CHAR: { most: 1, make: ([length = 1]) => sized('CHAR', length) },
  BINARY: { most: 1, make: ([length = 1]) => sized('BINARY', length) },
  VARCHAR: { most: 1, make: ([length = lengthMax]) => sized('VARCHAR', length) },
  VARBINARY: { most: 1, make: ([length = lengthMax]) => sized('VARBINARY', length) },
  DECIMAL: { most: 2, make: decimal },
  DEC: { most: 2, make: decimal },
  NUMERIC: { most: 2, make: decimal },
  TIME: { most: 1, make: ([precision = 0]) => timed('TIME', precision) },
  TIMESTAMP: { most: 1, make: ([precision = 6]) => timed('TIMESTAMP', precision) },
  TIMESTAMP_LTZ: { most: 1, make: ([precision = 6]) => timed('TIMESTAMP_LTZ', precision) },
}

/** Types of Flink that hold nothing a sink could write. */
const unsupported: Readonly<Record<string, string>> = {
  INTERVAL: 'write it as BIGINT or STRING',
  MULTISET: 'write it as ARRAY or MAP',
  RAW: 'write it as BYTES or STRING',
  STRUCTURED: 'write it as ROW',
  VARIANT: 'write it as JSON',
  DESCRIPTOR: 'leave the column out',
}

/** Names that other systems use, with ours. */
const foreign: Readonly<Record<string, string>> = {
  BOOL: 'BOOLEAN',
  INT2: 'SMALLINT',
  INT4: 'INT',
  INT8: 'BIGINT',
  LONG: 'BIGINT',
  SERIAL: 'INT',
  BIGSERIAL: 'BIGINT',
  REAL: 'FLOAT',
  FLOAT4: 'FLOAT',
  FLOAT8: 'DOUBLE',
  NUMBER: 'DECIMAL(p, s)',
  MONEY: 'DECIMAL(19, 2)',
  TEXT: 'STRING',
  LONGTEXT: 'STRING',
  NVARCHAR: 'VARCHAR(n)',
  VARCHAR2: 'VARCHAR(n)',
  CHARACTER: 'CHAR(n) or VARCHAR(n)',
  BLOB: 'BYTES',
  BYTEA: 'BYTES',
  DATETIME: 'TIMESTAMP(p)',
  TIMESTAMPTZ: 'TIMESTAMP_LTZ(p)',
  JSONB: 'JSON',
}

const names = [...Object.keys(plainTypes), ...Object.keys(parametrised), 'ARRAY', 'MAP', 'ROW']

export function isTypeName(name: string): boolean {
  return names.includes(name.toUpperCase())
}

/** Why there is no such type. */
export function typeNameFault(name: string): TypeFault {
  const upper = name.toUpperCase()
  if (Object.hasOwn(unsupported, upper)) {
    return { message: `the type ${upper} cannot be written`, hint: unsupported[upper], unsupported: true }
  }
  const near = Object.hasOwn(foreign, upper) ? foreign[upper] : didYouMean(name, names)
  return {
    message: `"${name}" is no type of Flink SQL`,
    hint: near === undefined ? `types are ${names.join(', ')}` : `${name}: did you mean ${near}?`,
  }
}

/** The type of that name with these parameters. The name must be one that `isTypeName` accepts. */
export function namedType(name: string, { numbers, zone }: TypeParameters): DataType | TypeFault {
  const upper = name.toUpperCase()
  const zoned = zonedName(upper, zone)
  if (typeof zoned === 'object') return zoned
  const withParameters = parametrised[zoned]
  if (withParameters === undefined) {
    const plain = plainTypes[zoned]
    if (plain === undefined) return { message: `${upper} needs its members in < >` }
    return numbers.length === 0 ? plain : { message: `${upper} takes no number in parentheses` }
  }
  if (numbers.length > withParameters.most) {
    return {
      message: `${upper} takes at most ${withParameters.most} number${withParameters.most > 1 ? 's' : ''} in parentheses`,
    }
  }
  return withParameters.make(numbers)
}

export function isTypeFault(result: DataType | TypeFault): result is TypeFault {
  return 'message' in result
}

function zonedName(name: string, zone: TypeParameters['zone']): string | TypeFault {
  if (zone === 'none') return name
  if (name !== 'TIMESTAMP' && name !== 'TIME') return { message: `${name} takes no time zone` }
  if (zone === 'without') return name
  if (name === 'TIMESTAMP' && zone === 'local') return 'TIMESTAMP_LTZ'
  const hint = name === 'TIMESTAMP' ? 'write TIMESTAMP_LTZ, which is a moment in time' : undefined
  return { message: `Flink has no ${name} WITH ${zone === 'local' ? 'LOCAL ' : ''}TIME ZONE`, hint, unsupported: true }
}

function sized(name: 'CHAR' | 'VARCHAR' | 'BINARY' | 'VARBINARY', length: number): DataType | TypeFault {
  if (length < 1 || length > lengthMax) return { message: `the length of ${name} must be 1 to ${lengthMax}` }
  const bounded = name === 'CHAR' || name === 'BINARY' || length < lengthMax
  return { name, length: bounded ? length : undefined } as DataType
}

function decimal([precision = 10, scale = 0]: readonly number[]): DataType | TypeFault {
  if (precision < 1 || precision > 38) return { message: 'the precision of DECIMAL must be 1 to 38' }
  if (scale > precision) return { message: `the scale of DECIMAL must be 0 to its precision, ${precision}` }
  return { name: 'DECIMAL', precision, scale }
}

function timed(name: 'TIME' | 'TIMESTAMP' | 'TIMESTAMP_LTZ', precision: number): DataType | TypeFault {
  if (precision > 9) return { message: `the precision of ${name} must be 0 to 9` }
  return { name, precision }
}
