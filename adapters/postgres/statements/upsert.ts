import { must } from '../../../src/assert.ts'
import type { MergeChange } from '../../../src/merge/merge-change.ts'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { quoteIdentifier, quoteQualified } from '../identifier.ts'
import type { Target } from '../target.ts'
import { notOlder } from './gate.ts'
import {
  columnList,
  columnValue,
  excludedValue,
  type StagedColumn,
  type StagedStatement,
  stagedValue,
  storedValue,
  unnest,
} from './staged.ts'

/**
 * Whole rows under `deduplicate` and `first-row`, and with the flag column also gated deletes: one atomic statement, so two
 * writers of a key converge. The gate stands in WHERE, so a stale row is not rewritten.
 */
export function upsertStatement(plan: MergePlan, target: Target): StagedStatement {
  const positions = plan.columns.map((_, position) => position)
  const columns = positions.map((position) => writtenColumn(plan, target, position))
  const select = positions.map((position) => stagedValue(target, position)).join(', ')
  const text = [
    `INSERT INTO ${quoteQualified(target.name)} AS t (${columnList(target, positions)})${overriding(target)}`,
    `SELECT ${select}`,
    `FROM ${unnest(columns)}`,
    ...conflictClause(plan, target, positions),
  ].join('\n')
  return { text, columns }
}

/** Lets values into a `GENERATED ALWAYS AS IDENTITY` column. */
export function overriding(target: Target): string {
  return target.columns.some(({ identityAlways }) => identityAlways) ? ' OVERRIDING SYSTEM VALUE' : ''
}

function conflictClause(plan: MergePlan, target: Target, positions: readonly number[]): string[] {
  if (plan.key.length === 0) return []
  const written = positions.filter((position) => !plan.key.includes(position))
  const conflict = `ON CONFLICT (${columnList(target, plan.key)})`
  if (plan.engine === 'first-row' || written.length === 0) return [`${conflict} DO NOTHING`]
  const assignments = written.map(
    (position) => `${columnList(target, [position])} = ${excludedValue(target, position)}`,
  )
  const update = `${conflict} DO UPDATE SET ${assignments.join(', ')}`
  if (plan.sequence?.gates !== true) return [update]
  const gate = notOlder(
    target,
    plan.sequence,
    (position) => storedValue(target, position),
    (position) => excludedValue(target, position),
  )
  return [update, `WHERE ${gate}`]
}

function writtenColumn(plan: MergePlan, target: Target, position: number): StagedColumn {
  if (position !== plan.deletedFlag) return columnValue(target, position)
  const { name } = must(target.columns[position], 'a stored column')
  return { name, wire: 'bool', label: `column ${name}`, value: isDelete }
}

function isDelete({ op }: MergeChange): boolean {
  return op === 'delete'
}

/** Rows that are there are removed; a delete of no row does nothing. */
export function deleteStatement(plan: MergePlan, target: Target): StagedStatement {
  const [first, second] = plan.key
  if (first !== undefined && second === undefined) {
    const column = columnValue(target, first)
    const { cast } = must(target.columns[first], 'a stored column').binding
    const array = cast === undefined ? `$1::${column.wire}[]` : `$1::${column.wire}[]::${cast}[]`
    return {
      text: `DELETE FROM ${quoteQualified(target.name)} AS t\nWHERE t.${quoteIdentifier(column.name)} = ANY(${array})`,
      columns: [column],
    }
  }
  const columns = plan.key.map((position) => columnValue(target, position))
  const keys = plan.key.map((position) => `${storedValue(target, position)} = ${stagedValue(target, position)}`)
  return {
    text: `DELETE FROM ${quoteQualified(target.name)} AS t\nUSING ${unnest(columns)}\nWHERE ${keys.join(' AND ')}`,
    columns,
  }
}
