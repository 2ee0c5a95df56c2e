import { must } from '../../../src/assert.ts'
import type { Contribution, MergeChange } from '../../../src/merge/merge-change.ts'
import type { AggregateRule, MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { initialValue, isCleared, isCollectDelta, isProductStep } from './change-shape.ts'
import { anyValue, type Side, sequenceGate } from './gate.ts'
import { insertStatement, onConflict } from './insert.ts'
import { lockStatement } from './lock.ts'
import { fieldsOf, type MergedColumn, mergedColumns } from './merged-value.ts'
import { excludedOperands, type Operands, stagedOperands } from './operands.ts'
import type { DirectRoute, ExistingStatement, MergeRoute, MissingOutcome, TableStatements } from './route.ts'
import { excludedValue, keysEqual, quotedName, StagedSet, type StagedStatement, storedValue } from './staged.ts'

/**
 * `partial-update` and `aggregation`. A change that lacks nothing is one atomic upsert; patches, retracts and removals
 * that look at sequences go to rows that are locked first.
 */
export function columnwiseStatements(plan: MergePlan, target: Target): TableStatements {
  const upsert = direct('merge rows', upsertStatement(plan, target), { countsStale: true })
  const put = direct('replace rows', replaceStatement(plan, target), {})
  const removal = direct('remove rows', plainRemoval(plan, target), { removes: !leavesTombstone(plan) })
  const merge = mergeRoute(plan, target)
  const byArrival = removalKind(plan) === 'arrival'

  return {
    route(change) {
      if (change.op === 'delete' && byArrival) return removal
      if (change.replace) return put
      return change.op === 'upsert' && lacksNothing(plan, target, change) ? upsert : merge
    },
    all: [
      { purpose: 'changes that lack nothing', statement: upsert.statement },
      ...(byArrival && plan.removeRecordOnDelete ? [{ purpose: 'deletes', statement: removal.statement }] : []),
      { purpose: 'before a patch, a retract or a delete: lock', statement: merge.lock },
      ...merge.existing.map(({ statement }) => ({ purpose: `rows that are there: ${statement.name}`, statement })),
      { purpose: 'rows that are not there', statement: merge.insert },
    ],
  }
}

function direct(
  name: string,
  statement: StagedStatement,
  { removes = false, countsStale = false }: { readonly removes?: boolean; readonly countsStale?: boolean },
): DirectRoute {
  return { kind: 'direct', statement: { ...statement, name }, removes: () => removes, countsStale }
}

/** By what a `-D` removes rows; see `createRowRemoval` in src/merge. */
function removalKind(plan: MergePlan): 'arrival' | 'group' | 'sequence' {
  if (plan.groups.some(({ removesRecord }) => removesRecord)) return 'group'
  return plan.removeRecordOnDelete && plan.sequence !== undefined ? 'sequence' : 'arrival'
}

function leavesTombstone(plan: MergePlan): boolean {
  return plan.deletedFlag !== undefined && plan.deleteMode !== 'hard'
}

function isRetract({ op }: MergeChange): boolean {
  return op !== 'upsert'
}

/** New row from the change alone, or the row that is there merged with it, in one statement. */
function upsertStatement(plan: MergePlan, target: Target): StagedStatement {
  const operands = excludedOperands(target)
  const columns = mergedColumns(plan, target, operands)
  const assignments = assignmentsOf(plan, target, operands, columns)
  const conflict = onConflict(plan, target)
  return insertStatement(plan, target, {
    name: '',
    read: ({ row }, position) => initialValue(row[position]),
    isHidden: isRetract,
    defaults: false,
    conflict:
      assignments.length === 0
        ? [`${conflict} DO NOTHING`]
        : [`${conflict} DO UPDATE SET`, `  ${assignments.join(',\n  ')}`, `WHERE ${effect(plan, target, columns)}`],
  })
}

/** The row starts from nothing: a delete came before in the same flush. */
function replaceStatement(plan: MergePlan, target: Target): StagedStatement {
  return insertStatement(plan, target, {
    name: '',
    read: ({ row }, position) => initialValue(row[position]),
    isHidden: isRetract,
    defaults: true,
    conflict: overwriteAll(plan, target),
  })
}

/** Removes whatever is there: for good, or down to its key. */
function plainRemoval(plan: MergePlan, target: Target): StagedStatement {
  if (!leavesTombstone(plan)) {
    const set = new StagedSet(target)
    const keys = keysEqual(target, plan.key, set)
    const text = `DELETE FROM ${quoteQualified(target.name)} AS t\nUSING ${set.from()}\nWHERE ${keys}`
    return { name: '', text, columns: set.columns }
  }
  return insertStatement(plan, target, {
    name: '',
    read: ({ row }, position) => (plan.key.includes(position) ? row[position] : null),
    isHidden: () => true,
    defaults: false,
    conflict: overwriteAll(plan, target),
  })
}

function overwriteAll(plan: MergePlan, target: Target): string[] {
  const conflict = onConflict(plan, target)
  const assignments = plan.columns.flatMap((_, position) => {
    if (plan.key.includes(position)) return []
    const value =
      position === plan.deletedAt
        ? keptSince(plan, target, excludedValue(target, position))
        : excludedValue(target, position)
    return [`${quotedName(target, position)} = ${value}`]
  })
  return [assignments.length === 0 ? `${conflict} DO NOTHING` : `${conflict} DO UPDATE SET ${assignments.join(', ')}`]
}

/** A tombstone keeps the time at which it became one. */
function keptSince(plan: MergePlan, target: Target, value: string): string {
  const { deletedFlag, deletedAt } = plan
  if (deletedFlag === undefined || deletedAt === undefined) return value
  const both = `${excludedValue(target, deletedFlag)} AND ${storedValue(target, deletedFlag)}`
  return `CASE WHEN ${both} THEN COALESCE(${storedValue(target, deletedAt)}, ${value}) ELSE ${value} END`
}

function mergeRoute(plan: MergePlan, target: Target): MergeRoute {
  return {
    kind: 'merge',
    lock: lockStatement(plan, target),
    existing: existingStatements(plan, target),
    insert: insertStatement(plan, target, {
      name: 'insert',
      read: (change, position) =>
        change.op === 'delete' ? removedValue(plan, change, position) : initialValue(change.row[position]),
      isHidden: isRetract,
      defaults: true,
      conflict: [`${onConflict(plan, target)} DO NOTHING`],
    }),
    missing: (change) => missingRow(plan, change),
    removes: ({ op }) => op === 'delete' && !leavesTombstone(plan),
  }
}

function existingStatements(plan: MergePlan, target: Target): readonly ExistingStatement[] {
  const isDelete = ({ op }: MergeChange): boolean => op === 'delete'
  const merge = (takes: ExistingStatement['takes']): ExistingStatement[] => {
    const statement = mergeStatement(plan, target)
    return statement === undefined ? [] : [{ takes, statement }]
  }
  switch (removalKind(plan)) {
    case 'arrival':
      return merge(() => true)
    case 'group':
      // a `-D` that is older than every group that removes is a retract like any other
      return [{ takes: isDelete, statement: removeHits(plan, target) }, ...merge(() => true)]
    case 'sequence':
      return [
        { takes: isDelete, statement: removeHits(plan, target) },
        { takes: isDelete, statement: clearOlder(plan, target) },
        ...merge((change) => !isDelete(change)),
      ]
  }
}

function mergeStatement(plan: MergePlan, target: Target): StagedStatement | undefined {
  const set = mergeSet(target)
  const keys = keysEqual(target, plan.key, set)
  const operands = stagedOperands(target, set)
  const columns = mergedColumns(plan, target, operands)
  const assignments = assignmentsOf(plan, target, operands, columns)
  if (assignments.length === 0) return undefined
  const conditions = [keys, `(${effect(plan, target, columns)})`]
  if (removalKind(plan) === 'group') conditions.push(`(${isDeleteFlag(set)} AND ${hit(plan, target, set)}) IS NOT TRUE`)
  return update('merge', target, assignments, set, conditions)
}

/** Operands of the functions: the factor or divisor of a product, the elements that come into a collection. */
function mergeSet(target: Target): StagedSet {
  return new StagedSet(target, ({ row }, position) => {
    const contribution = row[position]
    if (isProductStep(contribution)) return contribution.by
    return isCollectDelta(contribution) ? contribution.add : initialValue(contribution)
  })
}

function assignmentsOf(
  plan: MergePlan,
  target: Target,
  operands: Operands,
  columns: readonly MergedColumn[],
): readonly string[] {
  const assignments = columns.map(({ position, value }) => `${quotedName(target, position)} = ${value}`)
  const { deletedFlag, deletedAt } = plan
  if (deletedFlag === undefined) return assignments
  const shown = revives(plan, target, operands)
  const hidden = shown === 'TRUE' ? 'FALSE' : `${storedValue(target, deletedFlag)} IS TRUE AND (${shown}) IS NOT TRUE`
  assignments.push(`${quotedName(target, deletedFlag)} = (${hidden})`)
  if (deletedAt !== undefined) {
    assignments.push(
      `${quotedName(target, deletedAt)} = CASE WHEN ${hidden} THEN ${storedValue(target, deletedAt)} END`,
    )
  }
  return assignments
}

/** An added record makes the row visible, unless it is older than what removed the row. */
function revives(plan: MergePlan, target: Target, operands: Operands): string {
  const adds = operands.adds === undefined ? [] : [operands.adds]
  const leads = removalOrders(plan).map((order) => {
    const [stored, incoming] = [fieldsOf(order, operands.stored), fieldsOf(order, operands.incoming)]
    const passes = sequenceGate(target, order).passes(stored, incoming)
    return order === plan.sequence ? passes : `(NOT ${anyValue(order, incoming)} OR ${passes})`
  })
  return [...adds, ...leads].join(' AND ') || 'TRUE'
}

/** The sequences that decide whether a row is removed. */
function removalOrders(plan: MergePlan): readonly Sequence[] {
  switch (removalKind(plan)) {
    case 'arrival':
      return []
    case 'group':
      return plan.groups.filter(({ removesRecord }) => removesRecord)
    case 'sequence':
      return [must(plan.sequence, 'removal by sequence has one')]
  }
}

/** Rows on which the change has no effect are not rewritten. */
function effect(plan: MergePlan, target: Target, columns: readonly MergedColumn[]): string {
  const effects = columns.flatMap(({ takesEffect }) => (takesEffect === undefined ? [] : [takesEffect]))
  if (plan.deletedFlag !== undefined) effects.push(storedValue(target, plan.deletedFlag))
  return [...new Set(effects)].map((one) => (one.includes(' AND ') ? `(${one})` : one)).join(' OR ') || 'FALSE'
}

function isDeleteFlag(set: StagedSet): string {
  return set.flag('delete?', ({ op }) => op === 'delete')
}

/** The `-D` is not older than what it removes. */
function hit(plan: MergePlan, target: Target, set: StagedSet): string {
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

function removeHits(plan: MergePlan, target: Target): StagedStatement {
  const set = mergeSet(target)
  const conditions = [keysEqual(target, plan.key, set), hit(plan, target, set)]
  if (!leavesTombstone(plan)) {
    const text = [
      `DELETE FROM ${quoteQualified(target.name)} AS t`,
      `USING ${set.from()}`,
      `WHERE ${conditions.join('\n  AND ')}`,
    ]
    return { name: 'remove', text: text.join('\n'), columns: set.columns }
  }
  const assignments = plan.columns.flatMap((_, position) => {
    if (plan.key.includes(position)) return []
    return [`${quotedName(target, position)} = ${entombed(plan, target, set, position)}`]
  })
  return update('remove', target, assignments, set, conditions)
}

/** What a removal leaves of a column: its sequences go on, everything else is gone (rule G2). */
function entombed(plan: MergePlan, target: Target, set: StagedSet, position: number): string {
  if (position === plan.deletedFlag) return 'TRUE'
  const stored = storedValue(target, position)
  if (position === plan.deletedAt && plan.deletedFlag !== undefined) {
    return `CASE WHEN ${storedValue(target, plan.deletedFlag)} THEN COALESCE(${stored}, now()) ELSE now() END`
  }
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
function clearOlder(plan: MergePlan, target: Target): StagedStatement {
  const set = mergeSet(target)
  const order = must(plan.sequence, 'removal by sequence has one')
  const incoming = fieldsOf(order, (position) => set.value(position))
  const gate = sequenceGate(target, order)
  const cleared: string[] = []
  const assignments = plan.rules.flatMap((rule, position) => {
    if (!isClearable(rule)) return []
    const own: Side = (field) => storedValue(target, must(rule.ownSequence[field], 'a field of the own sequence'))
    const older = `(${gate.newer(incoming, own)}) IS NOT TRUE`
    cleared.push(older)
    const kept = (at: number): string => `${quotedName(target, at)} = CASE WHEN ${older} THEN`
    return [
      `${kept(position)} NULL ELSE ${storedValue(target, position)} END`,
      ...rule.ownSequence.map((at, field) => `${kept(at)} ${incoming(field)} ELSE ${storedValue(target, at)} END`),
    ]
  })
  const [
    anything = `${quotedName(target, must(order.columns[0], 'a sequence has a column'))} = ${storedValue(target, must(order.columns[0], 'a sequence has a column'))}`,
  ] = assignments
  const conditions = [
    keysEqual(target, plan.key, set),
    `${hit(plan, target, set)} IS NOT TRUE`,
    cleared.length === 0 ? 'FALSE' : `(${cleared.join(' OR ')})`,
  ]
  return update('clear older', target, assignments.length === 0 ? [anything] : assignments, set, conditions)
}

function update(
  name: string,
  target: Target,
  assignments: readonly string[],
  set: StagedSet,
  conditions: readonly string[],
): StagedStatement {
  const text = [
    `UPDATE ${quoteQualified(target.name)} AS t SET`,
    `  ${assignments.join(',\n  ')}`,
    `FROM ${set.from()}`,
    `WHERE ${conditions.join('\n  AND ')}`,
  ]
  return { name, text: text.join('\n'), columns: set.columns }
}

/** What a tombstone holds that is made where no row was. */
function removedValue(plan: MergePlan, { row }: MergeChange, position: number): Contribution {
  if (plan.key.includes(position)) return row[position]
  if (removalKind(plan) === 'sequence') {
    const field = removalField(plan, position)
    return field === undefined ? null : (row[plan.sequence?.columns[field] ?? -1] ?? null)
  }
  const rule = plan.rules[position]
  return rule?.kind === 'sequence' && rule.group !== undefined ? (row[position] ?? null) : null
}

function missingRow(plan: MergePlan, { op, ungated }: MergeChange): MissingOutcome {
  if (op === 'upsert') return 'insert'
  if (op === 'delete') return leavesTombstone(plan) && ungated !== true ? 'insert' : 'nothing'
  return plan.deletedFlag === undefined ? 'rejected' : 'insert'
}

/** Everything that the upsert has to know can be seen from the values themselves. */
function lacksNothing(plan: MergePlan, target: Target, { row }: MergeChange): boolean {
  return plan.rules.every((rule, position) => {
    const contribution = row[position]
    const column = must(target.columns[position], 'a stored column')
    if (contribution === undefined || contribution === null) {
      const isOurs = position === plan.deletedFlag || position === plan.deletedAt
      if (!isOurs && (column.notNull || column.defaultSql !== undefined)) return false
    }
    switch (rule.kind) {
      case 'group-replace':
        return contribution !== undefined || !touchesGroup(plan, rule.group, row)
      case 'overwrite':
        return !rule.nulls || contribution !== undefined
      case 'aggregate':
        return isPlainContribution(plan, rule, contribution, row)
      default:
        return true
    }
  })
}

function isPlainContribution(
  plan: MergePlan,
  rule: AggregateRule,
  contribution: Contribution,
  row: MergeChange['row'],
): boolean {
  if (isCleared(contribution)) return false
  if (isProductStep(contribution)) return contribution.product === 'multiply'
  if (isCollectDelta(contribution)) return contribution.add !== undefined && contribution.remove.length === 0
  switch (rule.function) {
    case 'last_non_null_value':
      return contribution !== null
    case 'last_value':
      return contribution !== undefined || (rule.group !== undefined && !touchesGroup(plan, rule.group, row))
    default:
      return true
  }
}

function touchesGroup(plan: MergePlan, group: number, row: MergeChange['row']): boolean {
  const [first] = must(plan.groups[group], 'a group of the plan').columns
  return first !== undefined && row[first] !== undefined
}
