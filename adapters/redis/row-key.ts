import { must } from '../../src/assert.ts'
import type { MergePlan } from '../../src/merge/merge-plan.ts'
import type { Value } from '../../src/row/value.ts'
import { encodeValue } from './type-mapping.ts'

/** How rows are named: `prefix`, then the values of the key, joined by `:`; those of the hash tag first, in braces. */
export interface KeyTemplate {
  readonly prefix: string
  /** Positions of the columns between the braces; empty: there are none. */
  readonly hashTag: readonly number[]
  readonly rest: readonly number[]
}

export function keyTemplate(merge: MergePlan, prefix: string, hashTagColumns: readonly string[]): KeyTemplate {
  const hashTag = hashTagColumns.map((name) =>
    must(
      merge.key.find((at) => merge.columns[at]?.name === name),
      'the plan checks key.hash-tag',
    ),
  )
  return { prefix, hashTag, rest: merge.key.filter((at) => !hashTag.includes(at)) }
}

/** Throws `UnsendableValue`. Rows of different keys never share a name. */
export function rowKey({ prefix, hashTag, rest }: KeyTemplate, merge: MergePlan, row: ArrayLike<unknown>): string {
  const part = (at: number): string => {
    const type = must(merge.columns[at], 'a key column').type
    return escapePart(encodeValue(type, row[at] as Value))
  }
  const others = rest.map(part).join(':')
  if (hashTag.length === 0) return prefix + others
  return `${prefix}{${hashTag.map(part).join(':')}}${rest.length === 0 ? '' : `:${others}`}`
}

/** What has a meaning in a name, or could not be told from it: the separator, braces, blanks and control characters. */
function escapePart(text: string): string {
  return text.replace(/[%:{}\s\p{Cc}]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  )
}
