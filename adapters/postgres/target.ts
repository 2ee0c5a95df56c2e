import { must } from '../../src/assert.ts'
import { type Problem, problemsError } from '../../src/errors.ts'
import type { MergePlan, StoredColumn } from '../../src/merge/merge-plan.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { columnNameFault, identifierFault, parseQualifiedName, type QualifiedName } from './identifier.ts'
import { type Binding, bindNative } from './type-mapping.ts'

/** A table as the statements see it: one entry a stored column of the plan, in its order. */
export interface Target {
  readonly name: QualifiedName
  readonly columns: readonly TargetColumn[]
}

export interface TargetColumn {
  readonly name: string
  readonly binding: Binding
  /** What a row gets that does not say anything about the column; undefined: NULL. An expression of the catalog's own. */
  readonly defaultSql: string | undefined
  /** `GENERATED ALWAYS AS IDENTITY`: takes values only when told so. */
  readonly identityAlways: boolean
  readonly notNull: boolean
}

/** The target as tidegate would create it: what `explain`, `ddl` and the golden files go by. Throws `PLAN_REFUSED`. */
export function plannedTarget(plan: TablePlan): Target {
  const problems: Problem[] = []
  const columns = plan.merge.columns.map((column) => plannedColumn(column, problems))
  problems.push(...columns.flatMap((column, position) => collectFault(plan.merge, position, column?.binding) ?? []))
  const { schema, name } = targetName(plan)
  for (const part of schema === undefined ? [name] : [schema, name]) {
    const fault = identifierFault(part)
    if (fault !== undefined) problems.push({ subject: 'table-name', message: `the name ${fault}` })
  }
  if (problems.length > 0) {
    throw problemsError(`table ${plan.name} cannot be held by PostgreSQL:`, problems, {
      code: 'PLAN_REFUSED',
      connector: 'postgres',
      table: plan.name,
    })
  }
  return { name: targetName(plan), columns: columns.map((column) => must(column, 'a column without fault')) }
}

/** The option `table-name`, else the declared name as it is. */
export function targetName(plan: TablePlan): QualifiedName {
  const option = plan.connectorOptions['table-name']
  if (option === undefined) return { schema: undefined, name: plan.name }
  return must(parseQualifiedName(String(option)), 'the option table checks table-name')
}

/** `collect` takes elements out of an array and puts them in, which a jsonb value is none. */
export function collectFault(merge: MergePlan, position: number, binding: Binding | undefined): Problem | undefined {
  const rule = merge.rules[position]
  if (rule?.kind !== 'aggregate' || rule.function !== 'collect' || binding === undefined) return undefined
  if (binding.type.endsWith('[]')) return undefined
  return {
    subject: `column ${merge.columns[position]?.name ?? ''}`,
    message: `collect needs an array of scalars, and ${binding.type} is none`,
    fix: 'collect elements of a scalar type',
  }
}

function plannedColumn(column: StoredColumn, problems: Problem[]): TargetColumn | undefined {
  const nameFault = columnNameFault(column.name)
  if (nameFault !== undefined) problems.push({ subject: `column ${column.name}`, message: `the name ${nameFault}` })
  const bound = bindNative(column.type)
  if ('fault' in bound) {
    problems.push({
      subject: `column ${column.name}`,
      message: `${formatDataType(column.type)} has no type in PostgreSQL that holds all its values`,
      fix: bound.fix,
    })
    return undefined
  }
  return {
    name: column.name,
    binding: bound.binding,
    defaultSql: undefined,
    identityAlways: false,
    notNull: !column.nullable,
  }
}
