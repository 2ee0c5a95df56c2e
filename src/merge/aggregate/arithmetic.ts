import Big from 'big.js'
import { AssertionFailure } from '../../assert.ts'
import { type DataType, formatDataType, integerRange } from '../../row/data-type.ts'
import type { Value } from '../../row/value.ts'

/**
 * Exact arithmetic on the canonical values of one numeric type. Results may leave the type's range: `fits` tells. Only a
 * DECIMAL product or quotient is rounded, half up to the column's scale, and FLOAT and DOUBLE are what they are.
 */
export interface Arithmetic {
  add(a: Value, b: Value): Value
  negate(value: Value): Value
  multiply(a: Value, b: Value): Value
  /** Integers are cut towards zero. Undefined: the divisor is zero. */
  divide(a: Value, b: Value): Value | undefined
  fits(value: Value): boolean
}

export function createArithmetic(type: DataType): Arithmetic {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
      return integers(integerRange[type.name])
    case 'BIGINT':
      return bigints(integerRange.BIGINT)
    case 'FLOAT':
      return floats(Math.fround)
    case 'DOUBLE':
      return floats((value) => value)
    case 'DECIMAL':
      return decimals(type.precision, type.scale)
    default:
      throw new AssertionFailure(`${formatDataType(type)} is no numeric type`)
  }
}

function integers([lowest, highest]: readonly [bigint, bigint]): Arithmetic {
  const [min, max] = [Number(lowest), Number(highest)]
  return {
    add: (a, b) => (a as number) + (b as number),
    // adding 0 turns -0 into 0
    negate: (value) => -(value as number) + 0,
    multiply: (a, b) => (a as number) * (b as number) + 0,
    divide: (a, b) => (b === 0 ? undefined : Math.trunc((a as number) / (b as number)) + 0),
    fits: (value) => (value as number) >= min && (value as number) <= max,
  }
}

function bigints([min, max]: readonly [bigint, bigint]): Arithmetic {
  return {
    add: (a, b) => (a as bigint) + (b as bigint),
    negate: (value) => -(value as bigint),
    multiply: (a, b) => (a as bigint) * (b as bigint),
    divide: (a, b) => (b === 0n ? undefined : (a as bigint) / (b as bigint)),
    fits: (value) => (value as bigint) >= min && (value as bigint) <= max,
  }
}

function floats(round: (value: number) => number): Arithmetic {
  return {
    add: (a, b) => round((a as number) + (b as number)) + 0,
    negate: (value) => -(value as number) + 0,
    multiply: (a, b) => round((a as number) * (b as number)) + 0,
    divide: (a, b) => (b === 0 ? undefined : round((a as number) / (b as number)) + 0),
    fits: () => true,
  }
}

function decimals(precision: number, scale: number): Arithmetic {
  const Decimal = Big()
  Decimal.DP = scale
  Decimal.RM = Big.roundHalfUp
  const text = (value: Big): string => {
    const fixed = value.toFixed(scale)
    // what is rounded to nothing has no sign
    return /^-[0.]+$/.test(fixed) ? fixed.slice(1) : fixed
  }
  const limit = Decimal(10).pow(precision - scale)
  return {
    add: (a, b) => text(Decimal(a as string).plus(b as string)),
    negate: (value) => text(Decimal(value as string).neg()),
    multiply: (a, b) => text(Decimal(a as string).times(b as string)),
    divide(a, b) {
      const divisor = Decimal(b as string)
      return divisor.eq(0) ? undefined : text(Decimal(a as string).div(divisor))
    },
    fits: (value) =>
      Decimal(value as string)
        .abs()
        .lt(limit),
  }
}
