import { kindsOfMode } from '../changelog/changelog-mode.ts'
import { formats } from '../format/registry.ts'
import type { RowKind } from '../row/row-kind.ts'
import type { PlanStep, SourcePlan, TablePlan } from './plan.ts'

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
  if (pairsDeleteCreate(source, carried)) {
    steps.push({ name: 'pair', in: carried, out: carried, runs: 'core', detail: pairingText(source) })
  }
  if (reaching.length < carried.length) {
    steps.push({ name: 'filter', in: carried, out: reaching, runs: 'core', detail: 'by the ignore options' })
  }
  if (plan.matchesWholeRows) {
    const detail = 'the newest row that was not taken back, rows matched whole'
    steps.push({ name: 'materialize', in: reaching, out: reaching, runs: 'core', detail })
  }
  steps.push(
    { name: 'fold', in: reaching, out: folded, runs: 'core', detail: foldText(plan, reaching) },
    {
      name: 'merge',
      in: folded,
      out: folded,
      runs: capabilities.volatile ? 'core' : 'store',
      detail: mergeText(merge),
    },
  )
  return steps
}

function mergeText({ key, engine, batchShape }: TablePlan['merge']): string {
  if (batchShape === 'retract-pairs') return 'each image that is taken back cancels the row that it was'
  return key.length === 0 ? 'append' : engine
}

function kindsAfterFold(
  { merge, updateBefore }: Pick<TablePlan, 'merge' | 'updateBefore'>,
  reaching: readonly RowKind[],
): readonly RowKind[] {
  if (merge.batchShape !== undefined) return reaching
  if (merge.key.length === 0) return ['+I']
  const folds = updateBefore === 'retract' && merge.engine !== 'deduplicate'
  return reaching.filter((kind) => kind !== '-U' || folds)
}

/** `source.update-encoding`: an update that was written as delete and create becomes one again. */
function pairsDeleteCreate({ updateEncoding, format }: SourcePlan, carried: readonly RowKind[]): boolean {
  if (updateEncoding === 'update' || !carried.includes('-D')) return false
  return updateEncoding === 'delete-create' || mayWriteDeleteCreate(format)
}

function mayWriteDeleteCreate(name: string | undefined): boolean {
  return formats.find((format) => format.name === name)?.mayWriteDeleteCreate === true
}

function pairingText({ updateEncoding }: SourcePlan): string {
  const text = 'a delete and the create of its key, next to each other, become an update'
  return updateEncoding === 'auto' ? `${text}, as long as the input shows no update of its own` : text
}

function foldText(plan: Pick<TablePlan, 'merge' | 'updateBefore'>, reaching: readonly RowKind[]): string {
  if (plan.merge.batchShape === 'log') return 'every change stays as it came'
  if (plan.merge.key.length === 0) return 'rows have no key and stay as they are'
  return reaching.includes('-U') ? updateBeforeText(plan) : 'the changes of a key become one'
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
    case 'pair':
      return 'update-before: of a key the first image that is taken back goes out with the last one that stands'
    default:
      return 'update-before: ignored when its update-after follows, else rejected'
  }
}
