import type { Row } from '../row/row.ts'
import type { RowKind } from '../row/row-kind.ts'

/** A record that a change is written back as. */
export interface ChangeRecord {
  readonly kind: RowKind
  /** Declared columns. */
  readonly row: Row
}
