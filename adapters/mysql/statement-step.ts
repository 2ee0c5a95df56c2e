import { unreachable } from '../../src/assert.ts'
import type { MergeChange } from '../../src/merge/merge-change.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import { documents, encodeRow, type StagedRow } from './encode-rows.ts'
import type { Route, WritableTable } from './flush-steps.ts'
import type { Answer, Session } from './session.ts'
import { deleteRows } from './statements/locked.ts'
import { mergeUpsert } from './statements/merge-upsert.ts'
import { insertRows, stagedPositions, upsertRows } from './statements/upsert.ts'
import { type ChangeFault, type StepOutcome, tooLargeFault } from './step-outcome.ts'
import type { Target } from './target.ts'
import { UnsendableValue } from './type-mapping.ts'

type StatementRoute = Exclude<Route, 'merge'>

/** Changes that one statement a document writes, without a look at what is stored. */
export async function runStatementStep(
  session: Session,
  { plan: { merge }, target }: WritableTable,
  route: StatementRoute,
  changes: readonly MergeChange[],
): Promise<StepOutcome> {
  const { rows, faults } = encodeChanges(merge, target, route, changes)
  const text = statementOf(merge, target, route)
  const { parts, tooLarge } = documents(rows, session)
  let stale = 0
  for (const { json, items } of parts) {
    const answer = await session.run({ text, values: [json] })
    if (hasGate(merge, route)) stale += unchanged(session, answer, items.length)
  }
  const written = rows.length - tooLarge.length - stale
  return { written, stale, faults: [...faults, ...tooLarge.map(({ change }) => tooLargeFault(change))] }
}

export function statementOf(merge: MergePlan, target: Target, route: StatementRoute): string {
  switch (route) {
    case 'insert':
      return insertRows(merge, target)
    case 'upsert':
      return upsertRows(merge, target)
    case 'merge-upsert':
      return mergeUpsert(merge, target)
    case 'delete':
      return deleteRows(merge, target)
    default:
      return unreachable(route)
  }
}

function hasGate({ sequence, groups }: MergePlan, route: StatementRoute): boolean {
  return route === 'upsert' ? sequence !== undefined : route === 'merge-upsert' && groups.length > 0
}

interface EncodedChange {
  readonly change: MergeChange
  readonly row: StagedRow
}

function encodeChanges(
  merge: MergePlan,
  target: Target,
  route: StatementRoute,
  changes: readonly MergeChange[],
): { rows: readonly EncodedChange[]; faults: readonly ChangeFault[] } {
  const positions = route === 'delete' ? merge.key : stagedPositions(merge)
  const rows: EncodedChange[] = []
  const faults: ChangeFault[] = []
  for (const change of changes) {
    try {
      rows.push({ change, row: encodeRow(target, positions, imageOf(merge, change)) })
    } catch (error) {
      if (!(error instanceof UnsendableValue)) throw error
      faults.push({ change, reason: error.message })
    }
  }
  return { rows, faults }
}

/** What the row is to hold: of a delete its key and its sequence, and whether a reader is to see it. */
function imageOf(merge: MergePlan, { op, row }: MergeChange): ArrayLike<unknown> {
  const { deletedFlag, sequence } = merge
  if (deletedFlag === undefined) return row
  const isDelete = op === 'delete'
  const left = (at: number): boolean => merge.key.includes(at) || sequence?.columns.includes(at) === true
  return merge.columns.map((_, at) => (at === deletedFlag ? isDelete : isDelete && !left(at) ? null : row[at]))
}

/**
 * Rows that the gate left as they were. The server counts an insert as one, a row that it changed as two, and says beside
 * it how many it changed; a connection that counts unchanged rows too cannot tell.
 */
function unchanged({ countsUnchanged }: Session, { affected, info }: Answer, sent: number): number {
  const changed = /Duplicates: (\d+)/.exec(info)?.[1]
  if (countsUnchanged || changed === undefined) return 0
  return Math.max(0, sent - (affected - Number(changed)))
}
