import { must } from '../../../src/assert.ts'
import type { MergePlan, Sequence } from '../../../src/merge/merge-plan.ts'
import type { DataType } from '../../../src/row/data-type.ts'

/** A text constant of Painless. Only names and delimiters of the plan are written so, never values of rows (rule C1). */
export function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

export function quotedList(texts: readonly string[]): string {
  return `new String[] {${texts.map(quoted).join(', ')}}`
}

export function nameAt({ columns }: Pick<MergePlan, 'columns'>, position: number): string {
  return must(columns[position], 'a stored column').name
}

export function namesAt(plan: Pick<MergePlan, 'columns'>, positions: readonly number[]): readonly string[] {
  return positions.map((position) => nameAt(plan, position))
}

/** How values of a type compare, as the function `compareValues` of the library knows it. */
export type Comparison = 'whole' | 'decimal' | 'float' | 'date' | 'text'

export function comparisonOf({ name }: DataType): Comparison {
  switch (name) {
    case 'TINYINT':
    case 'SMALLINT':
    case 'INT':
    case 'BIGINT':
      return 'whole'
    case 'DECIMAL':
      return 'decimal'
    case 'FLOAT':
    case 'DOUBLE':
      return 'float'
    case 'DATE':
    case 'TIMESTAMP':
    case 'TIMESTAMP_LTZ':
      return 'date'
    default:
      return 'text'
  }
}

/** Expressions about one sequence. */
export interface SequenceText {
  readonly names: readonly string[]
  /** Order of the sequence in one map to that in another: positive if that of `a` is newer. */
  compare(a: string, b: string, aNames?: readonly string[], bNames?: readonly string[]): string
  /** Does an order of a change to what is stored let it take effect? */
  passes(order: string): string
  /** Was any field of it sent, be it null? */
  isSent(row: string): string
}

export function sequenceText(plan: MergePlan, sequence: Sequence): SequenceText {
  const names = namesAt(plan, sequence.columns)
  const kinds = quotedList(
    sequence.columns.map((position) => comparisonOf(must(plan.columns[position], 'a stored column').type)),
  )
  return {
    names,
    compare: (a, b, aNames = names, bNames = names) =>
      `compareSequences(${kinds}, ${sequence.descending}, ${a}, ${quotedList(aNames)}, ${b}, ${quotedList(bNames)})`,
    passes: (order) => `${order} ${sequence.tie === 'last-arrival' ? '>=' : '>'} 0`,
    isSent: (row) => names.map((name) => `${row}.containsKey(${quoted(name)})`).join(' || '),
  }
}
