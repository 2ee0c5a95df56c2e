import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { carries, isComplete, isRemoval } from './change-shape.ts'
import { type SequenceGate, sequenceGate } from './gate.ts'
import { insertStatement, onConflict, readRow } from './insert.ts'
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
  const written = otherColumns(plan)
  const conflict = onConflict(plan, target)
  if (written.length === 0) return [`${conflict} DO NOTHING`]
  const assignments = written.map(
    (position) => `${quotedName(target, position)} = ${overwritten(plan, target, position)}`,
  )
  const update = `${conflict} DO UPDATE SET ${assignments.join(', ')}`
  const { sequence } = plan
  if (sequence === undefined) return [update]
  const gate = sequenceGate(target, sequence)
  const [stored, incoming] = [
    sideOf(sequence.columns, target, storedValue),
    sideOf(sequence.columns, target, excludedValue),
  ]
  const passes = gate.passes(stored, incoming)
  if (plan.deletedFlag === undefined || sequence.tie === 'last-arrival') return [update, `WHERE ${passes}`]
  // a delete at the same sequence deletes, whoever wins a tie of two rows (rule G1)
  const isDelete = excludedValue(target, plan.deletedFlag)
  return [update, `WHERE CASE WHEN ${isDelete} THEN ${gate.newerOrSame(stored, incoming)} ELSE ${passes} END`]
}

function overwritten(plan: MergePlan, target: Target, position: number): string {
  const value = excludedValue(target, position)
  if (position !== plan.deletedAt || plan.deletedFlag === undefined) return value
  // a tombstone keeps the time at which it became one
  const [wasDeleted, since] = [storedValue(target, plan.deletedFlag), storedValue(target, position)]
  return `CASE WHEN ${excludedValue(target, plan.deletedFlag)} AND ${wasDeleted} THEN COALESCE(${since}, ${value}) ELSE ${value} END`
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
  const keys = keysEqual(target, plan.key, set)
  const text = `DELETE FROM ${quoteQualified(target.name)} AS t\nUSING ${set.from()}\nWHERE ${keys}`
  return { name: 'delete', text, columns: set.columns }
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
    const gate = sequenceGate(target, sequence)
    conditions.push(gate.passes(sideOf(sequence.columns, target, storedValue), stagedSide(sequence.columns, set)))
  }
  return updateStatement('patch', target, assignments, set, conditions)
}

/** Deletes that pass the gate or need not, and deletes of exactly the stored version (rules G1, G6, K2). */
function removeExisting(plan: MergePlan, target: Target): StagedStatement {
  const set = new StagedSet(target)
  const { deletedFlag, sequence } = plan
  const gate = sequence === undefined ? undefined : sequenceGate(target, sequence)
  const stored = sideOf(sequence?.columns ?? [], target, storedValue)
  const incoming = stagedSide(sequence?.columns ?? [], set)
  const conditions = [keysEqual(target, plan.key, set), removes(plan, target, set, gate)]
  if (deletedFlag === undefined) {
    const text = [
      `DELETE FROM ${quoteQualified(target.name)} AS t`,
      `USING ${set.from()}`,
      `WHERE ${conditions.join('\n  AND ')}`,
    ]
    return { name: 'remove', text: text.join('\n'), columns: set.columns }
  }
  const assignments = otherColumns(plan).flatMap((position) => {
    const name = quotedName(target, position)
    if (position === deletedFlag) return [`${name} = TRUE`]
    if (position === plan.deletedAt) return [`${name} = ${sinceWhen(plan, target, position)}`]
    if (gate !== undefined && sequence?.columns.includes(position) === true) {
      const advanced = `${set.flag('has sequence?', (change) => carries(change, sequence))} AND ${gate.newer(stored, incoming)}`
      return [`${name} = CASE WHEN ${advanced} THEN ${set.value(position)} ELSE ${storedValue(target, position)} END`]
    }
    return plan.deleteMode === 'soft' ? [] : [`${name} = NULL`]
  })
  return updateStatement('remove', target, assignments, set, conditions)
}

/** When the row became a tombstone: a second delete does not make it younger. */
export function sinceWhen(plan: MergePlan, target: Target, position: number): string {
  const flag = plan.deletedFlag === undefined ? 'FALSE' : storedValue(target, plan.deletedFlag)
  return `CASE WHEN ${flag} THEN COALESCE(${storedValue(target, position)}, now()) ELSE now() END`
}

function removes(plan: MergePlan, target: Target, set: StagedSet, gate: SequenceGate | undefined): string {
  const isVersion = set.flag('only this version?', ({ op }) => op === 'retract')
  const sameVersion = [...liveRow(plan, target), ...sameImage(plan, target, set)].join('\n    AND ') || 'TRUE'
  const { sequence } = plan
  if (gate === undefined || sequence === undefined) return `(NOT ${isVersion} OR (${sameVersion}))`
  const stored = sideOf(sequence.columns, target, storedValue)
  const incoming = stagedSide(sequence.columns, set)
  const carried = set.flag('has sequence?', (change) => carries(change, sequence))
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

function updateStatement(
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

/** Every stored column outside the key. */
function otherColumns(plan: MergePlan): readonly number[] {
  return plan.columns.flatMap((_, position) => (plan.key.includes(position) ? [] : [position]))
}

function sideOf(
  columns: readonly number[],
  target: Target,
  side: (target: Target, position: number) => string,
): (field: number) => string {
  return (field) => side(target, columns[field] ?? -1)
}

function stagedSide(columns: readonly number[], set: StagedSet): (field: number) => string {
  return (field) => set.value(columns[field] ?? -1)
}
