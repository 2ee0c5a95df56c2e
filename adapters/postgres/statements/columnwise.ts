import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { updateStatement } from './change-rows.ts'
import { initialValue } from './change-shape.ts'
import { lacksNothing } from './complete-change.ts'
import { anyValue, fieldsOf, sequenceGate } from './gate.ts'
import { insertStatement, onConflict, overwriteConflict } from './insert.ts'
import { lockStatement } from './lock.ts'
import { type MergedColumn, mergedColumns } from './merged-value.ts'
import { excludedOperands, mergeSet, type Operands, stagedOperands } from './operands.ts'
import type { DirectRoute, ExistingStatement, MergeRoute, MissingOutcome, TableStatements } from './route.ts'
import {
  clearOlder,
  hit,
  leavesTombstone,
  plainRemoval,
  removalKind,
  removalOrders,
  removedValue,
  removeHits,
} from './row-removal.ts'
import { keysEqual, quotedName, type StagedStatement, storedValue } from './staged.ts'

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
    conflict: overwriteConflict(plan, target),
  })
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
  const merge = mergeStatement(plan, target)
  switch (removalKind(plan)) {
    case 'arrival':
      return present({ takes: () => true, statement: merge })
    case 'group':
      // a `-D` that is older than every group that removes is a retract like any other
      return present({ takes: isDelete, statement: removeHits(plan, target) }, { takes: () => true, statement: merge })
    case 'sequence':
      return present(
        { takes: isDelete, statement: removeHits(plan, target) },
        { takes: isDelete, statement: clearOlder(plan, target) },
        { takes: (change) => !isDelete(change), statement: merge },
      )
  }
}

function present(
  ...all: readonly { takes: ExistingStatement['takes']; statement: StagedStatement | undefined }[]
): readonly ExistingStatement[] {
  return all.flatMap(({ takes, statement }) => (statement === undefined ? [] : [{ takes, statement }]))
}

function mergeStatement(plan: MergePlan, target: Target): StagedStatement | undefined {
  const set = mergeSet(target)
  const keys = keysEqual(target, plan.key, set)
  const operands = stagedOperands(target, set)
  const columns = mergedColumns(plan, target, operands)
  const assignments = assignmentsOf(plan, target, operands, columns)
  if (assignments.length === 0) return undefined
  const conditions = [keys, `(${effect(plan, target, columns)})`]
  if (removalKind(plan) === 'group')
    conditions.push(`(${set.flag('delete?', ({ op }) => op === 'delete')} AND ${hit(plan, target, set)}) IS NOT TRUE`)
  return updateStatement('merge', target, assignments, set, conditions)
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

/** Rows on which the change has no effect are not rewritten. */
function effect(plan: MergePlan, target: Target, columns: readonly MergedColumn[]): string {
  const effects = columns.flatMap(({ takesEffect }) => (takesEffect === undefined ? [] : [takesEffect]))
  if (plan.deletedFlag !== undefined) effects.push(storedValue(target, plan.deletedFlag))
  return [...new Set(effects)].map((one) => (one.includes(' AND ') ? `(${one})` : one)).join(' OR ') || 'FALSE'
}

function missingRow(plan: MergePlan, { op, ungated }: MergeChange): MissingOutcome {
  if (op === 'upsert') return 'insert'
  if (op === 'delete') return leavesTombstone(plan) && ungated !== true ? 'insert' : 'nothing'
  return plan.deletedFlag === undefined ? 'rejected' : 'insert'
}
