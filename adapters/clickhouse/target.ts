import { must } from '../../src/assert.ts'
import type { PlannedTable } from '../../src/connector/connector.ts'
import type { Problem } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { identifierFault, parseQualifiedName, type QualifiedName } from './identifier.ts'
import type { ClickhouseOptions } from './options.ts'
import { versionBytes } from './row-version.ts'
import { sequenceBits } from './type-mapping.ts'

/** The column that a ReplacingMergeTree goes by. */
export const versionColumn = '__tidegate_version'

/** A table as the statements see it. */
export interface Target {
  readonly plan: TablePlan
  readonly name: QualifiedName
  /** Bytes of the version; undefined: rows are only appended, and have none. */
  readonly version: 8 | 16 | 32 | undefined
}

/** The option `table-name`, else the declared name as it is. */
export function targetName(plan: PlannedTable): QualifiedName {
  const options = plan.connectorOptions as ClickhouseOptions
  const option = options['table-name']
  const { database, name } =
    option === undefined
      ? { database: undefined, name: plan.name }
      : must(parseQualifiedName(option), 'the option table checks table-name')
  return { database: database ?? options['database-name'], name }
}

export function targetOf(plan: TablePlan): Target {
  return { plan, name: targetName(plan), version: plan.merge.key.length === 0 ? undefined : versionBytes(plan.merge) }
}

/** What ClickHouse cannot hold of a table, refused with the plan. */
export function targetProblems(plan: PlannedTable): readonly Problem[] {
  const { merge } = plan
  const problems: Problem[] = []
  const name = targetName(plan)
  for (const part of name.database === undefined ? [name.name] : [name.database, name.name]) {
    const fault = identifierFault(part)
    if (fault !== undefined) problems.push({ subject: 'table-name', message: `the name ${fault}` })
  }
  for (const column of merge.columns) {
    const subject = `column ${column.name}`
    const fault = identifierFault(column.name)
    if (fault !== undefined) problems.push({ subject, message: `the name ${fault}` })
    if (column.name === versionColumn)
      problems.push({ subject, message: 'is the name of the version, which tidegate keeps' })
  }
  const comparable = merge.sequence?.columns.every((at) => sequenceBits(must(merge.columns[at], 'a column').type))
  if (merge.key.length > 0 && comparable !== false && versionBytes(merge) === undefined) {
    const message = 'does not fit into 256 bits, which is all that a ReplacingMergeTree compares'
    problems.push({ subject: 'sequence.field', message, fix: 'take fewer or shorter columns' })
  }
  if (plan.tombstoneRetention !== 'forever' && merge.deletedAt !== undefined) {
    const message = 'has no effect: tombstones stay until OPTIMIZE … FINAL CLEANUP'
    problems.push({ subject: 'sink.tombstone.retention', message, fix: "take 'forever'" })
  }
  return problems
}
