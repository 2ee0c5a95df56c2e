import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { deletedSince, deleteStatement, updateStatement } from './change-rows.ts'
import { carries, isComplete, isRemoval } from './change-shape.ts'
import { fieldsOf, type SequenceGate, type Side, sequenceGate } from './gate.ts'
import { insertStatement, onConflict, overwriteAssignments, readRow } from './insert.ts'
import { lockStatement } from './lock.ts'
import type { DirectRoute, MergeRoute, MissingOutcome, NamedStatement, TableStatements } from './route.ts'
import {
  columnAt,
  excludedValue,
  keysEqual,
  quotedName,
  StagedSet,
  type StagedStatement,
  storedValue,
} from './staged.ts'

/**
 * `deduplicate`. Whole rows, and deletes that leave a tombstone, are one atomic upsert with the gate in its WHERE; deletes
 * without a trace are one DELETE. Patches and deletes of a version look at what is stored.
 */
export function deduplicateStatements(plan: MergePlan, target: Target): TableStatements {
  if (plan.key.length === 0) return appendStatements(plan, target)
  const gates = plan.sequence !== undefined
  const whole = direct(wholeRows(plan, target, false), { countsStale: gates })
  const hasDefaults = target.columns.some(({ defaultSql }) => defaultSql !== undefined)
  const lacking = hasDefaults ? direct(wholeRows(plan, target, true), { countsStale: gates }) : whole
  const removal = direct(deleteByKey(plan, target), { removes: true })
  const merge = mergeRoute(plan, target)

  const route: TableStatements['route'] = (change) => {
    if (change.op === 'upsert') {
      if (isComplete(change, plan)) return whole
      return change.replace ? lacking : merge
    }
    if (change.op !== 'delete') return merge
    if (plan.deletedFlag === undefined) return gates && change.ungated !== true ? merge : removal
    return plan.deleteMode === 'soft' || change.ungated === true ? merge : whole
  }
  const removals: NamedStatement =
    plan.deletedFlag === undefined && !gates
      ? { purpose: 'deletes', statement: removal.statement }
      : { purpose: 'deletes that depend on the row', statement: removeExisting(plan, target) }
  const all: NamedStatement[] = [
    {
      purpose: plan.deletedFlag === undefined ? 'whole rows' : 'whole rows and tombstones',
      statement: whole.statement,
    },
    removals,
    { purpose: 'before a patch or a delete that depends on the row: lock', statement: merge.lock },
    { purpose: 'patches of rows that are there', statement: patchExisting(plan, target) },
    { purpose: 'patches of rows that are not there', statement: merge.insert },
  ]
  return { route, all }
}

function appendStatements(plan: MergePlan, target: Target): TableStatements {
  const statement = insertStatement(plan, target, {
    name: 'append',
    read: ({ row }, position) => row[position],
    isHidden: () => false,
    defaults: true,
    conflict: [],
  })
  const append = direct(statement, {})
  return { route: () => append, all: [{ purpose: 'rows', statement }] }
}

function direct(
  statement: StagedStatement,
  { removes = false, countsStale = false }: { readonly removes?: boolean; readonly countsStale?: boolean },
): DirectRoute {
  return { kind: 'direct', statement, removes: () => removes, countsStale }
}

function wholeRows(plan: MergePlan, target: Target, defaults: boolean): StagedStatement {
  return insertStatement(plan, target, {
    name: defaults ? 'rows with defaults' : 'rows',
    read: (change, position) => readRow(plan, change, position),
    isHidden: isRemoval,
    defaults,
    conflict: overwrite(plan, target),
  })
}

function overwrite(plan: MergePlan, target: Target): string[] {
  const conflict = onConflict(plan, target)
  const assignments = overwriteAssignments(plan, target)
  if (assignments.length === 0) return [`${conflict} DO NOTHING`]
  const update = `${conflict} DO UPDATE SET ${assignments.join(', ')}`
  const { sequence } = plan
  if (sequence === undefined) return [update]
  const gate = sequenceGate(target, sequence)
  const [stored, incoming] = [
    fieldsOf(sequence, (position) => storedValue(target, position)),
    fieldsOf(sequence, (position) => excludedValue(target, position)),
  ]
  const passes = gate.passes(stored, incoming)
  if (plan.deletedFlag === undefined || sequence.tie === 'last-arrival') return [update, `WHERE ${passes}`]
  // a delete at the same sequence deletes, whoever wins a tie of two rows (rule G1)
  const isDelete = excludedValue(target, plan.deletedFlag)
  return [update, `WHERE CASE WHEN ${isDelete} THEN ${gate.newerOrSame(stored, incoming)} ELSE ${passes} END`]
}

function deleteByKey(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const [first, second] = plan.key
  if (first !== undefined && second === undefined) {
    set.value(first)
    const { binding } = columnAt(target, first)
    const array = `$1::${binding.wire}[]${binding.cast === undefined ? '' : `::${binding.cast}[]`}`
    const text = `DELETE FROM ${quoteQualified(target.name)} AS t\nWHERE ${storedValue(target, first)} = ANY (${array})`
    return { name: 'delete', text, columns: set.columns }
  }
  return deleteStatement('delete', target, set, [keysEqual(target, plan.key, set)])
}

function mergeRoute(plan: MergePlan, target: Target): MergeRoute {
  return {
    kind: 'merge',
    lock: lockStatement(plan, target),
    existing: [
      { takes: isRemoval, statement: removeExisting(plan, target) },
      { takes: (change) => !isRemoval(change), statement: patchExisting(plan, target) },
    ],
    insert: insertStatement(plan, target, {
      name: 'insert',
      read: (change, position) => readRow(plan, change, position),
      isHidden: isRemoval,
      defaults: true,
      conflict: [`${onConflict(plan, target)} DO NOTHING`],
    }),
    missing: (change) => missingRow(plan, change),
    removes: (change) => plan.deletedFlag === undefined && isRemoval(change),
  }
}

/** A removal of no row leaves its sequence behind, where there is a tombstone to hold it (rule G2). */
function missingRow(plan: MergePlan, change: MergeChange): MissingOutcome {
  if (change.op === 'upsert') return 'insert'
  const { sequence } = plan
  const keeps = plan.deletedFlag !== undefined && sequence !== undefined
  return keeps && (carries(change, sequence) || (change.op === 'delete' && change.ungated !== true))
    ? 'insert'
    : 'nothing'
}

/** Columns that the change lacks stay; under a deleted row nothing is left that could stay. */
function patchExisting(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const conditions = [keysEqual(target, plan.key, set)]
  const { deletedFlag, sequence } = plan
  const assignments = otherColumns(plan).map((position) => {
    const name = quotedName(target, position)
    if (position === deletedFlag) return `${name} = FALSE`
    if (position === plan.deletedAt) return `${name} = NULL`
    if (sequence?.columns.includes(position) === true) return `${name} = ${set.value(position)}`
    const kept = storedValue(target, position)
    const whenDeleted = deletedFlag === undefined ? '' : ` WHEN ${storedValue(target, deletedFlag)} THEN NULL`
    return `${name} = CASE WHEN ${set.has(position)} THEN ${set.value(position)}${whenDeleted} ELSE ${kept} END`
  })
  if (sequence !== undefined) {
    const { gate, stored, incoming } = rowOrder(target, sequence, set)
    conditions.push(gate.passes(stored, incoming))
  }
  return updateStatement('patch', target, assignments, set, conditions)
}

/** Deletes that pass the gate or need not, and deletes of exactly the stored version (rules G1, G6, K2). */
function removeExisting(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const { deletedFlag, sequence } = plan
  const conditions = [keysEqual(target, plan.key, set), removes(plan, target, set)]
  if (deletedFlag === undefined) return deleteStatement('remove', target, set, conditions)
  const assignments = otherColumns(plan).flatMap((position) => {
    const name = quotedName(target, position)
    if (position === deletedFlag) return [`${name} = TRUE`]
    if (position === plan.deletedAt) return [`${name} = ${deletedSince(plan, target, position)}`]
    if (sequence?.columns.includes(position) === true) {
      return [`${name} = ${advancedField(target, sequence, set, position)}`]
    }
    return plan.deleteMode === 'soft' ? [] : [`${name} = NULL`]
  })
  return updateStatement('remove', target, assignments, set, conditions)
}

/** A delete leaves its sequence behind, unless what it deletes has a newer one (rules G2, G6). */
function advancedField(target: Target, sequence: Sequence, set: StagedSet, position: number): string {
  const { gate, stored, incoming } = rowOrder(target, sequence, set)
  const isNewer = `${carriesSequence(sequence, set)} AND ${gate.newer(stored, incoming)}`
  return `CASE WHEN ${isNewer} THEN ${set.value(position)} ELSE ${storedValue(target, position)} END`
}

function removes(plan: MergePlan, target: Target, set: StagedSet): string {
  const isVersion = set.flag('only this version?', ({ op }) => op === 'retract')
  const sameVersion = [...liveRow(plan, target), ...sameImage(plan, target, set)].join('\n    AND ') || 'TRUE'
  const { sequence } = plan
  if (sequence === undefined) return `(NOT ${isVersion} OR (${sameVersion}))`
  const { gate, stored, incoming } = rowOrder(target, sequence, set)
  const carried = carriesSequence(sequence, set)
  const ungated = set.flag('ungated?', (change) => change.ungated === true)
  return [
    'CASE',
    `  WHEN ${isVersion} AND ${carried} AND NOT (${gate.same(stored, incoming)}) THEN ${gate.newer(stored, incoming)}`,
    `  WHEN ${isVersion} THEN ${sameVersion}`,
    `  WHEN ${ungated} THEN TRUE`,
    `  ELSE ${gate.newerOrSame(stored, incoming)}`,
    'END',
  ].join('\n')
}

function carriesSequence(sequence: Sequence, set: StagedSet): string {
  return set.flag('has sequence?', (change) => carries(change, sequence))
}

interface RowOrder {
  readonly gate: SequenceGate
  readonly stored: Side
  readonly incoming: Side
}

function rowOrder(target: Target, sequence: Sequence, set: StagedSet): RowOrder {
  return {
    gate: sequenceGate(target, sequence),
    stored: fieldsOf(sequence, (position) => storedValue(target, position)),
    incoming: fieldsOf(sequence, (position) => set.value(position)),
  }
}

function liveRow({ deletedFlag }: MergePlan, target: Target): string[] {
  return deletedFlag === undefined ? [] : [`${storedValue(target, deletedFlag)} IS NOT TRUE`]
}

function sameImage(plan: MergePlan, target: Target, set: StagedSet): string[] {
  return otherColumns(plan)
    .filter((position) => position < plan.declaredCount)
    .map((position) => {
      const { comparedAs } = columnAt(target, position).binding
      const cast = comparedAs === undefined ? '' : `::${comparedAs}`
      const same = `${storedValue(target, position)}${cast} IS NOT DISTINCT FROM ${set.value(position)}${cast}`
      return `(NOT ${set.has(position)} OR ${same})`
    })
}

/** Every stored column outside the key. */
function otherColumns(plan: MergePlan): readonly number[] {
  return plan.columns.flatMap((_, position) => (plan.key.includes(position) ? [] : [position]))
}
