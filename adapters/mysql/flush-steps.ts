import { must } from '../../src/assert.ts'
import type { WriteBatch } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { fitsMergeUpsert, mergesByUpsert } from './statements/merge-upsert.ts'
import { gatesInStore } from './statements/upsert.ts'
import type { Target } from './target.ts'

/** A table of the domain, ready to be written. */
export interface WritableTable {
  readonly plan: TablePlan
  readonly target: Target
  /** Place in an order in which tables come before those that point at them (rule B4). */
  readonly rank: number
  /** Other tables of the domain point at it. */
  readonly isReferenced: boolean
  /** A unique index beside the primary key: `ON DUPLICATE KEY UPDATE` would take a row of another key for the same one. */
  readonly hasOtherUnique: boolean
}

/**
 * How a change goes out. `insert`: a row of a table without a key. `upsert`, `merge-upsert`: one statement that decides by itself.
 * `delete`: by key. `merge`: the row is locked, merged by the merge function and written back, in one transaction.
 */
export type Route = 'insert' | 'upsert' | 'merge-upsert' | 'delete' | 'merge'

/** Changes of one wave of one table that go out the same way. */
export interface Step {
  /** Place of the table in the batch. */
  readonly at: number
  readonly table: WritableTable
  readonly route: Route
  readonly changes: readonly MergeChange[]
}

export function routeOf(
  { plan, target, hasOtherUnique }: Omit<WritableTable, 'rank' | 'isReferenced'>,
  change: MergeChange,
): Route {
  const { merge } = plan
  if (merge.key.length === 0) return 'insert'
  if (hasOtherUnique || change.moveFrom !== undefined) return 'merge'
  if (mergesByUpsert(merge, target)) return fitsMergeUpsert(merge, change) ? 'merge-upsert' : 'merge'
  if (merge.engine !== 'deduplicate' || !gatesInStore(merge, target)) return 'merge'
  if (change.op === 'upsert') return isComplete(change, merge.declaredCount) ? 'upsert' : 'merge'
  if (change.op !== 'delete' || change.ungated === true) return 'merge'
  if (merge.deleteMode === 'tombstone') return 'upsert'
  return merge.deleteMode === 'hard' && merge.sequence === undefined ? 'delete' : 'merge'
}

/**
 * The steps of a flush in their order: within a wave deletes first, so that they give up what is unique; parents before
 * children; deletes of rows that others may point at last, children first. A later wave of a table never overtakes.
 */
export function flushSteps(batch: WriteBatch, tables: readonly WritableTable[]): readonly Step[] {
  const inOrder = batch.tables
    .map(({ table, waves }, at) => ({ at, waves, table: must(tables[table], 'a batch names tables of the domain') }))
    .sort((a, b) => a.table.rank - b.table.rank)
  const early: Step[] = []
  const middle: Step[] = []
  const late: Step[] = []
  for (const { at, table, waves } of inOrder) {
    for (const [index, wave] of waves.entries()) {
      const { removals, others } = waveSteps(at, table, wave)
      const isLast = index === waves.length - 1
      if (table.isReferenced && isLast) late.unshift(...removals)
      else if (index === 0) early.unshift(...removals)
      else middle.push(...removals)
      middle.push(...others)
    }
  }
  return [...early, ...middle, ...late]
}

function waveSteps(
  at: number,
  table: WritableTable,
  wave: readonly MergeChange[],
): { removals: readonly Step[]; others: readonly Step[] } {
  // a row moves before its old key is deleted, so both go out together
  if (wave.some(({ moveFrom }) => moveFrom !== undefined)) {
    return { removals: [], others: [{ at, table, route: 'merge', changes: wave }] }
  }
  const steps = (changes: readonly MergeChange[]): Step[] => {
    const byRoute = new Map<Route, MergeChange[]>()
    for (const change of changes) {
      const route = routeOf(table, change)
      const ofRoute = byRoute.get(route)
      if (ofRoute === undefined) byRoute.set(route, [change])
      else ofRoute.push(change)
    }
    return [...byRoute].map(([route, ofRoute]) => ({ at, table, route, changes: ofRoute }))
  }
  const removes = ({ op }: MergeChange): boolean => op === 'delete'
  return { removals: steps(wave.filter(removes)), others: steps(wave.filter((change) => !removes(change))) }
}

function isComplete({ row }: MergeChange, declaredCount: number): boolean {
  for (let at = 0; at < declaredCount; at++) if (row[at] === undefined) return false
  return true
}
