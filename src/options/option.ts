import * as v from 'valibot'
import { didYouMean } from '../did-you-mean.ts'
import { type DurationText, parseDuration } from './duration.ts'
import { type MemorySizeText, parseMemorySize } from './memory-size.ts'
import type { Parsed } from './quantity.ts'

/** One option of a connector or of all of them: how it is written, what it becomes, and what the docs say of it. */
export interface Option<Value = unknown, Input = unknown, Presence extends OptionPresence = OptionPresence> {
  /** The value in the form that code uses: milliseconds, bytes, lists. Issues say what is wrong, never repeat the text. */
  readonly schema: v.GenericSchema<string, Value>
  /** Type in the docs, e.g. `duration`. */
  readonly type: string
  readonly description: string
  /** Heading of the docs page under which the option stands. */
  readonly section: string
  readonly presence: Presence
  /** Default as it would be written in a WITH clause. */
  readonly default?: string | undefined
  /** For the docs, where the default depends on something. */
  readonly defaultNote?: string | undefined
  /** Names that other sinks use for it. */
  readonly aliases: readonly OptionAlias[]
  /** The value is never printed. */
  readonly secret: boolean
  /** Words that mean one of ours, e.g. `none` for a guarantee that we exceed. */
  readonly synonyms: Readonly<Record<string, string>>
  /** Only for type inference: what may be given in a typed table. */
  readonly '~input'?: Input
}

/** `required`: must be given. `default`: always has a value. `optional`: may be undefined. */
export type OptionPresence = 'required' | 'default' | 'optional'

/** A name from another sink. `values` translates what it may hold; a value that is not in it has no counterpart here. */
export interface OptionAlias {
  readonly name: string
  readonly values?: Readonly<Record<string, string>> | undefined
}

/** What a user may write for a value: DDL gives text, objects also numbers, booleans and lists. */
export type OptionInput = string | number | bigint | boolean | readonly string[]

/** What the builders below take beside the type. `default` is written as a user would write it. */
export interface OptionSpec<Input> {
  readonly description: string
  readonly section?: string | undefined
  readonly required?: true
  readonly default?: Input
  readonly defaultNote?: string | undefined
  readonly aliases?: readonly (string | OptionAlias)[] | undefined
  readonly secret?: true
}

type PresenceOf<Spec> = Spec extends { readonly required: true }
  ? 'required'
  : Spec extends { readonly default: OptionInput }
    ? 'default'
    : 'optional'

/** Text that is not empty. */
export function text<const Spec extends OptionSpec<string>>(spec: Spec): Option<string, string, PresenceOf<Spec>> {
  return option('text', v.pipe(v.string(), v.nonEmpty('is empty')), spec)
}

/** A whole number within `min` and `max`, both inclusive. */
export function integer<const Spec extends OptionSpec<number> & { readonly min?: number; readonly max?: number }>(
  spec: Spec,
): Option<number, number | `${bigint}`, PresenceOf<Spec>> {
  const { min = 0, max = 2_147_483_647 } = spec
  const schema = v.pipe(
    v.string(),
    v.trim(),
    v.regex(/^[+-]?\d+$/, 'is not a whole number'),
    v.transform(Number),
    v.minValue(min, `is below ${min}`),
    v.maxValue(max, `is above ${max}`),
  )
  return option('integer', schema, spec)
}

/** `true` or `false`, in any case as in Flink. */
export function flag<const Spec extends OptionSpec<boolean>>(
  spec: Spec,
): Option<boolean, boolean | 'true' | 'false', PresenceOf<Spec>> {
  const schema = v.pipe(
    v.string(),
    v.trim(),
    v.toLowerCase(),
    v.picklist(['true', 'false'], 'is neither true nor false'),
    v.transform((word) => word === 'true'),
  )
  return option('boolean', schema, spec)
}

/** Milliseconds; 0 switches off what the duration limits. */
export function duration<const Spec extends OptionSpec<DurationText | 0>>(
  spec: Spec,
): Option<number, DurationText | 0, PresenceOf<Spec>> {
  return option('duration', parsing(parseDuration), spec)
}

/** Bytes; 0 switches off what the size limits. */
export function memorySize<const Spec extends OptionSpec<MemorySizeText | 0>>(
  spec: Spec,
): Option<number, MemorySizeText | 0, PresenceOf<Spec>> {
  return option('memory size', parsing(parseMemorySize), spec)
}

/** One of a few words; case is ignored and `_` is as good as `-`, as Flink's enums are written both ways. */
export function oneOf<
  const Word extends string,
  const Spec extends OptionSpec<NoInfer<Word>> & { readonly synonyms?: Readonly<Record<string, NoInfer<Word>>> },
>(words: readonly Word[], spec: Spec): Option<Word, Word | BooleanOf<Word>, PresenceOf<Spec>> {
  const schema = v.pipe(
    v.string(),
    v.rawTransform<string, Word>(({ dataset, addIssue, NEVER }) => {
      const word = words.find((candidate) => sameWord(candidate, dataset.value))
      if (word !== undefined) return word
      const near = didYouMean(dataset.value, words)
      const fix = near === undefined ? '' : `; did you mean ${near}?`
      addIssue({ message: `is not one of ${words.join(', ')}${fix}` })
      return NEVER
    }),
  )
  return {
    ...option(`one of ${words.map((word) => `\`${word}\``).join(', ')}`, schema, spec),
    synonyms: spec.synonyms ?? {},
  }
}

/** Names separated by commas. */
export function list<const Spec extends OptionSpec<string>>(
  spec: Spec,
): Option<readonly string[], string | readonly string[], PresenceOf<Spec>> {
  const schema = v.pipe(
    v.string(),
    v.transform((given): readonly string[] => Object.freeze(given.split(',').map((member) => member.trim()))),
    v.check((members) => members.every((member) => member !== ''), 'has an empty member'),
    v.check((members) => new Set(members).size === members.length, 'names something twice'),
  )
  return option('list', schema, spec)
}

/** The option with a word that may stand in place of its usual values, e.g. `forever` for a duration. */
export function orWord<const Word extends string, Value, Input, Presence extends OptionPresence>(
  word: Word,
  base: Option<Value, Input, Presence>,
): Option<Value | Word, Input | Word, Presence> {
  const schema = v.pipe(
    v.string(),
    v.rawTransform<string, Value | Word>(({ dataset, addIssue, NEVER }) => {
      if (sameWord(word, dataset.value)) return word
      const result = v.safeParse(base.schema, dataset.value)
      if (result.success) return result.output
      addIssue({ message: `${result.issues[0].message}; or write ${word}` })
      return NEVER
    }),
  )
  return { ...base, schema, type: `${base.type}, or \`${word}\`` }
}

/** Where `true` is one of the words, the boolean is as good. */
type BooleanOf<Word> = (Word extends 'true' ? true : never) | (Word extends 'false' ? false : never)

function option<Value, Presence extends OptionPresence>(
  type: string,
  schema: v.GenericSchema<string, Value>,
  spec: OptionSpec<OptionInput>,
): Option<Value, never, Presence> {
  const presence = spec.required === true ? 'required' : spec.default === undefined ? 'optional' : 'default'
  return {
    schema,
    type,
    description: spec.description,
    section: spec.section ?? '',
    presence: presence as Presence,
    default: spec.default === undefined ? undefined : optionText(spec.default),
    defaultNote: spec.defaultNote,
    aliases: (spec.aliases ?? []).map((alias) => (typeof alias === 'string' ? { name: alias } : alias)),
    secret: spec.secret === true,
    synonyms: {},
  }
}

/** The value as a WITH clause would hold it. */
export function optionText(input: OptionInput): string {
  return typeof input === 'object' ? input.join(',') : String(input)
}

/** Equal save for case and the choice of `-` or `_`. */
export function sameWord(a: string, b: string): boolean {
  return a.toLowerCase().replaceAll('_', '-') === b.trim().toLowerCase().replaceAll('_', '-')
}

function parsing(parse: (given: string) => Parsed<number>): v.GenericSchema<string, number> {
  return v.pipe(
    v.string(),
    v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
      const parsed = parse(dataset.value)
      if ('value' in parsed) return parsed.value
      addIssue({ message: parsed.fix === undefined ? parsed.problem : `${parsed.problem}; ${parsed.fix}` })
      return NEVER
    }),
  )
}
