import type { Problem } from '../../src/errors.ts'
import type { ContributionRow } from '../../src/merge/merge-change.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { type DataType, formatDataType } from '../../src/row/data-type.ts'

/** Highest version of a document: a Java long. Above it, and below 0, the server refuses the whole request. */
const versionMax = 9_223_372_036_854_775_807n

/** The version of a row's document, as digits; undefined if it is out of range or null. */
export type DocumentVersion = (row: ContributionRow) => string | undefined

/**
 * The sequence as the version of a document, by `versioning` = `external`: a whole number is itself, a DATE its days since
 * 1970, a TIMESTAMP its units of the last digit since 1970. What a version cannot say goes to `problems`.
 */
export function externalVersion(plan: TablePlan, problems: Problem[]): DocumentVersion {
  const { merge } = plan
  for (const problem of planProblems(plan)) problems.push(problem)
  const position = merge.sequence?.columns[0] ?? -1
  const toNumber = numberOf(merge.columns[position]?.type ?? { name: 'BIGINT' })
  return (row) => {
    const value = row[position]
    if (value === undefined || value === null) return undefined
    const version = toNumber?.(value as string)
    return version === undefined || version < 0n || version > versionMax ? undefined : String(version)
  }
}

/** What only a script could do. */
function planProblems({ merge, source, ignoreDelete, updateBefore }: TablePlan): readonly Problem[] {
  const problems: Problem[] = []
  const refuse = (subject: string, message: string, fix: string) => problems.push({ subject, message, fix })
  const { sequence } = merge
  const column = merge.columns[sequence?.columns[0] ?? -1]
  if (merge.key.length === 0) refuse('versioning', "'external' needs a primary key", 'declare one, or leave it out')
  if (sequence === undefined || column === undefined) {
    refuse('versioning', "'external' takes the version from a sequence, and the table has none", "set 'sequence.field'")
    return problems
  }
  if (numberOf(column.type) === undefined) {
    refuse(
      'versioning',
      `'external' needs a whole number, and ${column.name} is ${formatDataType(column.type)}`,
      useScript,
    )
  }
  if (column.nullable) {
    refuse(
      'versioning',
      `'external' has no version for null, and ${column.name} may be null`,
      `declare ${column.name} NOT NULL`,
    )
  }
  if (sequence.tie === 'first-arrival') {
    refuse('sequence.tie', "'external' versions let the later of two equal ones win", useScript)
  }
  const mayDelete = source.mode !== 'insert-only' && ignoreDelete === 'none'
  if (mayDelete && merge.deleteWithoutSequence === 'apply') {
    refuse(
      'sink.delete.without-sequence',
      "'apply' needs the sequence that is stored, which 'external' versions do not tell",
      "set it to 'error' or 'ignore', or take 'versioning' = 'internal'",
    )
  }
  const mayRetract = (source.mode === 'retract' || source.mode === 'unknown') && ignoreDelete !== 'retracts'
  if (mayRetract && updateBefore !== 'drop') {
    refuse(
      'sink.ignore.update-before',
      "a -U without its +U deletes only the version that it names, which 'external' versions cannot look at",
      "set it to 'true', or take 'versioning' = 'internal'",
    )
  }
  return problems
}

const useScript = "take 'versioning' = 'internal'"

function numberOf(type: DataType): ((value: string) => bigint) | undefined {
  switch (type.name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return BigInt
    case 'DATE':
      return (text) => BigInt(epochMillis(text) / 86_400_000)
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ': {
      const { precision } = type
      return (text) => {
        const [, seconds = '', fraction = ''] = /^(.+?\d\d:\d\d:\d\d)(?:\.(\d+))?Z?$/.exec(text) ?? []
        return BigInt(epochMillis(`${seconds}Z`) / 1000) * 10n ** BigInt(precision) + BigInt(fraction || 0)
      }
    }
    default:
      return undefined
  }
}

function epochMillis(text: string): number {
  return Date.parse(text)
}
