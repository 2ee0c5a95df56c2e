import { must } from '../../../src/assert.ts'
import type { AggregateRule, MergePlan } from '../../../src/merge/merge-plan.ts'
import { type DataType, formatDataType, integerRange } from '../../../src/row/data-type.ts'
import { comparisonOf, namesAt, quoted, quotedList, type SequenceText } from './painless.ts'
import { faultMark } from './tombstone.ts'

interface Column {
  /** Its name as a constant. */
  readonly name: string
  readonly label: string
  readonly type: DataType
}

/** The order of the column's group or row; `inOrder` is the variable that tells whether the change is not older. */
export interface AggregateOrder extends SequenceText {
  readonly inOrder: string
}

/**
 * Statements that merge a contribution in `row` into `source` (src/merge/aggregate/*.ts). `order`: undefined by
 * arrival. `fresh` is a variable of the script.
 */
export function aggregateText(
  plan: MergePlan,
  position: number,
  rule: AggregateRule,
  order: AggregateOrder | undefined,
): string {
  const { name: label, type } = must(plan.columns[position], 'a stored column')
  const column = { name: quoted(label), label, type }
  const own = namesAt(plan, rule.ownSequence)
  if (rule.function === 'first_value' && order === undefined) {
    return `if (fresh) { source.put(${column.name}, row.get(${column.name})); }`
  }
  const body =
    order !== undefined && own.length > 0
      ? ownSequenceText(column, rule, order, own)
      : order !== undefined && rule.function === 'last_value'
        ? lastValueText(column, order.inOrder)
        : valueText(column, rule)
  return `if (row.containsKey(${column.name})) {\ndef given = row.get(${column.name});\ndef known = source.get(${column.name});\n${body}\n}`
}

/** `params.cleared` names columns that a retract has cleared in the same change, whatever its sequence. */
function isCleared({ name }: Column): string {
  return `(params.cleared != null && params.cleared.contains(${name}))`
}

/** In a sequence group or by the row's sequence, as `inOrder` tells. */
function lastValueText(column: Column, inOrder: string): string {
  return `if (${inOrder}) { source.put(${column.name}, given); } else if (${isCleared(column)}) { source.put(${column.name}, null); }`
}

function ownSequenceText(column: Column, rule: AggregateRule, order: SequenceText, own: readonly string[]): string {
  const list = quotedList(own)
  const comparison = order.compare('row', 'source', own, own)
  const take = `source.put(${column.name}, given); copyAll(source, ${list}, row, ${list});`
  const unset = `known == null && allNull(source, ${list})`
  if (rule.function !== 'last_non_null_value') return `if ((${unset}) || ${comparison} < 0) { ${take} }`
  if (rule.order === 'row-sequence') return `if ((${unset}) || ${order.passes(comparison)}) { ${take} }`
  const clear = `for (String field : ${list}) { source.put(field, null); }`
  return `if (given == null) { source.put(${column.name}, null); ${clear} } else if (${isCleared(column)} || ${order.passes(comparison)}) { ${take} }`
}

/** Functions of the column's own value alone. */
function valueText(column: Column, rule: AggregateRule): string {
  const put = (value: string): string => `source.put(${column.name}, ${value});`
  switch (rule.function) {
    case 'last_value':
    case 'last_non_null_value':
    case 'first_value':
      return put('given')
    case 'first_non_null_value':
      return `if (known == null) { ${put('given')} }`
    case 'max':
    case 'min': {
      const sign = rule.function === 'max' ? '>' : '<'
      const kind = quoted(comparisonOf(column.type))
      return `if (known == null || compareValues(${kind}, given, known) ${sign} 0) { ${put('given')} }`
    }
    case 'bool_and':
      return put('known != false && given == true')
    case 'bool_or':
      return put('known == true || given == true')
    case 'sum':
      return `if (known == null) { known = 0; }\n${put(sumText(column))}`
    case 'product':
      return productText(column)
    case 'listagg':
      return put(`known == null ? given : joined(known, given, ${quoted(rule.delimiter)}, ${rule.distinct})`)
    case 'collect':
      return [
        'def added = given.added;',
        `if (known == null) { ${put('added')} }`,
        `else { List rest = bagWithout(known, given.removed, ${rule.distinct}); ${put(`added == null ? rest : bagWith(rest, added, ${rule.distinct})`)} }`,
      ].join('\n')
  }
}

function sumText(column: Column): string {
  const fault = `the sum leaves the range of ${formatDataType(column.type)}`
  return checked(column, { whole: 'add', exact: 'decimalOf(known).add(decimalOf(given))', float: '+' }, fault, 'given')
}

function productText(column: Column): string {
  const fault = `the product leaves the range of ${formatDataType(column.type)}`
  const scale = column.type.name === 'DECIMAL' ? column.type.scale : 0
  const multiplied = checked(
    column,
    { whole: 'multiply', exact: 'decimalOf(known).multiply(decimalOf(by))', float: '*' },
    fault,
    'by',
  )
  const divided = checked(
    column,
    { whole: 'divide', exact: `quotient(decimalOf(known), decimalOf(by), ${scale})`, float: '/' },
    fault,
    'by',
  )
  const zero = quoted(`${faultMark}${column.label}: a retract would divide the product by zero`)
  return [
    'def by = given.by;',
    'boolean divides = given.divides == true;',
    `if (known == null) { source.put(${column.name}, divides ? null : by); }`,
    `else if (!divides) { source.put(${column.name}, ${multiplied}); }`,
    `else { if (decimalOf(by).signum() == 0) { throw new IllegalArgumentException(${zero}); } source.put(${column.name}, ${divided}); }`,
  ].join('\n')
}

/** An expression of the column's type, which throws if the result leaves its range. */
function checked(
  { type, label }: Column,
  operation: { readonly whole: string; readonly exact: string; readonly float: string },
  reason: string,
  operand: string,
): string {
  const fault = quoted(`${faultMark}${label}: ${reason}`)
  switch (type.name) {
    case 'FLOAT':
    case 'DOUBLE':
      return `floatValue(floatOf(known) ${operation.float} floatOf(${operand}), ${type.name === 'FLOAT'})`
    case 'DECIMAL':
      return `inPrecision(${operation.exact}, ${type.precision}, ${type.scale}, ${fault})`
    default: {
      const [low, high] = integerRange[type.name as keyof typeof integerRange]
      const range = type.name === 'BIGINT' ? 'Long.MIN_VALUE, Long.MAX_VALUE' : `${low}L, ${high}L`
      const value = `BigInteger.valueOf(wholeOf(known)).${operation.whole}(BigInteger.valueOf(wholeOf(${operand})))`
      return `inRange(${value}, ${range}, ${fault})`
    }
  }
}
