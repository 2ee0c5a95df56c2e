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
  /** Where what was asked for stands in `columns`. */
  readonly #places = new Map<string, number>()
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
    const read = this.#read
    return this.#typed(column, `value ${position}`, column.name, (change) => read(change, position))
  }

  /** Another value in the type of a stored column, e.g. what is to be taken out of a collected array. */
  derived(position: number, word: string, value: (change: MergeChange) => Contribution): string {
    const column = columnAt(this.#target, position)
    return this.#typed(column, `${word} ${position}`, this.#freeName(`${column.name} ${word}`, word), value)
  }

  /** Whether the change says anything about the column, or another question about it. */
  has(position: number, word = '', test?: (change: MergeChange) => boolean): string {
    const read = this.#read
    const said = test ?? ((change: MergeChange): boolean => read(change, position) !== undefined)
    const { name } = columnAt(this.#target, position)
    return this.#flag(`has ${word} ${position}`, `${name}${word === '' ? '' : ` ${word}`}?`, said)
  }

  /** A property of the change itself. */
  flag(name: string, test: (change: MergeChange) => boolean): string {
    return this.#flag(`flag ${name}`, name, test)
  }

  /** `unnest($1::int8[], $2::text[]) AS s ("id", "name")`: one statement text for any number of rows. */
  from(): string {
    return `${this.#arrays()} AS s (${this.#names()})`
  }

  /** The same with the place of each change among those that were staged, from 1, and the SQL for that place. */
  numbered(): { readonly from: string; readonly number: string } {
    const name = quoteIdentifier(this.#freeName('#', '#'))
    return { from: `${this.#arrays()} WITH ORDINALITY AS s (${this.#names()}, ${name})`, number: `s.${name}` }
  }

  #arrays(): string {
    return `unnest(${this.columns.map(({ wire }, index) => `$${index + 1}::${wire}[]`).join(', ')})`
  }

  #names(): string {
    return this.columns.map(({ name }) => quoteIdentifier(name)).join(', ')
  }

  #typed(column: TargetColumn, key: string, name: string, value: (change: MergeChange) => Contribution): string {
    const { binding } = column
    const label = `column ${column.name}`
    const sql = this.#add(key, { name, wire: binding.wire, label, value: (change) => encoded(column, value(change)) })
    return binding.cast === undefined ? sql : `${sql}::${binding.cast}`
  }

  #flag(key: string, preferred: string, test: (change: MergeChange) => boolean): string {
    if (this.#places.has(key)) return this.#at(key)
    const name = this.#freeName(preferred, '?')
    return this.#add(key, { name, wire: 'bool', label: name, value: test })
  }

  #add(key: string, column: StagedColumn): string {
    if (!this.#places.has(key)) this.#places.set(key, this.columns.push(column) - 1)
    return this.#at(key)
  }

  #at(key: string): string {
    const place = must(this.#places.get(key), 'a column that was added')
    return `s.${quoteIdentifier(must(this.columns[place], 'a column that was added').name)}`
  }

  /** Names of ours never meet one of the table's or each other, and never are too long. */
  #freeName(preferred: string, short: string): string {
    const taken = new Set([...this.#target.columns, ...this.columns].map(({ name }) => name))
    if (identifierFault(preferred) === undefined && !taken.has(preferred)) return preferred
    for (let number = this.columns.length; ; number++) {
      if (!taken.has(`${short}${number}`)) return `${short}${number}`
    }
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
