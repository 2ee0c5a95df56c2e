import type { Positions } from '../changelog/position.ts'
import type { FlushDomain } from '../delivery/flush-domain.ts'
import type { MergeFunction } from '../merge/merge-function.ts'
import type { TablePlan } from '../plan/plan.ts'
import type { RowKeyCodec } from '../row/row-key.ts'
import type { TableIntake } from './table-intake.ts'

/** One table of an open sink with everything that its changes pass through. */
export interface SinkTable {
  readonly plan: TablePlan
  readonly intake: TableIntake
  readonly merge: MergeFunction
  readonly keys: RowKeyCodec
  readonly domain: FlushDomain
  /** Index of the table within its flush domain. */
  readonly index: number
  /** Positions in the ledger when the sink was opened: what came before is written already (rule R5). */
  readonly ledger: Positions | undefined
}
