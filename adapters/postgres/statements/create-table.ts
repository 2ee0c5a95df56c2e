import { must } from '../../../src/assert.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import { identifierFault, type QualifiedName, quoteIdentifier, quoteQualified } from '../identifier.ts'
import { plannedTarget } from '../target.ts'
import { typeMapping } from '../type-mapping.ts'

/** The table that fits the plan, and for tables with invisible rows the view that readers go through (rules G2, A4). */
export function createTable(plan: TablePlan): readonly string[] {
  const { merge } = plan
  const { name } = plannedTarget(plan)
  const lines = merge.columns.map((_, position) => `  ${columnDefinition(merge, position)}`)
  if (merge.key.length > 0)
    lines.push(`  PRIMARY KEY (${merge.key.map((position) => nameAt(merge, position)).join(', ')})`)
  const table = `CREATE TABLE IF NOT EXISTS ${quoteQualified(name)} (\n${lines.join(',\n')}\n)`
  const view = readersView(name)
  return merge.deletedFlag === undefined || view === undefined ? [table] : [table, viewStatement(merge, name, view)]
}

/** Definition of one column, as CREATE TABLE and ALTER TABLE … ADD COLUMN take it. */
export function columnDefinition(merge: MergePlan, position: number): string {
  const { type } = must(merge.columns[position], 'a stored column')
  const native = must(typeMapping.nativeType(type), 'a plan has only types that the store can hold')
  const suffix =
    position === merge.deletedFlag ? ' NOT NULL DEFAULT false' : isRequired(merge, position) ? ' NOT NULL' : ''
  // smallint is wider: a sum would leave the declared range unnoticed
  const range = type.name === 'TINYINT' ? ` CHECK (${nameAt(merge, position)} BETWEEN -128 AND 127)` : ''
  return `${nameAt(merge, position)} ${native}${suffix}${range}`
}

/** A row that only its key and sequence is left of holds no payload, so its columns can't be NOT NULL. */
function isRequired(merge: MergePlan, position: number): boolean {
  if (merge.key.includes(position)) return true
  return merge.deletedFlag === undefined && must(merge.columns[position], 'a stored column').nullable === false
}

/** `<table>_live`; undefined if that is too long for a name. */
export function readersView({ schema, name }: QualifiedName): QualifiedName | undefined {
  const view = `${name}_live`
  return identifierFault(view) === undefined ? { schema, name: view } : undefined
}

function viewStatement(merge: MergePlan, table: QualifiedName, view: QualifiedName): string {
  const columns = merge.columns.flatMap(({ hidden }, position) =>
    hidden || position === merge.deletedFlag || position === merge.deletedAt ? [] : [nameAt(merge, position)],
  )
  const flag = nameAt(merge, must(merge.deletedFlag, 'a plan with invisible rows'))
  return [
    `CREATE OR REPLACE VIEW ${quoteQualified(view)} AS`,
    `SELECT ${columns.join(', ')}`,
    `FROM ${quoteQualified(table)}`,
    `WHERE ${flag} IS NOT TRUE`,
  ].join('\n')
}

function nameAt(merge: MergePlan, position: number): string {
  return quoteIdentifier(must(merge.columns[position], 'a stored column').name)
}
