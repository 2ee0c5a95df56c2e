import { must } from '../../src/assert.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type Coercion, createCoercion } from '../../src/row/coerce.ts'
import type { Row } from '../../src/row/row.ts'
import { encodeChanges } from './encode-changes.ts'
import type { WritableTable } from './flush-steps.ts'
import { plainText } from './read-rows.ts'
import type { Transaction } from './session.ts'
import { readLockedStatement } from './statements/lock.ts'

/**
 * The rows that moves come from, as a reader sees them and locked, by the move (rule K6). A row that is not there, or
 * deleted, is missing from the result.
 */
export async function readMoved(
  transaction: Transaction,
  table: WritableTable,
  moves: readonly MergeChange[],
): Promise<ReadonlyMap<MergeChange, Row>> {
  for (const setting of plainText) await transaction.query(setting)
  const { plan, target } = table
  const sources = moves.map(sourceOf)
  const { statement, changes } = encodeChanges(readLockedStatement(plan.merge, target), sources, undefined)
  const { rows } = await transaction.query(statement)
  const coercions = coercionsOf(plan)
  const found = new Map<MergeChange, Row>()
  for (const [number, ...texts] of rows) {
    const source = must(changes[Number(number) - 1], 'a number of a staged change')
    const move = must(moves[sources.indexOf(source)], 'each source belongs to a move')
    found.set(
      move,
      texts.map((text, position) =>
        typeof text === 'string' ? must(coercions[position], 'a declared column')(text) : null,
      ),
    )
  }
  return found
}

/** The move with the columns that it lacks taken from the row it comes from. */
export function fillMove(plan: TablePlan, move: MergeChange, from: Row): MergeChange {
  const row = move.row.map((value, position) =>
    value === undefined && position < plan.merge.declaredCount ? from[position] : value,
  )
  return { ...move, row, moveFrom: undefined }
}

function sourceOf(move: MergeChange): MergeChange {
  const { key, row } = must(move.moveFrom, 'a move says where it comes from')
  return { ...move, key, row, moveFrom: undefined }
}

function coercionsOf({ schema }: TablePlan): readonly Coercion[] {
  return schema.columns.map(({ type }) => createCoercion(type, { bytes: 'postgres' }))
}
