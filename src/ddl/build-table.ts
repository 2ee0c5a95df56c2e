import type { IToken } from 'chevrotain'
import { didYouMean } from '../did-you-mean.ts'
import { type Column, createSchema } from '../row/schema.ts'
import { DdlFault } from './ddl-fault.ts'
import type { CreateTable, OptionPair, PhysicalColumn, PrimaryKey, TableElement } from './statement.ts'
import type { TableDefinition } from './table-definition.ts'
import { nameOf } from './tokens.ts'

/** What a CREATE TABLE says by itself, without the rest of the script. */
export type DeclaredTable = Omit<TableDefinition, 'onConflict' | 'settings'>

/** Throws `DdlFault` where names do not fit together. */
export function buildTable({ path, elements, clauses }: CreateTable): DeclaredTable {
  const declared = declaredColumns(elements)
  const columns = [...declared.values()].flatMap(({ column }) => column ?? [])
  if (columns.length === 0) throw new DdlFault(path.token, `the table ${path.parts.join('.')} has no column to write`)
  const partitions = clauses.flatMap((clause) => (clause.kind === 'partitioned' ? clause.columns : []))
  const distributed = clauses.some(({ kind }) => kind === 'distributed')
  return {
    name: path.parts.at(-1) ?? '',
    path: path.parts,
    schema: createSchema(columns, primaryKeyOf(elements, declared)),
    notWritten: [...declared].flatMap(([name, { reason }]) => (reason === undefined ? [] : { name, reason })),
    notes: [
      ...elements.flatMap(elementNotes),
      ...(partitions.length > 0 ? [partitionNote] : []),
      ...(distributed ? ['DISTRIBUTED is not used here: the store places the rows'] : []),
    ],
    partitionedBy: partitions.map((token) => writtenColumn(token, declared, 'PARTITIONED BY')),
    comment: clauses.find((clause) => clause.kind === 'comment')?.text,
    options: optionRecord(clauses.flatMap((clause) => (clause.kind === 'with' ? clause.options : []))),
  }
}

/** The pairs of a WITH clause, in an object without a prototype. */
export function optionRecord(pairs: readonly OptionPair[]): Record<string, string> {
  const options: Record<string, string> = Object.create(null)
  for (const { token, key, value } of pairs) {
    if (Object.hasOwn(options, key)) throw new DdlFault(token, `the option ${key} is given twice`)
    options[key] = value
  }
  return options
}

/** A column of any kind: one that is written, or the reason why it is not. */
interface Declared {
  readonly column?: Column | undefined
  readonly reason?: string | undefined
}

function declaredColumns(elements: readonly TableElement[]): ReadonlyMap<string, Declared> {
  const declared = new Map<string, Declared>()
  for (const element of elements) {
    if (element.kind !== 'column' && element.kind !== 'computed') continue
    const name = nameOf(element.name)
    if (declared.has(name)) throw new DdlFault(element.name, `the column ${name} is declared twice`)
    declared.set(name, element.kind === 'computed' ? { reason: 'is computed' } : physical(name, element))
  }
  return declared
}

function physical(name: string, { type, attributes }: PhysicalColumn): Declared {
  if (attributes.some(({ kind }) => kind === 'metadata')) return { reason: 'is a METADATA column' }
  const nullability = attributes.findLast(({ kind }) => kind === 'null' || kind === 'not-null')
  return {
    column: {
      name,
      type: type.type,
      nullable: nullability === undefined ? type.nullable : nullability.kind === 'null',
      comment: attributes.find((attribute) => attribute.kind === 'comment')?.text,
    },
  }
}

function primaryKeyOf(elements: readonly TableElement[], declared: ReadonlyMap<string, Declared>): string[] {
  const [key, second] = elements.flatMap(primaryKeys)
  if (second !== undefined) throw new DdlFault(second.token, 'the table has two primary keys')
  if (key === undefined) return []
  if (key.columns.length === 0) throw new DdlFault(key.token, 'PRIMARY KEY needs its columns in parentheses')
  const names = key.columns.map((token) => writtenColumn(token, declared, 'PRIMARY KEY'))
  const twice = key.columns.find((token, index) => names.indexOf(nameOf(token)) < index)
  if (twice !== undefined) throw new DdlFault(twice, `${nameOf(twice)} is in the PRIMARY KEY twice`)
  return names
}

/** A key that stands with its column is the key of that column. */
function primaryKeys(element: TableElement): PrimaryKey[] {
  if (element.kind === 'primary-key') return [element]
  if (element.kind !== 'column') return []
  const inline = element.attributes.filter((attribute) => attribute.kind === 'primary-key')
  return inline.map((key) => (key.columns.length === 0 ? { ...key, columns: [element.name] } : key))
}

/** The name of a column that must be one of those that are written. */
function writtenColumn(token: IToken, declared: ReadonlyMap<string, Declared>, clause: string): string {
  const name = nameOf(token)
  const found = declared.get(name)
  if (found?.column !== undefined) return name
  if (found !== undefined)
    throw new DdlFault(token, `${name} is in the ${clause} but ${found.reason}, so it is not written`)
  const near = didYouMean(name, declared.keys())
  const hint = near === undefined ? undefined : `${name}: did you mean ${near}?`
  throw new DdlFault(token, `${name} is in the ${clause} but is no column of the table`, { hint })
}

export const partitionNote = 'PARTITIONED BY is not used here: the store places the rows'

const uniqueNote = 'UNIQUE is not used here: the store checks it'

function elementNotes(element: TableElement): string[] {
  switch (element.kind) {
    case 'watermark':
      return [`WATERMARK FOR ${element.of} is not used here`]
    case 'unique':
      return [uniqueNote]
    case 'column':
      return [
        ...(element.type.innerNotNull ? [`NOT NULL inside the type of ${nameOf(element.name)} is not checked`] : []),
        ...(element.attributes.some(({ kind }) => kind === 'unique') ? [uniqueNote] : []),
      ]
    default:
      return []
  }
}
