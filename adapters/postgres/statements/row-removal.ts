import { must } from '../../../src/assert.ts'
import type { Contribution, MergeChange } from '../../../src/merge/merge-change.ts'
import type { AggregateRule, MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { deletedSince, deleteStatement, updateStatement } from './change-rows.ts'
import { anyValue, fieldsOf, type Side, sequenceGate } from './gate.ts'
import { insertStatement, overwriteConflict } from './insert.ts'
import { mergeSet } from './operands.ts'
import { keysEqual, quotedName, StagedSet, type StagedStatement, storedValue } from './staged.ts'

/** By what a `-D` removes rows; see `createRowRemoval` in src/merge. */
export function removalKind(plan: MergePlan): 'arrival' | 'group' | 'sequence' {
  if (plan.groups.some(({ removesRecord }) => removesRecord)) return 'group'
  return plan.removeRecordOnDelete && plan.sequence !== undefined ? 'sequence' : 'arrival'
}

/** A removed row stays as a tombstone, which readers do not see. */
export function leavesTombstone(plan: MergePlan): boolean {
  return plan.deletedFlag !== undefined && plan.deleteMode !== 'hard'
}

/** Removes whatever is there: for good, or down to its key. */
export function plainRemoval(plan: MergePlan, target: Target): StagedStatement {
  if (!leavesTombstone(plan)) {
    const set = new StagedSet(target)
    return deleteStatement('', target, set, [keysEqual(target, plan.key, set)])
  }
  return insertStatement(plan, target, {
    name: '',
    read: ({ row }, position) => (plan.key.includes(position) ? row[position] : null),
    isHidden: () => true,
    defaults: false,
    conflict: overwriteConflict(plan, target),
  })
}

/** The sequences that decide whether a row is removed. */
export function removalOrders(plan: MergePlan): readonly Sequence[] {
  switch (removalKind(plan)) {
    case 'arrival':
      return []
    case 'group':
      return plan.groups.filter(({ removesRecord }) => removesRecord)
    case 'sequence':
      return [must(plan.sequence, 'removal by sequence has one')]
  }
}

/** The `-D` is not older than what it removes. */
export function hit(plan: MergePlan, target: Target, set: StagedSet): string {
  const decided = removalOrders(plan).map((order) => {
    const incoming = fieldsOf(order, (position) => set.value(position))
    const notOlder = sequenceGate(target, order).newerOrSame(storedSide(target, order), incoming)
    return order === plan.sequence ? notOlder : `(${anyValue(order, incoming)} AND ${notOlder})`
  })
  if (removalKind(plan) === 'sequence') decided.unshift(set.flag('ungated?', ({ ungated }) => ungated === true))
  return `(${decided.join(' OR ')})`
}

function storedSide(target: Target, order: Sequence): Side {
  return fieldsOf(order, (position) => storedValue(target, position))
}

/** Removes the rows whose `-D` is not older than they are. */
export function removeHits(plan: MergePlan, target: Target): StagedStatement {
  const set = mergeSet(target)
  const conditions = [keysEqual(target, plan.key, set), hit(plan, target, set)]
  if (!leavesTombstone(plan)) return deleteStatement('remove', target, set, conditions)
  const assignments = plan.columns.flatMap((_, position) => {
    if (plan.key.includes(position)) return []
    return [`${quotedName(target, position)} = ${entombed(plan, target, set, position)}`]
  })
  return updateStatement('remove', target, assignments, set, conditions)
}

/** What a removal leaves of a column: its sequences go on, everything else is gone (rule G2). */
function entombed(plan: MergePlan, target: Target, set: StagedSet, position: number): string {
  if (position === plan.deletedFlag) return 'TRUE'
  if (position === plan.deletedAt) return deletedSince(plan, target, position)
  const stored = storedValue(target, position)
  const rule = must(plan.rules[position], 'a rule a column')
  if (removalKind(plan) === 'sequence') {
    const field = removalField(plan, position)
    if (field === undefined) return 'NULL'
    const ungated = set.flag('ungated?', (change) => change.ungated === true)
    const sequence = must(plan.sequence, 'removal by sequence has one')
    const at = must(sequence.columns[field], 'a field of the sequence')
    return `CASE WHEN ${ungated} THEN ${storedValue(target, at)} ELSE ${set.value(at)} END`
  }
  if (rule.kind !== 'sequence') return 'NULL'
  if (rule.group === undefined) return stored
  const order = must(plan.groups[rule.group], 'a group of the plan')
  const newer = sequenceGate(target, order).newer(
    storedSide(target, order),
    fieldsOf(order, (at) => set.value(at)),
  )
  return `CASE WHEN ${newer} THEN ${set.value(position)} ELSE ${stored} END`
}

/** Which field of the row's sequence a column holds after a removal, be it as its own sequence. */
function removalField(plan: MergePlan, position: number): number | undefined {
  const field = plan.sequence?.columns.indexOf(position) ?? -1
  if (field >= 0) return field
  const rule = plan.rules[position]
  if (rule?.kind !== 'own-sequence') return undefined
  return isClearable(plan.rules[rule.of]) ? rule.field : undefined
}

/** Columns that go by the newest sequence and keep it. */
function isClearable(rule: MergePlan['rules'][number] | undefined): rule is AggregateRule {
  return rule?.kind === 'aggregate' && rule.function === 'last_non_null_value' && rule.order === 'row-sequence'
}

/** A `-D` that comes too late for the row still clears the columns that were set before it. */
export function clearOlder(plan: MergePlan, target: Target): StagedStatement | undefined {
  const set = mergeSet(target)
  const keys = keysEqual(target, plan.key, set)
  const order = must(plan.sequence, 'removal by sequence has one')
  const incoming = fieldsOf(order, (position) => set.value(position))
  const gate = sequenceGate(target, order)
  const outdated: string[] = []
  const assignments = plan.rules.flatMap((rule, position) => {
    if (!isClearable(rule)) return []
    const own: Side = (field) => storedValue(target, must(rule.ownSequence[field], 'a field of the own sequence'))
    const isOutdated = `(${gate.newer(incoming, own)}) IS NOT TRUE`
    outdated.push(isOutdated)
    const assign = (at: number, value: string): string =>
      `${quotedName(target, at)} = CASE WHEN ${isOutdated} THEN ${value} ELSE ${storedValue(target, at)} END`
    return [assign(position, 'NULL'), ...rule.ownSequence.map((at, field) => assign(at, incoming(field)))]
  })
  if (outdated.length === 0) return undefined
  const conditions = [keys, `${hit(plan, target, set)} IS NOT TRUE`, `(${outdated.join(' OR ')})`]
  return updateStatement('clear older', target, assignments, set, conditions)
}

/** What a tombstone holds that is made where no row was. */
export function removedValue(plan: MergePlan, { row }: MergeChange, position: number): Contribution {
  if (plan.key.includes(position)) return row[position]
  if (removalKind(plan) === 'sequence') {
    const field = removalField(plan, position)
    return field === undefined ? null : (row[plan.sequence?.columns[field] ?? -1] ?? null)
  }
  const rule = plan.rules[position]
  return rule?.kind === 'sequence' && rule.group !== undefined ? (row[position] ?? null) : null
}
