import type { Format } from '../format/format.ts'
import type { StreamDecoder } from '../format/stream-decoder.ts'
import type { SourceInput } from '../plan/plan-input.ts'
import type { TableSet } from '../sink/plan-tables.ts'

/** What is known of the input for planning: its format, the mode that it carries, how its groups end. */
export function sourceInputOf(format: Format | undefined, groupEnd?: StreamDecoder['groupEnd']): SourceInput {
  if (format === undefined) return {}
  return { format: format.name, mode: format.changelogMode, groupEnd: groupEnd ?? format.groupEnd }
}

/** The format that the tables name. */
export function namedFormat(sets: readonly TableSet[]): string | undefined {
  return sets.flatMap(({ inputs }) => inputs).find(({ options }) => options.format !== undefined)?.options.format
}

/** `<format>.*` options of the tables without their prefix. */
export function formatOptionsOf(sets: readonly TableSet[], format: Format): Readonly<Record<string, string>> {
  const families = sets.flatMap(({ inputs }) =>
    inputs.map(({ options }) => (options as Readonly<Record<string, unknown>>)[`${format.name}.*`]),
  )
  return Object.assign({}, ...families.map((family) => (family instanceof Map ? Object.fromEntries(family) : {})))
}
