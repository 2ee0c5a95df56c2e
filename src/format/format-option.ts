import { didYouMean } from '../did-you-mean.ts'
import type { Problem } from '../errors.ts'
import type { FormatOptions } from './format.ts'

/** What an option of a format may be: one of some words, or any text. The first word is the default. */
export type FormatOptionValues = readonly [string, ...string[]] | 'text'

/** Effective options of a format by name; text that is not given is undefined. */
export type ReadOptions<Table extends Record<string, FormatOptionValues>> = {
  readonly [Name in keyof Table]: Table[Name] extends readonly string[] ? Table[Name][number] : string | undefined
}

/** Options of Flink's formats that change nothing here, with what happens instead being documented in docs/formats. */
const acceptedEverywhere = new Set([
  'ignore-parse-errors',
  'timestamp-format.standard',
  'map-null-key.mode',
  'map-null-key.literal',
  'encode.decimal-as-plain-number',
  'encode.ignore-null-fields',
  'fail-on-missing-field',
])

/** Reads the options of a format by its table; whatever is wrong with them is pushed to `problems`. */
export function readFormatOptions<const Table extends Record<string, FormatOptionValues>>(
  format: string,
  table: Table,
  { options }: FormatOptions,
  problems: Problem[],
): ReadOptions<Table> {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(table, name) || acceptedEverywhere.has(name)) continue
    const nearest = didYouMean(name, Object.keys(table))
    const fix = nearest === undefined ? namesOf(table) : `did you mean ${format}.${nearest}?`
    problems.push({ subject: `${format}.${name}`, message: `is no option of the format ${format}`, fix })
  }
  const effective: Record<string, string | undefined> = {}
  for (const [name, values] of Object.entries(table)) {
    const given = Object.hasOwn(options, name) ? options[name] : undefined
    effective[name] = values === 'text' ? given : wordOf(`${format}.${name}`, given, values, problems)
  }
  return effective as ReadOptions<Table>
}

/** For a format that has no options of its own. */
export function noOptions(format: string, options: FormatOptions, problems: Problem[]): void {
  readFormatOptions(format, {}, options, problems)
}

function wordOf(
  subject: string,
  given: string | undefined,
  values: readonly [string, ...string[]],
  problems: Problem[],
): string {
  if (given === undefined) return values[0]
  const word = given.trim().toLowerCase()
  if (values.includes(word)) return word
  problems.push({ subject, message: `cannot be ${JSON.stringify(given)}`, fix: `use one of ${values.join(', ')}` })
  return values[0]
}

function namesOf(table: Record<string, FormatOptionValues>): string {
  const names = Object.keys(table)
  return names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
}
