import { didYouMean } from '../did-you-mean.ts'
import { TidegateError } from '../errors.ts'
import { findTable } from './find-table.ts'
import type { Script } from './script.ts'
import type { TableDefinition } from './table-definition.ts'

/**
 * The table to write into: the one that is named, else the only one, else the only one that an INSERT names (the other
 * tables of a Flink job are its sources). Throws `DDL_UNSUPPORTED` where that leaves a choice.
 */
export function pickTable(script: Script, name?: string | undefined): TableDefinition {
  const { tables } = script
  if (tables.length === 0) {
    throw new TidegateError('the DDL holds no CREATE TABLE', { code: 'DDL_SYNTAX' })
  }
  const names = tables.map((table) => table.path.join('.'))
  if (name !== undefined) {
    const found = findTable(tables, name)
    if (found !== undefined) return found
    const near = didYouMean(name, names)
    const hint = near === undefined ? `there are ${names.join(', ')}` : `did you mean ${near}?`
    throw new TidegateError(`the DDL holds no table ${name}: ${hint}`, { code: 'DDL_UNSUPPORTED' })
  }
  const sinks = sinkTables(script)
  const [only] = sinks
  if (only !== undefined && sinks.length === 1) return only
  const choice = sinks.map((table) => table.path.join('.')).join(', ')
  throw new TidegateError(`the DDL holds several tables: ${choice}; name the one to write into`, {
    code: 'DDL_UNSUPPORTED',
  })
}

/** The tables that INSERTs write into; without an INSERT every table. */
export function sinkTables(script: Script): readonly TableDefinition[] {
  const targets = new Set(script.inserts.map(({ target }) => findTable(script.tables, target.join('.'))))
  const written = script.tables.filter((table) => targets.has(table))
  return written.length > 0 ? written : script.tables
}
