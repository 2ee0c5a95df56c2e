import { must } from '../../src/assert.ts'
import type { Problem } from '../../src/errors.ts'
import type { ContributionRow } from '../../src/merge/merge-change.ts'
import { keyText } from '../../src/row/row-key.ts'
import type { Column, Schema } from '../../src/row/schema.ts'
import type { Value } from '../../src/row/value.ts'
import { wellFormed } from './type-mapping.ts'

/**
 * Names of keys: text as it is written, and `<column>` for the value of a key column. Braces are a cluster's hash tag.
 * A value keeps letters, digits, `-`, `_`, `.`, `~` and everything beyond ASCII; any other character is written as `%XX`, so
 * that a value never holds what stands between two values, and different rows never share a key.
 */
export interface KeyTemplate {
  /** Positions of the columns in it. */
  readonly columns: readonly number[]
  /** Text before the first value: every key of the table begins with it. */
  readonly prefix: string
  /** The template without the names of its columns: tables of the same shape would share keys. */
  readonly shape: string
  /** Throws `UnsendableValue`. */
  keyOf(row: ContributionRow): string
  /** Texts of the columns in a key; undefined if the template has not made it. */
  partsOf(key: string): readonly string[] | undefined
}

interface Segment {
  readonly column: number
  /** Text behind the value. */
  readonly text: string
}

/** Of a template that has no problems. */
export function createKeyTemplate(template: string, schema: Schema): KeyTemplate {
  const { prefix, parts } = split(template)
  const segments = parts.map(({ name, text }): Segment => {
    return { column: must(schema.positions.get(name), 'the template is checked'), text }
  })
  const types = segments.map(({ column }) => (schema.columns[column] as Column).type)
  const pattern = new RegExp(
    `^${escapePattern(prefix)}${segments.map(({ text }) => `${valuePattern}${escapePattern(text)}`).join('')}$`,
    'u',
  )
  return {
    columns: segments.map(({ column }) => column),
    prefix,
    shape: [prefix, ...segments.map(({ text }) => text)].join('\0'),
    keyOf(row) {
      let key = prefix
      for (let index = 0; index < segments.length; index++) {
        const { column, text } = segments[index] as Segment
        key += encodePart(keyText(types[index] as Column['type'], row[column] as Value)) + text
      }
      return key
    },
    partsOf: (key) => pattern.exec(key)?.slice(1).map(decodePart),
  }
}

/** `table:<a>:<b>` */
export function defaultTemplate(table: string, keyColumns: readonly string[]): string {
  return [encodePart(table), ...keyColumns.map(placeholder)].join(':')
}

/** What is wrong with a template that may hold the columns named in `allowed`, and must hold those in `needed`. */
export function templateProblems(
  template: string,
  allowed: readonly string[],
  needed: readonly string[],
): readonly Problem[] {
  const problems: Problem[] = []
  const fail = (message: string, fix: string): void => {
    problems.push({ subject: 'key', message, fix })
  }
  const { prefix, parts } = split(template)
  const names = parts.map(({ name }) => name)
  if ([prefix, ...parts.map(({ text }) => text)].some((text) => /[<>]/.test(text))) {
    fail('has a < or > that stands for no column', 'write <column>')
  }
  const unknown = names.filter((name) => !allowed.includes(name))
  if (unknown.length > 0) {
    fail(`names ${unknown.join(', ')}, which can't be a part of it`, `it may hold ${allowed.join(', ')}`)
  }
  const missing = needed.filter((name) => !names.includes(name))
  if (missing.length > 0)
    fail(`lacks ${missing.join(', ')}: different rows would share a key`, `add ${placeholder(missing[0] ?? '')}`)
  if (prefix === '') fail('begins with a value: the keys of the table could not be found', 'put a name in front')
  const joined = parts.slice(0, -1).filter(({ text }) => !separator.test(text))
  if (joined.length > 0) {
    const example = names.slice(0, 2).map(placeholder).join(':')
    fail('has two values with nothing between them that a value can never hold', `write, say, ${example}`)
  }
  return problems
}

/** What an encoded value never holds. */
const separator = /[^A-Za-z0-9\-_.~%\u0080-\u{10FFFF}]/u
const valuePattern = '([A-Za-z0-9\\-_.~%\\u0080-\\u{10FFFF}]*)'

/** A `>` in a name is written twice. */
export function placeholder(name: string): string {
  return `<${name.replaceAll('>', '>>')}>`
}

function split(template: string): { prefix: string; parts: readonly { name: string; text: string }[] } {
  const [prefix = '', ...rest] = template.split(/(<(?:[^>]|>>)*>(?!>))/)
  const parts: { name: string; text: string }[] = []
  for (let index = 0; index < rest.length; index += 2) {
    const name = (rest[index] ?? '').slice(1, -1).replaceAll('>>', '>')
    parts.push({ name, text: rest[index + 1] ?? '' })
  }
  return { prefix, parts }
}

/** Collision-free, since `%` itself is written as `%25`. */
export function encodePart(text: string): string {
  if (/^[A-Za-z0-9\-_.~]*$/.test(text)) return text
  return wellFormed(text).replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are among what is written in hex
    /[\u0000-\u007F]/g,
    (character) =>
      /[A-Za-z0-9\-_.~]/.test(character)
        ? character
        : `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

function decodePart(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
