import { createHash } from 'node:crypto'
import type { MergePlan } from '../../../src/merge/merge-plan.ts'
import { columnwiseText } from './columnwise.ts'
import { deduplicateText } from './deduplicate.ts'
import { type LibraryFunction, libraryFunctions, libraryText, namesOf } from './library.ts'

/** A script that the server keeps, under a name that goes by its content: two versions never meet in one name. */
export interface MergeScript {
  readonly id: string
  readonly source: string
  /** The part that is made for the plan, without the functions that it calls. */
  readonly main: string
}

/**
 * The merge rules of a plan as a script of the `update` context: what `apply` of the merge function does to a stored row.
 * `params`: `op` (`upsert`, `delete`, `retract`), `row` (the columns that the change says something about, by name),
 * `replace`, `ungated`, `cleared`. Nothing in the text comes from rows.
 */
export function mergeScript(plan: MergePlan): MergeScript {
  const body = plan.engine === 'deduplicate' ? deduplicateText(plan) : columnwiseText(plan)
  const lines = ["boolean exists = ctx.op != 'create';", 'Map row = params.row;', 'Map source = ctx._source;', body]
  const main = indented(lines.filter((line) => line !== '').join('\n'))
  const called = libraryFunctions.filter((name) => namesOf(name).some((call) => main.includes(`${call}(`)))
  const source = `${libraryText(new Set<LibraryFunction>(called))}\n${main}`.trim()
  return { id: `tidegate-${createHash('sha256').update(source).digest('hex').slice(0, 24)}`, source, main }
}

/** By the braces at the ends of lines: no name that is quoted in a script reaches over one. */
function indented(text: string): string {
  let depth = 0
  return text
    .split('\n')
    .map((line) => {
      if (line.startsWith('}')) depth--
      const indent = '  '.repeat(Math.max(0, depth))
      if (line.endsWith('{')) depth++
      return indent + line
    })
    .join('\n')
}
