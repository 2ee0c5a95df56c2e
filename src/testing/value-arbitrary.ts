import Big from 'big.js'
import fc from 'fast-check'
import { unreachable } from '../assert.ts'
import { createCoercion } from '../row/coerce.ts'
import { type DataType, integerRange } from '../row/data-type.ts'
import type { Schema } from '../row/schema.ts'
import { compareValues, type Value } from '../row/value.ts'

/** Any canonical value of a type, its limits among them. NUL is left out of text: not every store can hold it. */
export function anyValue(type: DataType): fc.Arbitrary<Value> {
  switch (type.name) {
    case 'BOOLEAN':
      return fc.boolean()
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
      return anyInteger(type.name).map(Number)
    case 'BIGINT':
      return anyInteger(type.name)
    case 'FLOAT':
      return fc.float().map(createCoercion(type))
    case 'DOUBLE':
      return fc.double().map((value) => value + 0)
    case 'DECIMAL': {
      const limit = 10n ** BigInt(type.precision) - 1n
      return fc.bigInt({ min: -limit, max: limit }).map((digits) => decimalText(digits, type.scale))
    }
    case 'CHAR':
      return anyText(type.length ?? 1, type.length ?? 1)
    case 'VARCHAR':
      return anyText(0, Math.min(type.length ?? 40, 40))
    case 'BINARY':
      return fc.uint8Array({ minLength: type.length ?? 1, maxLength: type.length ?? 1 }).map(plainBytes)
    case 'VARBINARY':
      return fc.uint8Array({ maxLength: Math.min(type.length ?? 40, 40) }).map(plainBytes)
    case 'DATE':
      return anyInstant().map((millis) => new Date(millis).toISOString().slice(0, 10))
    case 'TIME':
      return fc.tuple(anyInstant(), anyFraction(type.precision)).map(([millis, fraction]) => {
        return new Date(millis).toISOString().slice(11, 19) + fraction
      })
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ': {
      const zone = type.name === 'TIMESTAMP' ? '' : 'Z'
      return fc.tuple(anyInstant(), anyFraction(type.precision)).map(([millis, fraction]) => {
        return new Date(millis).toISOString().slice(0, 19) + fraction + zone
      })
    }
    case 'ARRAY':
      return fc.array(fc.option(anyValue(type.element), { freq: 6 }), { maxLength: 5 })
    case 'MAP':
      return fc
        .uniqueArray(fc.tuple(anyValue(type.key), fc.option(anyValue(type.value), { freq: 6 })), {
          maxLength: 4,
          comparator: (a, b) => compareValues(type.key, a[0], b[0]) === 0,
        })
        .map((entries) => new Map(entries.toSorted((a, b) => compareValues(type.key, a[0], b[0]))))
    case 'ROW':
      return fc.tuple(...type.fields.map((field) => fc.option(anyValue(field.type), { freq: 6 })))
    case 'JSON':
      return fc.jsonValue({ noUnicodeString: false, maxDepth: 3 }).map((value) => JSON.stringify(value))
    case 'UUID':
      return fc.uuid()
    default:
      return unreachable(type)
  }
}

/** Rows of any values, the same for the same seed. */
export function randomRows(
  schema: Pick<Schema, 'columns'>,
  count: number,
  seed: number,
): Record<string, Value | null>[] {
  const row = fc.tuple(...schema.columns.map(({ type }) => fc.option(anyValue(type), { freq: 8 })))
  return fc.sample(row, { numRuns: count, seed }).map((values) => {
    return Object.fromEntries(schema.columns.map(({ name }, index) => [name, values[index] ?? null]))
  })
}

/**
 * A handful of canonical values of a type, small enough that sums stay in range and that equal values meet often.
 */
export function fewValues(type: DataType): fc.Arbitrary<Value> {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
      return fc.integer({ min: -3, max: 3 })
    case 'BIGINT':
      return fc.bigInt({ min: -3n, max: 3n })
    case 'DECIMAL':
      return fc.integer({ min: -300, max: 300 }).map((digits) => decimalText(BigInt(digits), type.scale))
    case 'CHAR':
      return fc.constantFrom('a', 'b', 'c').map((text) => text.padEnd(type.length ?? 1, 'x'))
    case 'VARCHAR':
      return fc.constantFrom('a', 'b', 'c', '😀')
    case 'ARRAY':
      return fc.array(fewValues(type.element), { maxLength: 3 })
    default:
      return anyValue(type)
  }
}

/** The n-th of a row of ascending values, for keys and sequences; `n` from 0 to 99. */
export function nthValue(type: DataType, n: number): Value {
  const two = String(n).padStart(2, '0')
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'FLOAT':
    case 'DOUBLE':
      return n
    case 'BIGINT':
      // beyond 2^53, so that a number in between would lose the last digit
      return 9007199254740992n + BigInt(n)
    case 'DECIMAL':
      return decimalText(BigInt(n), type.scale)
    case 'DATE':
      return new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10)
    case 'TIME':
      return `10:${two.slice(0, 1)}0:${two.slice(1)}0${fraction(type.precision, n)}`
    case 'TIMESTAMP':
      return `2026-01-01T10:00:00${fraction(type.precision, n)}`
    case 'TIMESTAMP_LTZ':
      return `2026-01-01T10:00:00${fraction(type.precision, n)}Z`
    case 'UUID':
      return `00000000-0000-4000-8000-0000000000${two}`
    case 'BINARY':
    case 'VARBINARY':
      return new Uint8Array([n])
    case 'BOOLEAN':
      return n % 2 === 1
    default:
      return `k${two}`
  }
}

function fraction(precision: number, n: number): string {
  return precision === 0 ? '' : `.${String(n).padStart(precision, '0')}`
}

function anyInteger(name: keyof typeof integerRange): fc.Arbitrary<bigint> {
  const [min, max] = integerRange[name]
  return fc.bigInt({ min, max })
}

function decimalText(digits: bigint, scale: number): string {
  return new Big(String(digits)).div(new Big(10).pow(scale)).toFixed(scale)
}

/** Whole code points; no NUL, and no half of a surrogate pair. */
function anyText(minLength: number, maxLength: number): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme', minLength, maxLength }).map((text) => {
    const points = [...text.replaceAll('\0', '0')].slice(0, maxLength)
    return points.join('').padEnd(minLength, 'x')
  })
}

function plainBytes(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(bytes)
}

/** Milliseconds since the epoch of a whole second in the years 1 to 9999. */
function anyInstant(): fc.Arbitrary<number> {
  // the years that every store holds; cases of their own go beyond
  const [first, last] = [Date.parse('1900-01-01T00:00:00Z'), Date.parse('2261-12-31T23:59:59Z')]
  return fc.integer({ min: first / 1000, max: last / 1000 }).map((seconds) => seconds * 1000)
}

function anyFraction(precision: number): fc.Arbitrary<string> {
  return fc.integer({ min: 0, max: 10 ** precision - 1 }).map((digits) => fraction(precision, digits))
}
