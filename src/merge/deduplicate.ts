import { assert } from '../assert.ts'
import type { DataType } from '../row/data-type.ts'
import type { Row } from '../row/row.ts'
import { equalValues, type Value } from '../row/value.ts'
import { changed, withoutSequence } from './lift-outcome.ts'
import { type ContributionRow, createMergeChange, type MergeChange } from './merge-change.ts'
import type { Applied, Composed, Lifted, LiftInput, MergeFunction } from './merge-function.ts'
import type { ColumnRule, MergePlan } from './merge-plan.ts'
import { createSequenceOrder, isAbsentTuple, type SequenceOrder } from './sequence.ts'
import { emptyRow, isVisible, setDeleted, unchangedOr } from './stored-row.ts'

/**
 * `deduplicate`: the newest change of a key is its row. With a sequence, newest goes by the gate (rules G1, G2), else by
 * arrival. A deleted row, in whichever delete mode, counts as no row: columns that a later change lacks become NULL.
 */
export function createDeduplicate(plan: MergePlan): MergeFunction {
  const { columns, deletedFlag, deleteMode } = plan
  const gate = plan.sequence === undefined ? undefined : createSequenceOrder(plan.sequence, columns)
  const types: readonly DataType[] = columns.map((column) => column.type)
  // the columns that records bring; the flag, even if declared, is kept by us
  const written = columnsOf(plan, (kind) => kind !== 'deleted-flag' && kind !== 'deleted-at')
  const payload = columnsOf(plan, (kind) => kind === 'replace' || kind === 'sequence')
  const keepsTombstone = deleteMode !== 'hard'
  assert(!keepsTombstone || deletedFlag !== undefined, `delete mode ${deleteMode} needs a flag column`)
  // a soft delete keeps the payload, which a delete does not carry: what came before it can't be left out
  const deleteForgets = deleteMode !== 'soft'

  return { lift, apply, compose }

  function lift({ kind, row, key }: LiftInput): Lifted {
    if (plan.key.length === 0) return liftWithoutKey(kind === '+I', row, key)
    if (kind === '+I' || kind === '+U') {
      const image = gate === undefined ? row : withNullSequence(row, gate)
      return changed(createMergeChange(key, 'upsert', image, { replace: isComplete(image) }))
    }
    const op = kind === '-D' ? 'delete' : 'retract'
    if (gate === undefined) return changed(createMergeChange(key, op, row))
    if (!isAbsentTuple(row, gate.columns)) return changed(createMergeChange(key, op, withNullSequence(row, gate)))
    const ungated = op === 'delete' ? true : undefined
    return withoutSequence(plan, kind) ?? changed(createMergeChange(key, op, row, { ungated }))
  }

  function apply(stored: Row | undefined, change: MergeChange): Applied {
    switch (change.op) {
      case 'insert':
        return { outcome: 'applied', row: writeOver(undefined, change) }
      case 'upsert':
        return applyUpsert(stored, change)
      case 'delete':
        return applyDelete(stored, change)
      case 'retract':
        return applyRetract(stored, change)
    }
  }

  function applyUpsert(stored: Row | undefined, change: MergeChange): Applied {
    if (stored !== undefined && gate !== undefined && !gate.passes(gate.compare(change.row, stored))) {
      return { outcome: 'stale', row: stored }
    }
    return unchangedOr('applied', stored, writeOver(isLive(stored) ? stored : undefined, change), columns)
  }

  function applyDelete(stored: Row | undefined, change: MergeChange): Applied {
    if (change.ungated === true) return applyUngatedDelete(stored, change)
    if (stored !== undefined && gate !== undefined && gate.compare(change.row, stored) < 0) {
      return { outcome: 'stale', row: stored }
    }
    if (stored === undefined && deleteMode === 'soft' && gate === undefined)
      return { outcome: 'unchanged', row: undefined }
    return remove(stored, change.row)
  }

  /** The delete of a gated table that says no sequence: whatever is stored goes, and the sequence stays (rule G6). */
  function applyUngatedDelete(stored: Row | undefined, change: MergeChange): Applied {
    const carried = gate !== undefined && !isAbsentTuple(change.row, gate.columns)
    if (stored === undefined) return carried ? remove(undefined, change.row) : { outcome: 'unchanged', row: undefined }
    const newer = carried && gate.compare(change.row, stored) > 0
    return remove(stored, newer ? change.row : stored)
  }

  /** A late `-U` never deletes a version that it does not know (rules G1, K2). */
  function applyRetract(stored: Row | undefined, change: MergeChange): Applied {
    const gated = gate !== undefined && !isAbsentTuple(change.row, gate.columns)
    if (stored === undefined) return gated ? remove(undefined, change.row) : { outcome: 'unchanged', row: undefined }
    if (gated) {
      const order = gate.compare(change.row, stored)
      if (order < 0) return { outcome: 'stale', row: stored }
      if (order > 0) return remove(stored, change.row)
    }
    if (!isLive(stored)) return { outcome: 'unchanged', row: stored }
    if (!agrees(change.row, stored)) return { outcome: 'stale', row: stored }
    return remove(stored, stored)
  }

  function compose(earlier: MergeChange, later: MergeChange): Composed {
    switch (later.op) {
      case 'insert':
        return 'cannot'
      case 'upsert':
        return gate === undefined ? composeUpsert(earlier, later) : composeGatedUpsert(earlier, later, gate)
      case 'delete':
        return gate === undefined ? composeDelete(earlier, later) : composeGatedDelete(earlier, later, gate)
      case 'retract':
        return gate === undefined ? composeRetract(earlier, later) : composeGatedRetract(earlier, later, gate)
    }
  }

  function composeUpsert(earlier: MergeChange, later: MergeChange): Composed {
    if (standsAlone(later)) return later
    if (earlier.op === 'upsert') return overlay(earlier, later)
    return earlier.op === 'delete' ? { ...later, replace: true } : 'cannot'
  }

  function composeDelete(earlier: MergeChange, later: MergeChange): Composed {
    return earlier.op === 'upsert' && !deleteForgets ? 'cannot' : later
  }

  function composeRetract(earlier: MergeChange, later: MergeChange): Composed {
    if (earlier.op === 'delete') return 'stale'
    if (earlier.op === 'retract') return sameImage(earlier.row, later.row) ? 'stale' : 'cannot'
    return retractOf(earlier, later)
  }

  function composeGatedUpsert(earlier: MergeChange, later: MergeChange, sequence: SequenceOrder): Composed {
    if (earlier.ungated === true || isAbsentTuple(earlier.row, sequence.columns)) return 'cannot'
    const order = sequence.compare(later.row, earlier.row)
    if (!sequence.passes(order)) {
      // where a delete leaves no sequence behind, an older upsert brings the row back
      return earlier.op === 'upsert' || keepsTombstone ? 'stale' : 'cannot'
    }
    if (standsAlone(later)) return later
    // a patch: what is stored may lie between the two
    if (order === 0 && earlier.op === 'upsert') return overlay(earlier, later)
    if (order === 0 && earlier.op === 'delete') return { ...later, replace: true }
    return earlier.op === 'upsert' && !standsAlone(earlier) && covers(later.row, earlier.row) ? later : 'cannot'
  }

  function composeGatedDelete(earlier: MergeChange, later: MergeChange, sequence: SequenceOrder): Composed {
    if (later.ungated === true) {
      if (earlier.op === 'upsert' && !deleteForgets) return 'cannot'
      return !keepsTombstone ? later : withNewerSequence(later, earlier.row, sequence)
    }
    if (earlier.ungated === true) {
      return !keepsTombstone ? 'stale' : withNewerSequence(earlier, later.row, sequence)
    }
    if (isAbsentTuple(earlier.row, sequence.columns)) return 'cannot'
    if (sequence.compare(later.row, earlier.row) < 0) return 'stale'
    return earlier.op === 'upsert' && !deleteForgets ? 'cannot' : later
  }

  function composeGatedRetract(earlier: MergeChange, later: MergeChange, sequence: SequenceOrder): Composed {
    if (isAbsentTuple(later.row, sequence.columns)) {
      if (earlier.ungated === true) return 'stale'
      return earlier.op === 'retract' && sameImage(earlier.row, later.row) ? 'stale' : 'cannot'
    }
    if (earlier.ungated === true) {
      return !keepsTombstone ? 'stale' : withNewerSequence(earlier, later.row, sequence)
    }
    if (isAbsentTuple(earlier.row, sequence.columns)) return 'cannot'
    const order = sequence.compare(later.row, earlier.row)
    if (order < 0) return 'stale'
    if (earlier.op === 'delete') return order > 0 ? later : 'stale'
    if (earlier.op === 'retract') return order > 0 ? later : sameImage(earlier.row, later.row) ? 'stale' : 'cannot'
    if (order > 0) return deleteForgets ? later : 'cannot'
    return sequence.passes(0) ? retractOf(earlier, later) : 'cannot'
  }

  /** A `-U` right after an upsert that is in force: a delete if it names that version, nothing if it names another. */
  function retractOf(upsert: MergeChange, retract: MergeChange): Composed {
    let known = true
    for (const position of payload) {
      const value = retract.row[position]
      if (value === undefined) continue
      const given = upsert.row[position]
      const current = given === undefined && upsert.replace && upsert.moveFrom === undefined ? null : given
      if (current === undefined) known = false
      else if (!equalAt(position, value, current)) return 'stale'
    }
    return known && deleteForgets ? { ...retract, op: 'delete' } : 'cannot'
  }

  function liftWithoutKey(isInsert: boolean, row: Row, key: MergeChange['key']): Lifted {
    if (isInsert) return changed(createMergeChange(key, 'insert', row, { replace: true }))
    return {
      outcome: 'rejected',
      code: 'KIND_UNSUPPORTED',
      reason:
        'a table without a primary key takes only +I; declare a PRIMARY KEY to take updates and deletes (rule K4)',
    }
  }

  function isLive(stored: Row | undefined): stored is Row {
    return stored !== undefined && isVisible(plan, stored)
  }

  /** The row with the change's columns; those that it lacks stay as they are in `base`, or are NULL without one. */
  function writeOver(base: Row | undefined, change: MergeChange): Row {
    const row = base === undefined || change.replace ? emptyRow(plan, change.row) : base.slice()
    for (const position of written) {
      const value = change.row[position]
      if (value !== undefined) row[position] = value as Value | null
    }
    setDeleted(plan, row, false, undefined)
    return row
  }

  /** Deletes in the way of the plan, leaving the sequence found in `from`. */
  function remove(stored: Row | undefined, from: ContributionRow): Applied {
    if (!keepsTombstone || deletedFlag === undefined)
      return { outcome: stored === undefined ? 'unchanged' : 'applied', row: undefined }
    const row = stored !== undefined && deleteMode === 'soft' ? stored.slice() : emptyRow(plan, stored ?? from)
    for (const position of gate?.columns ?? []) row[position] = (from[position] ?? null) as Value | null
    setDeleted(plan, row, true, stored)
    return unchangedOr('applied', stored, row, columns)
  }

  /** Every column that the image carries has the stored row's value. */
  function agrees(image: ContributionRow, stored: Row): boolean {
    return payload.every((position) => {
      const value = image[position]
      return value === undefined || equalAt(position, value, stored[position])
    })
  }

  function sameImage(a: ContributionRow, b: ContributionRow): boolean {
    return payload.every((position) => {
      const [x, y] = [a[position], b[position]]
      return x === y || (x !== undefined && y !== undefined && equalAt(position, x, y))
    })
  }

  function equalAt(position: number, a: ContributionRow[number], b: ContributionRow[number]): boolean {
    return equalValues(types[position] as DataType, a as Value | null, b as Value | null)
  }

  function isComplete(row: ContributionRow): boolean {
    for (const position of payload) if (row[position] === undefined) return false
    return true
  }
}

function columnsOf(plan: MergePlan, test: (kind: ColumnRule['kind']) => boolean): readonly number[] {
  return plan.rules.slice(0, plan.declaredCount).flatMap(({ kind }, position) => (test(kind) ? [position] : []))
}

/** What the row is afterwards does not depend on what is stored under its key. */
function standsAlone(change: MergeChange): boolean {
  return change.replace || change.moveFrom !== undefined
}

/** An absent sequence column counts as null. */
function withNullSequence(row: Row, gate: SequenceOrder): Row {
  if (gate.columns.every((position) => row[position] !== undefined)) return row
  const copy = row.slice()
  for (const position of gate.columns) copy[position] ??= null
  return copy
}

function overlay(earlier: MergeChange, later: MergeChange): MergeChange {
  const row = earlier.row.slice()
  for (const [position, value] of later.row.entries()) if (value !== undefined) row[position] = value
  return { ...later, row, replace: earlier.replace, moveFrom: earlier.moveFrom }
}

/** `later` says something about every column of which `earlier` does. */
function covers(later: ContributionRow, earlier: ContributionRow): boolean {
  return earlier.every((value, position) => value === undefined || later[position] !== undefined)
}

/** The ungated delete, carrying the newer of its own sequence (if it has one yet) and another's. */
function withNewerSequence(ungated: MergeChange, other: ContributionRow, sequence: SequenceOrder): MergeChange {
  if (isAbsentTuple(other, sequence.columns)) return ungated
  const carries = !isAbsentTuple(ungated.row, sequence.columns)
  if (carries && sequence.compare(ungated.row, other) >= 0) return ungated
  const row = ungated.row.slice()
  for (const position of sequence.columns) row[position] = other[position]
  return { ...ungated, row }
}
