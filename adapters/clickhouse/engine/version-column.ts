import type { PlannedTable } from '../../../src/connector/connector.ts'
import type { Problem } from '../../../src/errors.ts'
import type { ClickhouseOptions } from '../options.ts'
import type { TableColumn } from './engine.ts'

/** What rows of one key are told apart by. `bytes`: of the integer. */
export function versionColumn({ connectorOptions }: PlannedTable, bytes: 8 | 16 | 32): TableColumn {
  const name = (connectorOptions as ClickhouseOptions)['version-column']
  const type = `UInt${bytes * 8}`
  const isOwn = true
  if (bytes === 8) return { name, type, isOwn, write: (out, { version }) => out.long(version) }
  return { name, type, isOwn, write: (out, { version }) => out.wide(version, bytes) }
}

export function versionProblems(plan: PlannedTable): Problem[] {
  return declaredProblems(plan, 'version-column')
}

/** A column that tidegate keeps cannot be one of the table's. */
export function declaredProblems(
  { merge, connectorOptions }: PlannedTable,
  option: 'version-column' | 'sign-column' | 'kind-column',
): Problem[] {
  const name = (connectorOptions as ClickhouseOptions)[option]
  if (!merge.columns.some((column) => column.name === name)) return []
  const message = `is ${name}, which is a column of the table, and tidegate keeps it`
  return [{ subject: option, message, fix: 'name another column' }]
}
