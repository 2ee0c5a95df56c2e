import { must, unreachable } from '../../../src/assert.ts'
import type { AggregateRule, ColumnRule, MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import type { DataType } from '../../../src/row/data-type.ts'
import { quoteLiteral } from '../identifier.ts'
import type { Target } from '../target.ts'
import { anyValue, fieldsOf, type SequenceGate, type Side, sequenceGate } from './gate.ts'
import type { Operands } from './operands.ts'
import { columnAt } from './staged.ts'

/** What a merge makes of one column of a row that is there. */
export interface MergedColumn {
  readonly position: number
  readonly value: string
  /** When the change has any effect on the column; undefined: that is seen from other columns. */
  readonly takesEffect: string | undefined
}

/**
 * `partial-update` and `aggregation` column by column, as SQL (rules G3, G5, A1). Agrees with `apply` in src/merge, which
 * says why each function is as it is.
 */
export function mergedColumns(plan: MergePlan, target: Target, operands: Operands): readonly MergedColumn[] {
  return plan.rules.flatMap((rule, position) => {
    const merged = mergedColumn({ plan, target, operands, rule, position })
    return merged === undefined ? [] : [{ position, ...merged }]
  })
}

interface Column {
  readonly plan: MergePlan
  readonly target: Target
  readonly operands: Operands
  readonly rule: ColumnRule
  readonly position: number
}

type Merged = Omit<MergedColumn, 'position'> | undefined

function mergedColumn(column: Column): Merged {
  const { plan, operands, rule, position } = column
  if (rule.kind === 'key' || rule.kind === 'deleted-flag' || rule.kind === 'deleted-at') return undefined
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  switch (rule.kind) {
    case 'sequence':
      return mergedSequence(column, orderOf(plan, rule.group))
    case 'group-replace': {
      const order = orderOf(plan, rule.group)
      const says = operands.says(position, touches(column, order))
      return { value: choose(`${says} AND ${passes(column, order)}`, incoming, stored), takesEffect: undefined }
    }
    case 'overwrite':
      return rule.nulls
        ? sayingColumn(column)
        : { value: `COALESCE(${incoming}, ${stored})`, takesEffect: `${incoming} IS NOT NULL` }
    case 'own-sequence': {
      const owner = must(plan.rules[rule.of], 'a hidden column belongs to a declared one')
      if (owner.kind !== 'aggregate') return undefined
      const condition = ownSequenceCondition({ ...column, rule: owner, position: rule.of }, owner)
      return { value: choose(condition, incoming, stored), takesEffect: undefined }
    }
    case 'aggregate':
      return mergedAggregate(column, rule)
    case 'replace':
      return sayingColumn(column)
    default:
      return unreachable(rule)
  }
}

/** By arrival: what the change says, null included. */
function sayingColumn({ operands, position }: Column): Merged {
  const says = operands.says(position, 'TRUE')
  return { value: choose(says, operands.incoming(position), operands.stored(position)), takesEffect: says }
}

function mergedSequence(column: Column, order: Sequence): Merged {
  const { operands, position } = column
  const condition = and(touches(column, order), passes(column, order))
  return {
    value: choose(condition, operands.incoming(position), operands.stored(position)),
    takesEffect: order.columns[0] === position ? condition : undefined,
  }
}

function mergedAggregate(column: Column, rule: AggregateRule): Merged {
  const { plan, target, operands, position } = column
  const { type } = must(plan.columns[position], 'a stored column')
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  const given = `${incoming} IS NOT NULL`
  const ordered = rule.order !== 'arrival'
  switch (rule.function) {
    case 'sum':
      return { value: `COALESCE(${stored} + ${incoming}, ${stored}, ${incoming})`, takesEffect: given }
    case 'product':
      return { value: product(type, stored, incoming, operands.divides(position)), takesEffect: given }
    case 'max':
    case 'min': {
      const name = rule.function === 'max' ? 'GREATEST' : 'LEAST'
      const collation = columnAt(target, position).binding.collated ? ' COLLATE "C"' : ''
      return { value: `${name}(${stored}, ${incoming}${collation})`, takesEffect: given }
    }
    case 'bool_and':
    case 'bool_or': {
      const operator = rule.function === 'bool_and' ? 'AND' : 'OR'
      return { value: `COALESCE(${stored} ${operator} ${incoming}, ${stored}, ${incoming})`, takesEffect: given }
    }
    case 'listagg':
      return { value: listagg(rule, stored, incoming), takesEffect: given }
    case 'collect':
      return collect(column, rule)
    case 'last_value':
      return ordered ? lastValue(column, rule) : sayingColumn(column)
    case 'last_non_null_value':
      return ordered ? ownSequenced(column, rule) : lastNonNull(column)
    case 'first_value':
      return ordered ? ownSequenced(column, rule) : firstOfRow(column)
    case 'first_non_null_value':
      return ordered ? ownSequenced(column, rule) : { value: `COALESCE(${stored}, ${incoming})`, takesEffect: given }
    default:
      return unreachable(rule.function)
  }
}

function lastNonNull({ operands, position }: Column): Merged {
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  const says = operands.says(position, `${incoming} IS NOT NULL`)
  return { value: choose(says, incoming, stored), takesEffect: says }
}

/** The first record of a row is the one that makes it visible (rule A4). */
function firstOfRow({ plan, operands, position }: Column): Merged {
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  if (plan.deletedFlag === undefined) return undefined
  return { value: choose(operands.stored(plan.deletedFlag), incoming, stored), takesEffect: undefined }
}

/** In a group a retract clears the column however old it is. */
function lastValue(column: Column, rule: AggregateRule): Merged {
  const { plan, operands, position } = column
  const order = orderOf(plan, rule.group)
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  const says = operands.says(position, rule.group === undefined ? 'TRUE' : touches(column, order))
  const inOrder = passes(column, order)
  const cleared = rule.group === undefined ? undefined : operands.cleared(position)
  const value = choose(and(says, inOrder), incoming, stored)
  if (cleared === undefined) return { value, takesEffect: undefined }
  return {
    value: `CASE WHEN ${cleared} THEN ${choose(inOrder, incoming, 'NULL')} ELSE ${value} END`,
    takesEffect: cleared,
  }
}

/** The column and the sequence that it was set at move together. */
function ownSequenced(column: Column, rule: AggregateRule): Merged {
  const { operands, position } = column
  const condition = ownSequenceCondition(column, rule)
  return {
    value: choose(condition, operands.incoming(position), operands.stored(position)),
    takesEffect: condition,
  }
}

function ownSequenceCondition(column: Column, rule: AggregateRule): string {
  const { plan, operands, position } = column
  const order = orderOf(plan, rule.group)
  const gate = gateOf(column, order)
  const [stored, incoming] = [operands.stored(position), operands.incoming(position)]
  const storedAt: Side = (field) => operands.stored(ownColumn(rule, field))
  const incomingAt: Side = (field) => operands.incoming(ownColumn(rule, field))
  const unset = [stored, ...order.columns.map((_, field) => storedAt(field))]
    .map((sql) => `${sql} IS NULL`)
    .join(' AND ')
  if (rule.function === 'last_non_null_value') {
    const says = operands.says(position, `${incoming} IS NOT NULL`)
    const newest = gate.passes(storedAt, incomingAt)
    if (rule.group === undefined) return `${says} AND ((${unset}) OR ${newest})`
    const cleared = operands.cleared(position)
    return cleared === undefined ? and(says, newest) : `${says} AND (${cleared} OR ${incoming} IS NULL OR ${newest})`
  }
  const given =
    rule.function === 'first_value'
      ? `(${incoming} IS NOT NULL OR ${anyValue(order, incomingAt)})`
      : `${incoming} IS NOT NULL`
  // the stored one gives way only to one that is older than itself
  return `${operands.says(position, given)} AND ((${unset}) OR ${gate.newer(incomingAt, storedAt)})`
}

function ownColumn(rule: AggregateRule, field: number): number {
  return must(rule.ownSequence[field], 'a field of the own sequence for each of the order')
}

/** DECIMAL rounds half away from zero at the column's scale, integers are cut, NULL stays NULL under a division. */
function product(type: DataType, stored: string, incoming: string, divides: string | undefined): string {
  const multiplied =
    type.name === 'DECIMAL' ? `round(${stored} * ${incoming}, ${type.scale})` : exactProduct(type, stored, incoming)
  const first = divides === undefined ? incoming : `CASE WHEN NOT ${divides} THEN ${incoming} END`
  const division = divides === undefined ? '' : ` WHEN ${divides} THEN ${quotient(type, stored, incoming)}`
  return `CASE WHEN ${incoming} IS NULL THEN ${stored} WHEN ${stored} IS NULL THEN ${first}${division} ELSE ${multiplied} END`
}

function exactProduct(type: DataType, stored: string, incoming: string): string {
  return isFloating(type) ? `${stored} * ${incoming}` : `${stored}::numeric * ${incoming}::numeric`
}

/** numeric's own division rounds at a scale of its choice, and a second rounding would follow. */
function quotient(type: DataType, stored: string, incoming: string): string {
  if (isFloating(type)) return `${stored} / ${incoming}`
  if (type.name !== 'DECIMAL') return `div(${stored}::numeric, ${incoming}::numeric)`
  const scaled = `abs(${stored}) * 2${'0'.repeat(type.scale)}`
  const unit = type.scale === 0 ? '1' : `0.${'0'.repeat(type.scale - 1)}1`
  return `sign(${stored}) * sign(${incoming}) * div(${scaled} + abs(${incoming}), 2 * abs(${incoming})) * ${unit}`
}

function isFloating({ name }: DataType): boolean {
  return name === 'FLOAT' || name === 'DOUBLE'
}

function listagg({ delimiter, distinct }: AggregateRule, stored: string, incoming: string): string {
  const glue = quoteLiteral(delimiter)
  if (!distinct) return `COALESCE(${stored} || ${glue} || ${incoming}, ${stored}, ${incoming})`
  const known = `CASE ${stored} WHEN '' THEN ARRAY[''] ELSE string_to_array(${stored}, ${glue}) END`
  const added =
    `SELECT string_agg(e, ${glue} ORDER BY i) FROM unnest(string_to_array(${incoming}, ${glue})) WITH ORDINALITY AS u (e, i)` +
    ` WHERE e COLLATE "C" <> ALL (${known})`
  return (
    `CASE WHEN ${stored} IS NULL THEN ${incoming} WHEN ${incoming} IS NULL THEN ${stored}` +
    ` ELSE concat_ws(${glue}, ${stored}, NULLIF((${added}), '')) END`
  )
}

function collect({ operands, position }: Column, { distinct }: AggregateRule): Merged {
  const [stored, added] = [operands.stored(position), operands.incoming(position)]
  const says = operands.says(position, `${added} IS NOT NULL`)
  const takenOut = operands.takenOut(position)
  const rest =
    takenOut === undefined
      ? stored
      : `CASE WHEN cardinality(${takenOut}) > 0 THEN ${without(stored, takenOut, distinct)} ELSE ${stored} END`
  const both = distinct ? distinctElements(`${rest} || ${added}`) : `${rest} || ${added}`
  // an array without the elements that were taken out is an array still, be it empty
  const merged = takenOut === undefined ? both : `CASE WHEN ${added} IS NULL THEN ${rest} ELSE ${both} END`
  return {
    value: `CASE WHEN ${says} IS NOT TRUE THEN ${stored} WHEN ${stored} IS NULL THEN ${added} ELSE ${merged} END`,
    takesEffect: says,
  }
}

function distinctElements(array: string): string {
  return `ARRAY(SELECT e FROM unnest(${array}) WITH ORDINALITY AS u (e, i) GROUP BY e ORDER BY min(i))`
}

/** Of a set all equal elements go, of a bag one for each that is taken out. */
function without(array: string, takenOut: string, distinct: boolean): string {
  if (distinct) {
    return (
      `ARRAY(SELECT e FROM unnest(${array}) WITH ORDINALITY AS u (e, i)` +
      ` WHERE NOT EXISTS (SELECT FROM unnest(${takenOut}) AS r (e) WHERE r.e IS NOT DISTINCT FROM u.e) ORDER BY i)`
    )
  }
  return (
    'ARRAY(SELECT k.e FROM (SELECT e, i, row_number() OVER (PARTITION BY e ORDER BY i) AS n' +
    ` FROM unnest(${array}) WITH ORDINALITY AS u (e, i)) AS k` +
    ` LEFT JOIN (SELECT e, count(*) AS n FROM unnest(${takenOut}) AS u (e) GROUP BY e) AS r ON r.e IS NOT DISTINCT FROM k.e` +
    ' WHERE k.n > COALESCE(r.n, 0) ORDER BY k.i)'
  )
}

/** The sequence group with this index, or the row's sequence. */
function orderOf(plan: MergePlan, group: number | undefined): Sequence {
  return must(group === undefined ? plan.sequence : plan.groups[group], 'the plan has the order that a rule names')
}

function gateOf({ target }: Column, order: Sequence): SequenceGate {
  return sequenceGate(target, order)
}

function passes(column: Column, order: Sequence): string {
  const { operands } = column
  return gateOf(column, order).passes(fieldsOf(order, operands.stored), fieldsOf(order, operands.incoming))
}

/** The change says something about the order: a group that is all null is left alone, the row's sequence is not (rule G3). */
function touches({ plan, operands }: Column, order: Sequence): string {
  if (order !== plan.sequence) return anyValue(order, fieldsOf(order, operands.incoming))
  return operands.says(must(order.columns[0], 'a sequence has a column'), 'TRUE')
}

function choose(condition: string, yes: string, no: string): string {
  return condition === 'TRUE' ? yes : `CASE WHEN ${condition} THEN ${yes} ELSE ${no} END`
}

function and(...conditions: readonly string[]): string {
  return conditions.filter((condition) => condition !== 'TRUE').join(' AND ') || 'TRUE'
}
