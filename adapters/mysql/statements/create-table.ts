import { must } from '../../../src/assert.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import { identifierFault, type QualifiedName, quoteIdentifier, quoteQualified } from '../identifier.ts'
import { plannedTarget, type Target } from '../target.ts'
import { keyType, typeMapping } from '../type-mapping.ts'
import { quotedName, tableName } from './staged.ts'

/** The table that fits the plan, and for tables with invisible rows the view that readers go through (rules G2, A4). */
export function createTable(plan: TablePlan): readonly string[] {
  const { merge } = plan
  const target = plannedTarget(plan)
  const lines = [...merge.columns.keys()].map((at) => `  ${columnDefinition(merge, at)}`)
  if (merge.key.length > 0) lines.push(`  PRIMARY KEY (${merge.key.map((at) => quotedName(target, at)).join(', ')})`)
  const table = `CREATE TABLE IF NOT EXISTS ${tableName(target)} (\n${lines.join(',\n')}\n) ENGINE = InnoDB`
  const view = readersView(target.name)
  return merge.deletedFlag === undefined || view === undefined ? [table] : [table, viewStatement(merge, target, view)]
}

/** Definition of one column, as CREATE TABLE and ALTER TABLE … ADD COLUMN take it. */
export function columnDefinition(merge: MergePlan, at: number): string {
  const { name, type } = must(merge.columns[at], 'a stored column')
  const isKey = merge.key.includes(at)
  const native = isKey ? keyType(type, textColumns(merge)) : typeMapping.nativeType(type)
  const suffix = at === merge.deletedFlag ? ' NOT NULL DEFAULT FALSE' : isRequired(merge, at) ? ' NOT NULL' : ' NULL'
  return `${quoteIdentifier(name)} ${must(native, 'a plan has only types that the store can hold')}${suffix}`
}

/** `<table>_live`; undefined if that is too long for a name. */
export function readersView({ database, name }: QualifiedName): QualifiedName | undefined {
  const view = `${name}_live`
  return identifierFault(view) === undefined ? { database, name: view } : undefined
}

/** A row that only its key and sequence is left of holds no payload, so its columns can't be NOT NULL. */
function isRequired(merge: MergePlan, at: number): boolean {
  if (merge.key.includes(at)) return true
  return merge.deletedFlag === undefined && must(merge.columns[at], 'a stored column').nullable === false
}

function textColumns({ columns, key }: MergePlan): number {
  return key.filter((at) => /TEXT|BLOB/.test(typeMapping.nativeType(must(columns[at], 'a key column').type) ?? ''))
    .length
}

function viewStatement(merge: MergePlan, target: Target, view: QualifiedName): string {
  const columns = merge.columns.flatMap(({ hidden }, at) =>
    hidden || at === merge.deletedFlag || at === merge.deletedAt ? [] : [quotedName(target, at)],
  )
  const flag = quotedName(target, must(merge.deletedFlag, 'a plan with invisible rows'))
  return [
    `CREATE OR REPLACE VIEW ${quoteQualified(view)} AS`,
    `SELECT ${columns.join(', ')}`,
    `FROM ${tableName(target)}`,
    `WHERE ${flag} IS NOT TRUE`,
  ].join('\n')
}
