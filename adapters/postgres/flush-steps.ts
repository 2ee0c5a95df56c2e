import { must } from '../../src/assert.ts'
import type { WriteBatch } from '../../src/connector/batch.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Route, TableStatements } from './statements/route.ts'
import type { Target } from './target.ts'

/** A table of the domain, ready to be written. */
export interface WritableTable {
  readonly plan: TablePlan
  readonly target: Target
  readonly statements: TableStatements
  /** Place in an order in which tables come before those that point at them (rule B4). */
  readonly rank: number
  /** Other tables of the domain point at it. */
  readonly isReferenced: boolean
  readonly canTruncate: boolean
  readonly prepares: boolean
}

/** Changes of one wave of one table that go out the same way. */
export interface Step {
  /** Place of the table in the batch. */
  readonly at: number
  readonly table: WritableTable
  readonly route: Route | 'move'
  readonly changes: readonly MergeChange[]
}

/** Larger arrays cost more a row, on both sides (docs/connectors/postgres.md has the figures). */
const statementRowsMax = 5000

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
): { removals: Step[]; others: Step[] } {
  const byRoute = new Map<Step['route'], { removals: MergeChange[]; others: MergeChange[] }>()
  for (const change of wave) {
    const route = change.moveFrom === undefined ? table.statements.route(change) : 'move'
    let changes = byRoute.get(route)
    if (changes === undefined) {
      changes = { removals: [], others: [] }
      byRoute.set(route, changes)
    }
    ;(route !== 'move' && route.removes(change) ? changes.removals : changes.others).push(change)
  }
  const steps = (kind: 'removals' | 'others'): Step[] =>
    [...byRoute].flatMap(([route, changes]) =>
      chunks(changes[kind]).map((part) => ({ at, table, route, changes: part })),
    )
  return { removals: steps('removals'), others: steps('others') }
}

function chunks(changes: readonly MergeChange[]): (readonly MergeChange[])[] {
  const parts: (readonly MergeChange[])[] = []
  for (let from = 0; from < changes.length; from += statementRowsMax) {
    parts.push(changes.slice(from, from + statementRowsMax))
  }
  return parts
}

/** Nothing in it waits for an answer of the store. */
export function isDirect(steps: readonly Step[]): boolean {
  return steps.every(({ route }) => route !== 'move' && route.kind === 'direct')
}
