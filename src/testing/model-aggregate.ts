import Big from 'big.js'
import { assert } from '../assert.ts'
import type { ErrorCode } from '../errors.ts'
import { type DataType, integerRange } from '../row/data-type.ts'
import { compareValues, equalValues, type Value } from '../row/value.ts'
import type { ModelFunction } from './model-rules.ts'

/** Raised when a record cannot be taken; the model then behaves as if it had never come. */
export class ModelRejection extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, reason: string) {
    super(reason)
    this.name = 'ModelRejection'
    this.code = code
  }
}

/** What one record said of an aggregated column. */
export interface Contribution {
  readonly retract: boolean
  readonly value: Value | null
}

/**
 * The value of an aggregated column from all that was ever said of it (rule A1, Paimon).
 * `entries` are in order of arrival; `newer(a, b)` tells by sequence whether `a` is newer than `b`, and is 0 at ties.
 */
export function aggregateColumn<E extends Contribution>(
  type: DataType,
  rule: ModelFunction,
  entries: readonly E[],
  newer: (a: E, b: E) => number,
  firstArrivalWins: boolean,
): Value | null {
  const taken = rule.ignoreRetract ? entries.filter((entry) => !entry.retract) : entries
  const given = taken.filter((entry) => entry.value !== null)
  switch (rule.name) {
    case 'sum':
      return sum(type, given)
    case 'product':
      return product(type, given)
    case 'collect':
      return collect(type, rule.distinct, given)
    case 'last_value':
      return saidBy(lastOf(taken, newer, firstArrivalWins))
    case 'last_non_null_value':
      return saidBy(lastOf(given, newer, firstArrivalWins))
  }
  if (taken.some((entry) => entry.retract)) {
    throw new ModelRejection('RETRACT_UNSUPPORTED', `${rule.name} takes no retraction`)
  }
  switch (rule.name) {
    case 'first_value':
      return saidBy(firstOf(taken, newer))
    case 'first_non_null_value':
      return saidBy(firstOf(given, newer))
    case 'max':
      return extreme(type, given, 1)
    case 'min':
      return extreme(type, given, -1)
    case 'bool_and':
      return given.length === 0 ? null : given.every((entry) => entry.value === true)
    case 'bool_or':
      return given.length === 0 ? null : given.some((entry) => entry.value === true)
    case 'listagg':
      return listagg(rule, given)
    default:
      assert(false, `the model knows no function ${rule.name}`)
  }
}

function saidBy(entry: Contribution | undefined): Value | null {
  return entry === undefined || entry.retract ? null : entry.value
}

function lastOf<E>(entries: readonly E[], newer: (a: E, b: E) => number, firstArrivalWins: boolean): E | undefined {
  let last: E | undefined
  for (const entry of entries) {
    const order = last === undefined ? 1 : newer(entry, last)
    if (order > 0 || (order === 0 && !firstArrivalWins)) last = entry
  }
  return last
}

function firstOf<E>(entries: readonly E[], newer: (a: E, b: E) => number): E | undefined {
  let first: E | undefined
  for (const entry of entries) if (first === undefined || newer(entry, first) < 0) first = entry
  return first
}

function extreme(type: DataType, given: readonly Contribution[], sign: 1 | -1): Value | null {
  let best: Value | null = null
  for (const { value } of given) {
    if (value !== null && (best === null || compareValues(type, value, best) * sign > 0)) best = value
  }
  return best
}

function sum(type: DataType, given: readonly Contribution[]): Value | null {
  let total: Value | null = null
  for (const { value, retract } of given) total = add(type, total ?? zero(type), value as Value, retract ? -1 : 1)
  return total
}

function zero(type: DataType): Value {
  if (type.name === 'BIGINT') return 0n
  return type.name === 'DECIMAL' ? new Big(0).toFixed(type.scale) : 0
}

function add(type: DataType, total: Value, value: Value, sign: 1 | -1): Value {
  if (type.name === 'FLOAT') return Math.fround(Number(total) + sign * Number(value))
  if (type.name === 'DOUBLE') return Number(total) + sign * Number(value)
  if (type.name === 'DECIMAL') return decimal(type, new Big(String(total)).plus(new Big(String(value)).times(sign)))
  return integer(type, BigInt(total as number) + BigInt(sign) * BigInt(value as number))
}

/** A retraction divides; before the first factor there is nothing to divide. */
function product(type: DataType, given: readonly Contribution[]): Value | null {
  let total: Value | null = null
  for (const { value, retract } of given) {
    if (total === null) total = retract ? null : value
    else total = retract ? divide(type, total, value as Value) : multiply(type, total, value as Value)
  }
  return total
}

function multiply(type: DataType, a: Value, b: Value): Value {
  if (type.name === 'FLOAT') return Math.fround(Number(a) * Number(b))
  if (type.name === 'DOUBLE') return Number(a) * Number(b)
  if (type.name === 'DECIMAL') return decimal(type, new Big(String(a)).times(String(b)))
  return integer(type, BigInt(a as number) * BigInt(b as number))
}

function divide(type: DataType, a: Value, b: Value): Value {
  if (Number(b) === 0) throw new ModelRejection('ROW_REJECTED', 'division by zero')
  if (type.name === 'FLOAT') return Math.fround(Number(a) / Number(b))
  if (type.name === 'DOUBLE') return Number(a) / Number(b)
  if (type.name === 'DECIMAL') return decimal(type, exactQuotient(type.scale, String(a), String(b)))
  return integer(type, BigInt(a as number) / BigInt(b as number))
}

/** With digits to spare behind the column's scale, so that the one rounding is the column's own. */
function exactQuotient(scale: number, a: string, b: string): Big {
  const Wide = Big()
  Wide.DP = scale + 40
  return new Wide(a).div(b)
}

/** At the column's scale, half away from zero; too many digits are a fault of the row. */
function decimal(type: DataType & { name: 'DECIMAL' }, value: Big): string {
  const text = value.round(type.scale, Big.roundHalfUp).toFixed(type.scale)
  if (new Big(text).abs().gte(new Big(10).pow(type.precision - type.scale))) {
    throw new ModelRejection('ROW_REJECTED', 'DECIMAL overflow')
  }
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text
}

function integer(type: DataType, value: bigint): Value {
  assert(
    type.name === 'TINYINT' || type.name === 'SMALLINT' || type.name === 'INT' || type.name === 'BIGINT',
    `no arithmetic on ${type.name}`,
  )
  const [lowest, highest] = integerRange[type.name]
  if (value < lowest || value > highest) throw new ModelRejection('ROW_REJECTED', `${type.name} overflow`)
  return type.name === 'BIGINT' ? value : Number(value)
}

/** A bag, or a set if `distinct`; a retraction takes one equal element out for each that it carries. */
function collect(type: DataType, distinct: boolean, given: readonly Contribution[]): Value | null {
  assert(type.name === 'ARRAY', 'collect keeps an ARRAY')
  let bag: (Value | null)[] | undefined
  for (const { value, retract } of given) {
    if (retract && bag === undefined) continue
    bag ??= []
    for (const element of value as readonly (Value | null)[]) {
      const at = bag.findIndex((member) => equalValues(type.element, member, element))
      if (retract && at >= 0) bag.splice(at, 1)
      if (!retract && !(distinct && at >= 0)) bag.push(element)
    }
  }
  return bag ?? null
}

function listagg(rule: ModelFunction, given: readonly Contribution[]): Value | null {
  const list: string[] = []
  for (const { value } of given) {
    const entries = rule.distinct ? String(value).split(rule.delimiter) : [String(value)]
    for (const entry of entries) {
      if (entry.trim() !== '' && !(rule.distinct && list.includes(entry))) list.push(entry)
    }
  }
  return list.length === 0 ? null : list.join(rule.delimiter)
}
