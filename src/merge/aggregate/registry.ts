import { must } from '../../assert.ts'
import type { AggregateFunction, MergePlan, StoredColumn } from '../merge-plan.ts'
import { createSequenceOrder, type SequenceOrder } from '../sequence.ts'
import type { Aggregate, AggregateColumn } from './aggregate.ts'
import { createBoolAnd } from './bool-and.ts'
import { createBoolOr } from './bool-or.ts'
import { createCollect } from './collect.ts'
import { createFirstNonNullValue } from './first-non-null-value.ts'
import { createFirstValue } from './first-value.ts'
import { createLastNonNullValue } from './last-non-null-value.ts'
import { createLastValue } from './last-value.ts'
import { createListagg } from './listagg.ts'
import { createMax } from './max.ts'
import { createMin } from './min.ts'
import { createProduct } from './product.ts'
import { createSum } from './sum.ts'

const creators: Readonly<Record<AggregateFunction, (column: AggregateColumn) => Aggregate>> = {
  sum: createSum,
  product: createProduct,
  max: createMax,
  min: createMin,
  last_value: createLastValue,
  last_non_null_value: createLastNonNullValue,
  first_value: createFirstValue,
  first_non_null_value: createFirstNonNullValue,
  listagg: createListagg,
  bool_and: createBoolAnd,
  bool_or: createBoolOr,
  collect: createCollect,
}

/** The aggregate of a column whose rule is one. */
export function createAggregate(plan: MergePlan, position: number): Aggregate {
  const rule = must(plan.rules[position], `no rule for column ${position}`)
  if (rule.kind !== 'aggregate') throw new TypeError(`column ${position} is not aggregated`)
  return creators[rule.function]({
    position,
    column: plan.columns[position] as StoredColumn,
    rule,
    order: orderOf(plan, rule.order, rule.group),
  })
}

function orderOf(plan: MergePlan, order: string, group: number | undefined): SequenceOrder | undefined {
  if (order === 'arrival') return undefined
  const sequence = order === 'row-sequence' ? plan.sequence : plan.groups[group ?? -1]
  return createSequenceOrder(must(sequence, `the plan has no ${order}`), plan.columns)
}
