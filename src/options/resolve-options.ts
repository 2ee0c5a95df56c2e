import * as v from 'valibot'
import { didYouMean } from '../did-you-mean.ts'
import { type Problem, problemsError } from '../errors.ts'
import { flinkOnlyReason } from './flink-only-options.ts'
import { meaningOfSetting } from './flink-settings.ts'
import { maskSecrets } from './mask-secrets.ts'
import { type Option, type OptionAlias, sameWord } from './option.ts'
import { captureOf, fillStar } from './option-name.ts'
import type { OptionTable, Resolved } from './option-table.ts'
import type { Parsed } from './quantity.ts'
import { expandReferences, hasReference, type ReferenceSource } from './references.ts'

export interface ResolveContext {
  /** For messages. */
  readonly table?: string | undefined
  /** For messages. */
  readonly connector?: string | undefined
  /** `SET` lines of the script; a WITH clause wins over them. */
  readonly settings?: Readonly<Record<string, string>> | undefined
  readonly references?: ReferenceSource | undefined
}

export interface ResolvedOptions<Table extends OptionTable> {
  /** Frozen. */
  readonly values: Resolved<Table>
  /** Options by another name, options and settings that have no effect. */
  readonly notes: readonly string[]
  /** What is in force, in the order of the table, as it may be printed. */
  readonly effective: readonly EffectiveOption[]
}

export interface EffectiveOption {
  readonly name: string
  /** As a WITH clause would hold it, secrets masked. */
  readonly value: string
  /** False: the default. */
  readonly given: boolean
}

/**
 * Reads the options of a table: `given` holds keys and values as in a WITH clause. Names from other sinks are taken as
 * ours, references are replaced, units are read. All that is wrong comes in one error (`OPTION_INVALID`).
 */
export function resolveOptions<Table extends OptionTable>(
  table: Table,
  given: Readonly<Record<string, string>>,
  context: ResolveContext = {},
): ResolvedOptions<Table> {
  const reading: Reading = { table, context, assignments: new Map(), failed: new Set(), notes: [], problems: [] }
  for (const [name, written] of Object.entries(given)) readOption(reading, name, written)
  for (const [name, written] of Object.entries(context.settings ?? {})) readSetting(reading, name, written)
  checkRequired(reading)
  if (reading.problems.length > 0) {
    const where = context.table === undefined ? '' : ` of table ${context.table}`
    throw problemsError(`the options${where} cannot be used:`, reading.problems, {
      code: 'OPTION_INVALID',
      connector: context.connector,
      table: context.table,
    })
  }
  return { values: valuesOf(table, reading.assignments), notes: reading.notes, effective: effectiveOf(reading) }
}

/** What has been read so far. */
interface Reading {
  readonly table: OptionTable
  readonly context: ResolveContext
  /** By canonical name. */
  readonly assignments: Map<string, Assignment>
  /** Canonical names whose value cannot be used. */
  readonly failed: Set<string>
  readonly notes: string[]
  readonly problems: Problem[]
}

/** An option that has been given a value. */
interface Assignment extends Target {
  /** The name as the user wrote it. */
  readonly subject: string
  /** In our words, references not replaced. */
  readonly text: string
  readonly value: unknown
}

/** Which option a name stands for. */
interface Target {
  /** Canonical name, the star of a family filled. */
  readonly name: string
  /** Name in the table. */
  readonly tableName: string
  readonly option: Option
  /** Set where the name is another sink's. */
  readonly alias?: OptionAlias | undefined
}

function readOption(reading: Reading, name: string, written: string): void {
  const target = exactTarget(reading.table, name)
  const flinkOnly = flinkOnlyReason(name, written)
  // the format of the input is an option of ours, the format in which a store is written is Flink's: the value tells
  const isOurs = target !== undefined && (target.tableName !== 'format' || v.is(target.option.schema, written))
  if (flinkOnly !== undefined && !isOurs) {
    reading.notes.push(`option ${name} is not used here: ${flinkOnly}`)
    return
  }
  if (target === undefined) {
    reading.problems.push({ subject: name, ...unknownOption(reading, name) })
    return
  }
  assign(reading, target, name, written)
}

function readSetting(reading: Reading, name: string, written: string): void {
  const meaning = meaningOfSetting(name)
  if ('note' in meaning) {
    reading.notes.push(`SET ${name} is not used here: ${meaning.note}`)
    return
  }
  const target = exactTarget(reading.table, meaning.option)
  if (target === undefined) return
  if (reading.assignments.has(target.name)) {
    reading.notes.push(`SET ${name} is not used here: the table has ${target.name}`)
    return
  }
  reading.notes.push(`SET ${name} is read as the option ${target.name}`)
  assign(reading, target, `SET ${name}`, written)
}

function exactTarget(table: OptionTable, name: string): Target | undefined {
  const own = Object.hasOwn(table, name) ? table[name] : undefined
  if (own !== undefined && !name.includes('*')) return { name, tableName: name, option: own }
  for (const [tableName, option] of Object.entries(table)) {
    if (captureOf(tableName, name) !== undefined) return { name, tableName, option }
    const alias = option.aliases.find((candidate) => candidate.name === name)
    if (alias !== undefined) return { name: tableName, tableName, option, alias }
  }
  return undefined
}

function assign(reading: Reading, target: Target, subject: string, written: string): void {
  const read = readValue(reading, target, subject, written)
  if ('problem' in read) {
    reading.problems.push({ subject, message: read.problem, fix: read.fix })
    reading.failed.add(target.name)
    return
  }
  const earlier = reading.assignments.get(target.name)
  if (earlier !== undefined && earlier.text !== read.value.text) {
    const message = `is the same option as ${earlier.subject}, with another value`
    reading.problems.push({ subject, message, fix: `keep one of them, best under the name ${target.name}` })
    return
  }
  if (target.alias !== undefined) reading.notes.push(`option ${subject} is read as ${target.name}`)
  reading.assignments.set(target.name, { ...target, subject, ...read.value })
}

/** References are replaced first, so a problem with what they hold may name only the reference. */
function readValue(
  reading: Reading,
  target: Target,
  subject: string,
  written: string,
): Parsed<Pick<Assignment, 'text' | 'value'>> {
  const expanded = expandReferences(written, reading.context.references)
  if ('problem' in expanded) return expanded
  const translated = translate(target, expanded.value)
  const shown = `'${maskSecrets(target.option, written)}'`
  if (translated === undefined) {
    const known = Object.keys(target.alias?.values ?? {}).join(', ')
    return {
      problem: `${shown} has no counterpart here (${subject} is another sink's name for ${target.name})`,
      fix: `known values are ${known}; or use ${target.name}: ${target.option.type}`,
    }
  }
  const result = v.safeParse(target.option.schema, translated)
  if (result.success) {
    return { value: { text: hasReference(written) ? written : translated, value: result.output } }
  }
  const [complaint, ...fix] = result.issues[0].message.split('; ')
  const name = subject === target.name ? '' : ` (for ${target.name})`
  return { problem: `${shown} ${complaint}${name}`, fix: fix.length === 0 ? undefined : fix.join('; ') }
}

/** Puts our word for a word of another sink; undefined if it has none. */
function translate(target: Target, value: string): string | undefined {
  const synonym = Object.entries(target.option.synonyms).find(([word]) => sameWord(word, value))
  if (synonym !== undefined) return synonym[1]
  if (target.alias?.values === undefined) return value
  return Object.entries(target.alias.values).find(([word]) => sameWord(word, value))?.[1]
}

function unknownOption(reading: Reading, name: string): Omit<Problem, 'subject'> {
  const names = new Map<string, string>()
  for (const [tableName, option] of Object.entries(reading.table)) {
    names.set(fillStar(tableName, name), fillStar(tableName, name))
    for (const alias of option.aliases) names.set(alias.name, tableName)
  }
  const near = didYouMean(name, names.keys())
  const { connector } = reading.context
  return {
    message: connector === undefined ? 'is no option' : `is no option of connector ${connector}`,
    fix: near === undefined ? 'docs/options.md lists the options' : `did you mean ${names.get(near)}?`,
  }
}

function checkRequired({ table, assignments, failed, problems }: Reading): void {
  for (const [name, option] of Object.entries(table)) {
    if (option.presence !== 'required' || assignments.has(name) || failed.has(name)) continue
    problems.push({ subject: name, message: 'is missing', fix: `${option.description} (${option.type})` })
  }
}

function valuesOf<Table extends OptionTable>(
  table: Table,
  assignments: ReadonlyMap<string, Assignment>,
): Resolved<Table> {
  const values: Record<string, unknown> = Object.create(null)
  for (const [tableName, option] of Object.entries(table)) {
    values[tableName] = tableName.includes('*')
      ? new Map<string, unknown>()
      : option.default === undefined
        ? undefined
        : v.parse(option.schema, option.default)
  }
  for (const { name, tableName, value } of assignments.values()) {
    const family = values[tableName]
    if (family instanceof Map) family.set(captureOf(tableName, name), value)
    else values[tableName] = value
  }
  return Object.freeze(values) as Resolved<Table>
}

function effectiveOf({ table, assignments }: Reading): readonly EffectiveOption[] {
  const effective: EffectiveOption[] = []
  for (const [tableName, option] of Object.entries(table)) {
    const given = [...assignments.values()].filter((assignment) => assignment.tableName === tableName)
    for (const { name, text } of given) effective.push({ name, value: maskSecrets(option, text), given: true })
    if (given.length === 0 && option.default !== undefined) {
      effective.push({ name: tableName, value: option.default, given: false })
    }
  }
  return effective
}
