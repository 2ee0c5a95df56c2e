import { must } from '../../src/assert.ts'
import { type Problem, problemsError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import { identifierFault, parseQualifiedName, type QualifiedName } from './identifier.ts'
import { type ColumnCodec, columnCodec, typeMapping } from './type-mapping.ts'

/** A table as the statements see it: one entry a stored column of the plan, in its order. */
export interface Target {
  readonly name: QualifiedName
  readonly columns: readonly TargetColumn[]
}

export interface TargetColumn {
  readonly name: string
  readonly codec: ColumnCodec
}

/** The option `table-name`, else the declared name as it is. */
export function targetName(plan: TablePlan): QualifiedName {
  const option = plan.connectorOptions['table-name']
  if (option === undefined) return { database: undefined, name: plan.name }
  return must(parseQualifiedName(String(option)), 'the option table checks table-name')
}

/** The table with its names and types checked. Throws `PLAN_REFUSED`. */
export function plannedTarget(plan: TablePlan): Target {
  const problems: Problem[] = []
  const name = targetName(plan)
  for (const part of name.database === undefined ? [name.name] : [name.database, name.name]) {
    const fault = identifierFault(part)
    if (fault !== undefined) problems.push({ subject: 'table-name', message: `the name ${fault}` })
  }
  for (const column of plan.merge.columns) {
    const subject = `column ${column.name}`
    const fault = identifierFault(column.name)
    if (fault !== undefined) problems.push({ subject, message: `the name ${fault}` })
    if (typeMapping.nativeType(column.type) === undefined) {
      const message = `${formatDataType(column.type)} has no type in MySQL that holds all its values`
      problems.push({ subject, message, fix: 'declare a lower precision' })
    }
  }
  const lowered = plan.merge.columns.map((column) => column.name.toLowerCase())
  for (const [at, name] of lowered.entries()) {
    if (lowered.indexOf(name) === at) continue
    const message = 'differs from another column in case only, and MySQL takes both for one'
    problems.push({ subject: `column ${plan.merge.columns[at]?.name ?? ''}`, message })
  }
  if (problems.length > 0) {
    throw problemsError(`table ${plan.name} cannot be held by MySQL:`, problems, {
      code: 'PLAN_REFUSED',
      connector: 'mysql',
      table: plan.name,
    })
  }
  return { name, columns: plan.merge.columns.map((column) => ({ name: column.name, codec: columnCodec(column.type) })) }
}
