import type { AggregateFunction, AggregateRule, MergePlan, Sequence } from './merge-plan.ts'
import { hasChanged, type MergeStep, reasonByOrder, reasonOlder } from './merge-step.ts'
import { createSequenceOrder } from './sequence.ts'

/** Why a contribution left an aggregated column as it was; undefined: it was taken. */
export function reasonAggregateKept(
  plan: MergePlan,
  step: MergeStep,
  position: number,
  rule: AggregateRule,
): string | undefined {
  if (step.stored === undefined) return undefined
  if ([position, ...rule.ownSequence].some((at) => hasChanged(plan, step, at))) return undefined
  const sequence = sequenceOf(plan, rule)
  switch (rule.function) {
    case 'last_value':
      return reasonOlder(plan, step, sequence)
    case 'last_non_null_value':
      return sequence && reasonByOrder(ownOrder(plan, step, rule, sequence), sequence)
    case 'first_value':
    case 'first_non_null_value':
      if (sequence === undefined) return 'already set'
      return ownOrder(plan, step, rule, sequence) > 0
        ? 'already set by an older sequence'
        : 'equal sequence keeps the first'
    default:
      return reasonUnmoved[rule.function]
  }
}

/** What it means that a value took part and changed nothing. */
const reasonUnmoved: Readonly<Partial<Record<AggregateFunction, string>>> = {
  max: 'not greater',
  min: 'not smaller',
  bool_and: 'it was false already, or true changes nothing',
  bool_or: 'it was true already, or false changes nothing',
  listagg: 'already in the list',
  collect: 'nothing to add or take out',
  product: 'nothing to multiply or divide',
}

function sequenceOf(plan: MergePlan, rule: AggregateRule): Sequence | undefined {
  if (rule.order === 'arrival') return undefined
  return rule.group === undefined ? plan.sequence : plan.groups[rule.group]
}

/** Order of the record to the sequence that the column keeps; newer if it brought none, as a retract of a group. */
function ownOrder(plan: MergePlan, { stored, change }: MergeStep, rule: AggregateRule, sequence: Sequence): number {
  const [first] = rule.ownSequence
  if (stored === undefined || first === undefined || change.row[first] === undefined) return 1
  return createSequenceOrder(sequence, plan.columns).compareAt(change.row, rule.ownSequence, stored, rule.ownSequence)
}
