import { findFormat } from '../format/registry.ts'
import type { SourceInput } from '../plan/plan-input.ts'
import type { TableSet } from '../sink/plan-tables.ts'
import { openChangelogFile } from './changelog-file.ts'
import type { CommandContext } from './command-context.ts'
import { namedFormat, sourceInputOf } from './source-input.ts'

/** What the arguments of a command that reads no changes say of the input: a named format, or a file to look into. */
export async function inputOfArguments(
  context: CommandContext,
  changes: string | undefined,
  format: string | undefined,
  sets: readonly TableSet[],
): Promise<SourceInput> {
  if (format !== undefined) return sourceInputOf(findFormat(format))
  if (changes === undefined) return {}
  const file = await openChangelogFile(changes, { stdin: context.stdin, tableFormat: namedFormat(sets) })
  file.close()
  return sourceInputOf(file.format)
}
