import type { ChangelogElement } from '../changelog/element.ts'
import { type Problem, problemsError } from '../errors.ts'
import type { FormatOptions, InputRecord } from '../format/format.ts'
import { findFormat } from '../format/registry.ts'

/** What a format makes of some records, each a line of text, an object, or a record with its envelope. */
export function decodeAll(
  formatName: string,
  inputs: readonly (string | object)[],
  { options = {}, primaryKey }: Partial<FormatOptions> = {},
): ChangelogElement[] {
  const problems: Problem[] = []
  const decoder = findFormat(formatName).createDecoder({ options, primaryKey }, problems)
  if (problems.length > 0) throw problemsError('options:', problems, { code: 'OPTION_INVALID' })
  const elements: ChangelogElement[] = []
  const emit = (element: ChangelogElement) => void elements.push(element)
  for (const [index, value] of inputs.entries()) {
    const record: InputRecord = { value, record: index + 1 }
    decoder.decode(record, emit)
  }
  decoder.end(emit)
  return elements
}

/** Each element in short: the kind and the row of a change, the type of anything else. */
export function brief(elements: readonly ChangelogElement[]): string[] {
  return elements.map((element) => {
    if (element.type !== undefined && element.type !== 'change') return element.type
    return `${element.kind} ${JSON.stringify(element.row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))}`
  })
}
