import { must } from '../../../src/assert.ts'
import type { Contribution, MergeChange } from '../../../src/merge/merge-change.ts'
import type { Value } from '../../../src/row/value.ts'
import type { WireType } from '../binary-array.ts'
import { identifierFault, quoteIdentifier } from '../identifier.ts'
import type { Target, TargetColumn } from '../target.ts'

/** One array parameter of a statement: a column of the staged set `s`. */
export interface StagedColumn {
  readonly name: string
  readonly wire: WireType
  /** What the change puts into it; undefined is NULL. */
  readonly value: (change: MergeChange) => unknown
  /** For the message when a value can't be encoded. */
  readonly label: string
}

/** A statement over a staged set, ready to be sent with the arrays of a wave. */
export interface StagedStatement {
  /** Short, and unique among the statements of a table: it is prepared under this name. */
  readonly name: string
  readonly text: string
  readonly columns: readonly StagedColumn[]
}

/**
 * The columns that a statement stages, gathered while its expressions are written: each asks for what it needs and gets
 * the SQL for it.
 */
export class StagedSet {
  readonly columns: StagedColumn[] = []
  readonly #target: Target
  readonly #read: (change: MergeChange, position: number) => Contribution

  /** `read`: what a change says of a column, if it is not simply what stands in its row. */
  constructor(target: Target, read = (change: MergeChange, position: number): Contribution => change.row[position]) {
    this.#target = target
    this.#read = read
  }

  /** The change's value of a stored column, in the column's own type. */
  value(position: number): string {
    const column = columnAt(this.#target, position)
    const { binding } = column
    const read = this.#read
    this.#add(column.name, binding.wire, `column ${column.name}`, (change) => encoded(column, read(change, position)))
    return this.#reference(column)
  }

  /** Another value in the type of a stored column, e.g. what is to be taken out of a collected array. */
  derived(position: number, word: string, value: (change: MergeChange) => Contribution): string {
    const column = columnAt(this.#target, position)
    const name = this.#freeName(`${column.name} ${word}`, `${word} ${position}`)
    this.#add(name, column.binding.wire, `column ${column.name}`, (change) => encoded(column, value(change)))
    return this.#reference({ ...column, name })
  }

  /** Whether the change says anything about the column, or another question about it. */
  has(position: number, word = '', test?: (change: MergeChange) => boolean): string {
    const read = this.#read
    const said = test ?? ((change: MergeChange): boolean => read(change, position) !== undefined)
    const { name } = columnAt(this.#target, position)
    return this.flag(this.#freeName(`${name}${word === '' ? '' : ` ${word}`}?`, `${word}? ${position}`), said)
  }

  /** A property of the change itself. */
  flag(name: string, test: (change: MergeChange) => boolean): string {
    this.#add(name, 'bool', name, test)
    return `s.${quoteIdentifier(name)}`
  }

  /** `unnest($1::int8[], $2::text[]) AS s ("id", "name")`: one statement text for any number of rows. */
  from(): string {
    return `${this.#arrays()} AS s (${this.#names()})`
  }

  /** The same with the place of each change among those that were staged, from 1, as `s."#"`. */
  numbered(): string {
    return `${this.#arrays()} WITH ORDINALITY AS s (${this.#names()}, "#")`
  }

  #arrays(): string {
    return `unnest(${this.columns.map(({ wire }, index) => `$${index + 1}::${wire}[]`).join(', ')})`
  }

  #names(): string {
    return this.columns.map(({ name }) => quoteIdentifier(name)).join(', ')
  }

  #reference({ name, binding }: Pick<TargetColumn, 'name' | 'binding'>): string {
    const sql = `s.${quoteIdentifier(name)}`
    return binding.cast === undefined ? sql : `${sql}::${binding.cast}`
  }

  #add(name: string, wire: WireType, label: string, value: StagedColumn['value']): void {
    if (!this.columns.some((column) => column.name === name)) this.columns.push({ name, wire, label, value })
  }

  /** Names of ours never meet one of the table's, and never are too long. */
  #freeName(preferred: string, short: string): string {
    const isTaken = (name: string): boolean => this.#target.columns.some((column) => column.name === name)
    if (identifierFault(preferred) === undefined && !isTaken(preferred)) return preferred
    let name = short
    while (isTaken(name)) name += '?'
    return name
  }
}

function encoded({ binding }: Pick<TargetColumn, 'binding'>, value: unknown): unknown {
  if (value === undefined || value === null || binding.encode === undefined) return value
  return binding.encode(value as Value)
}

export function columnAt(target: Target, position: number): TargetColumn {
  return must(target.columns[position], 'a stored column')
}

export function quotedName(target: Target, position: number): string {
  return quoteIdentifier(columnAt(target, position).name)
}

export function storedValue(target: Target, position: number): string {
  return `t.${quotedName(target, position)}`
}

export function excludedValue(target: Target, position: number): string {
  return `EXCLUDED.${quotedName(target, position)}`
}

export function columnList(target: Target, positions: readonly number[]): string {
  return positions.map((position) => quotedName(target, position)).join(', ')
}

/** `t."a" = s."a" AND t."b" = s."b"` over the primary key. */
export function keysEqual(target: Target, key: readonly number[], set: StagedSet): string {
  return key.map((position) => `${storedValue(target, position)} = ${set.value(position)}`).join(' AND ')
}
