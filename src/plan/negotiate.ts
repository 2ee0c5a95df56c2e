import { kindsOfMode } from '../changelog/changelog-mode.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { PlanStep, TablePlan } from './plan.ts'

/** The row kinds in and out of each step, as Flink's EXPLAIN CHANGELOG_MODE shows them. */
export function negotiate(
  plan: Pick<TablePlan, 'source' | 'merge' | 'updateBefore' | 'matchesWholeRows' | 'capabilities' | 'ignoreDelete'>,
  reaching: readonly RowKind[],
): readonly PlanStep[] {
  const { source, merge, capabilities } = plan
  const carried = kindsOfMode(source.mode)
  const folded = kindsAfterFold(plan, reaching)
  const steps: PlanStep[] = [
    {
      name: 'decode',
      in: carried,
      out: carried,
      runs: 'core',
      detail: source.format ?? 'format detected from the input',
    },
  ]
  if (reaching.length < carried.length) {
    steps.push({ name: 'filter', in: carried, out: reaching, runs: 'core', detail: 'by the ignore options' })
  }
  if (plan.matchesWholeRows) {
    const detail = 'the newest row that was not taken back, rows matched whole'
    steps.push({ name: 'materialize', in: reaching, out: reaching, runs: 'core', detail })
  }
  steps.push(
    { name: 'fold', in: reaching, out: folded, runs: 'core', detail: updateBeforeText(plan) },
    {
      name: 'merge',
      in: folded,
      out: folded,
      runs: capabilities.volatile ? 'core' : 'store',
      detail: merge.key.length === 0 ? 'append' : merge.engine,
    },
  )
  return steps
}

function kindsAfterFold(
  { merge, updateBefore }: Pick<TablePlan, 'merge' | 'updateBefore'>,
  reaching: readonly RowKind[],
): readonly RowKind[] {
  if (merge.key.length === 0) return ['+I']
  const folds = updateBefore === 'retract' && merge.engine !== 'deduplicate'
  return reaching.filter((kind) => kind !== '-U' || folds)
}

function updateBeforeText({ updateBefore }: Pick<TablePlan, 'updateBefore'>): string {
  switch (updateBefore) {
    case 'drop':
      return 'update-before: dropped'
    case 'drop-paired':
      return 'update-before: dropped when its update-after follows, else a delete of that version'
    case 'delete':
      return 'update-before: a delete of that version'
    case 'retract':
      return 'update-before: taken back by the functions of the columns'
    default:
      return 'update-before: ignored when its update-after follows, else rejected'
  }
}
