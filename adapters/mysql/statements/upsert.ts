import type { MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import type { Target } from '../target.ts'
import { columnAt, quotedName, stagedRows, storedName, storedValue, tableName } from './staged.ts'

/** The columns that whole rows are staged with: since when a row is deleted, the store says. */
export function stagedPositions({ columns, deletedAt }: MergePlan): readonly number[] {
  return [...columns.keys()].filter((at) => at !== deletedAt)
}

/** Inserts rows of which none is there. */
export function insertRows(merge: MergePlan, target: Target): string {
  const positions = [...merge.columns.keys()]
  const names = positions.map((at) => quotedName(target, at))
  const values = positions.map((at) => insertedValue(merge, target, at))
  return [
    `INSERT INTO ${tableName(target)} (${names.join(', ')})`,
    `SELECT ${values.join(', ')}`,
    `FROM ${stagedRows(stagedPositions(merge))}`,
  ].join('\n')
}

/**
 * Whole images by `INSERT … ON DUPLICATE KEY UPDATE`; under a sequence each column is kept where the stored row is newer
 * (rule G1). Assignments take effect from left to right: the fields of the sequence come last, the most significant one at
 * the very end, so that all columns are decided by the sequence that was stored. `VALUES(c)` is the one spelling for the
 * new value that both families take where the rows come from a SELECT.
 */
export function upsertRows(merge: MergePlan, target: Target): string {
  const { sequence } = merge
  const gate = sequence === undefined ? undefined : passes(target, sequence)
  const fields = sequence?.columns.toReversed() ?? []
  const others = [...merge.columns.keys()].filter((at) => !merge.key.includes(at) && !fields.includes(at))
  const assigned = [...others, ...fields.filter((at) => !merge.key.includes(at))]
  const assignments = assigned.map((at) => {
    const name = quotedName(target, at)
    return gate === undefined
      ? `${name} = VALUES(${name})`
      : `${name} = IF(${gate}, VALUES(${name}), ${storedName(target, at)})`
  })
  // a table that consists of its key
  const [first] = merge.key
  if (assignments.length === 0 && first !== undefined) {
    const name = quotedName(target, first)
    assignments.push(`${name} = VALUES(${name})`)
  }
  return `${insertRows(merge, target)}\nON DUPLICATE KEY UPDATE\n  ${assignments.join(',\n  ')}`
}

/** The store compares the sequence as tidegate does, and later arrivals win ties: then the gate runs in the statement. */
export function gatesInStore({ sequence }: MergePlan, target: Target): boolean {
  if (sequence === undefined) return true
  return sequence.tie === 'last-arrival' && sequence.columns.every((at) => columnAt(target, at).codec.isOrdered)
}

/** The new tuple is not older than the stored one, field by field, null lowest (rule G4). */
export function passes(target: Target, { columns, descending }: Pick<Sequence, 'columns' | 'descending'>): string {
  const newer = descending ? '<' : '>'
  return columns.reduceRight((rest, at) => {
    const stored = storedName(target, at)
    const incoming = `VALUES(${quotedName(target, at)})`
    const isNewer = `${stored} IS NULL OR ${incoming} ${newer} ${stored}`
    return rest === ''
      ? `COALESCE(${stored} IS NULL OR ${incoming} ${newer}= ${stored}, FALSE)`
      : `IF(${incoming} <=> ${stored}, ${rest}, COALESCE(${isNewer}, FALSE))`
  }, '')
}

function insertedValue(merge: MergePlan, target: Target, at: number): string {
  return at === merge.deletedAt ? deletionTime(merge, target) : storedValue(target, at)
}

/** By the store's clock (rule G2). */
export function deletionTime({ deletedFlag }: MergePlan, target: Target): string {
  return `IF(${storedValue(target, deletedFlag ?? 0)} = '1', UTC_TIMESTAMP(6), NULL)`
}
