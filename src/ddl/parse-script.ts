import { buildTable, type DeclaredTable, optionRecord } from './build-table.ts'
import { DdlFault } from './ddl-fault.ts'
import { findTable } from './find-table.ts'
import { readSql } from './read-sql.ts'
import type { Script } from './script.ts'
import type { CreateTable, InsertInto, OnConflict, Statement } from './statement.ts'
import type { TableDefinition } from './table-definition.ts'

/**
 * Reads Flink SQL as people paste it: `CREATE TABLE`, `INSERT INTO … ON CONFLICT DO …`, `SET`, statement sets. Other
 * statements are noted. Throws `DDL_SYNTAX` or `DDL_UNSUPPORTED` with the place, the line and a hint.
 */
export function parseScript(sql: string): Script {
  return readSql(sql, (parser) => buildScript(parser.script()))
}

function buildScript(statements: readonly Statement[]): Script {
  const notes: string[] = []
  const inserts: InsertInto[] = []
  const declared = new Map<string, DeclaredTable>()
  const settings = new Map<string, string>()
  for (const statement of statements) {
    switch (statement.kind) {
      case 'create-table':
        declareTable(declared, statement, notes)
        break
      case 'insert':
        inserts.push(statement)
        break
      case 'set':
        settings.set(statement.key, statement.value)
        break
      case 'reset':
        if (statement.key === undefined) settings.clear()
        else settings.delete(statement.key)
        break
      case 'unused':
        if (!frames.has(statement.what)) notes.push(`${statement.what} is not used here`)
        break
    }
  }
  const inForce = recordOf(settings)
  return {
    tables: withInserts([...declared.values()], inserts, inForce, notes),
    inserts: inserts.map(({ target, onConflict }) => ({ target: target.parts, onConflict })),
    settings: inForce,
    notes,
  }
}

/** Words around the INSERTs of a statement set: nothing to remark. */
const frames: ReadonlySet<string> = new Set(['BEGIN', 'STATEMENT', 'END', 'EXECUTE'])

function declareTable(declared: Map<string, DeclaredTable>, statement: CreateTable, notes: string[]): void {
  const name = statement.path.parts.join('.')
  if (!declared.has(name)) {
    declared.set(name, buildTable(statement))
    return
  }
  if (!statement.ifNotExists) throw new DdlFault(statement.path.token, `the table ${name} is created twice`)
  notes.push(`CREATE TABLE IF NOT EXISTS ${name} is not used here: the table is created above`)
}

/** Gives each table what the INSERTs into it say. */
function withInserts(
  declared: readonly DeclaredTable[],
  inserts: readonly InsertInto[],
  settings: Readonly<Record<string, string>>,
  notes: string[],
): readonly TableDefinition[] {
  const byTable = new Map<DeclaredTable, InsertInto[]>(declared.map((table) => [table, []]))
  for (const insert of inserts) {
    const target = insert.target.parts.join('.')
    const table = findTable(declared, target)
    if (table !== undefined) byTable.get(table)?.push(insert)
    else notes.push(`INSERT INTO ${target} is not used here: no CREATE TABLE of this text makes the table`)
  }
  return [...byTable].map(([table, own]) => ({
    ...table,
    options: Object.assign(optionRecord([]), table.options, ...own.map(({ hints }) => optionRecord(hints))),
    notes: [...table.notes, ...own.flatMap(insertNotes)],
    onConflict: conflictOf(own),
    settings,
  }))
}

function conflictOf(inserts: readonly InsertInto[]): OnConflict | undefined {
  const [first, ...others] = inserts
  const other = others.find(({ onConflict }) => onConflict !== first?.onConflict)
  if (other === undefined) return first?.onConflict
  const hint = 'a table has one policy: give each INSERT the same clause'
  throw new DdlFault(other.target.token, 'an INSERT above says otherwise about ON CONFLICT', {
    hint,
    code: 'DDL_UNSUPPORTED',
  })
}

function insertNotes({ overwrite, hints }: InsertInto): string[] {
  return [
    ...(overwrite ? ['OVERWRITE is not used here: rows are merged into the table'] : []),
    ...hints.map(({ key }) => `option ${key} comes from the hint of the INSERT`),
  ]
}

function recordOf(settings: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const record: Record<string, string> = Object.create(null)
  for (const [key, value] of settings) record[key] = value
  return Object.freeze(record)
}
