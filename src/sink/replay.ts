import { compareOffsets, type Position } from '../changelog/position.ts'
import type { SinkTable } from './sink-table.ts'

/** Why a replay is ignored, for the account and traces. */
export const writtenBefore = 'written before, says the ledger'

/** The ledger of the table's domain holds this position or a later one of its partition (rule R5). */
export function isReplay(position: Position | undefined, { ledger }: SinkTable): boolean {
  if (position === undefined || ledger === undefined) return false
  const written = ledger.get(position.partition)
  if (written === undefined) return false
  const order = compareOffsets(position.offset, written)
  return order !== undefined && order <= 0
}
