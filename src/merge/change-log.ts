import type { Row } from '../row/row.ts'
import { changed } from './lift-outcome.ts'
import { createMergeChange } from './merge-change.ts'
import type { MergeFunction } from './merge-function.ts'

/** Batch shape `log`: every record is a row of its own, with its kind; none of them meets another (rule K2). */
export function createChangeLog(): MergeFunction {
  return {
    lift: ({ kind, row, key }) => changed(createMergeChange(key, 'insert', row, { replace: true, kind })),
    apply: (_stored, { row }) => ({ outcome: 'applied', row: row as Row }),
    compose: () => 'cannot',
  }
}
