import type { Connector, PlannedTable } from '../connector/connector.ts'
import type { Problem } from '../errors.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { SourceInput } from './plan-input.ts'
import type { SharedValues } from './shared-values.ts'

/** What is looked at to tell whether a plan may run, and where the answers go. */
export interface RefusalInput {
  readonly connector: Connector
  readonly plan: PlannedTable
  readonly options: SharedValues
  readonly source: SourceInput
  /** Kinds that come to the merge function. */
  readonly reaching: readonly RowKind[]
  readonly given: ReadonlySet<string>
  /** What the rules refuse. */
  readonly problems: Problem[]
  /** What the store cannot do. */
  readonly missing: Problem[]
}
