import { must } from '../../src/assert.ts'
import type { PlannedTable } from '../../src/connector/connector.ts'
import type { Problem } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Engine, TableColumn } from './engine/engine.ts'
import { engineOf } from './engine/engine-of.ts'
import { identifierFault, parseQualifiedName, type QualifiedName } from './identifier.ts'
import type { ClickhouseOptions } from './options.ts'

/** A table as the statements see it. */
export interface Target {
  readonly plan: TablePlan
  readonly name: QualifiedName
  readonly engine: Engine
  /** In the order of the insert. */
  readonly columns: readonly TableColumn[]
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
  const engine = engineOf(plan)
  return { plan, name: targetName(plan), engine, columns: engine.columns(plan) }
}

/** What stands behind the name of the table in a reader's FROM; undefined: nothing. */
export function readingOf({ plan, engine: { reading } }: Pick<Target, 'plan' | 'engine'>): string | undefined {
  return typeof reading === 'function' ? reading(plan) : reading
}

/** What ClickHouse cannot hold of a table, refused with the plan. */
export function targetProblems(plan: PlannedTable): readonly Problem[] {
  const problems: Problem[] = []
  const name = targetName(plan)
  for (const part of name.database === undefined ? [name.name] : [name.database, name.name]) {
    const fault = identifierFault(part)
    if (fault !== undefined) problems.push({ subject: 'table-name', message: `the name ${fault}` })
  }
  for (const column of plan.merge.columns) {
    const fault = identifierFault(column.name)
    if (fault !== undefined) problems.push({ subject: `column ${column.name}`, message: `the name ${fault}` })
  }
  return [...problems, ...engineOf(plan).problems(plan)]
}
