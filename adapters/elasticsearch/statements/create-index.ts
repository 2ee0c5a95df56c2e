import { must } from '../../../src/assert.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import type { MergeScript } from '../merge-script/merge-script.ts'
import type { SearchOptions } from '../options.ts'
import type { Target } from '../target.ts'
import { fieldMapping } from '../type-mapping.ts'

/** A request that makes what a table needs, as `ddl` prints it: `PUT /orders` and its body. */
export interface SetUpRequest {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** The index, or for a dynamic one the template of its indices. */
export function createIndex(plan: TablePlan, { index }: Target): SetUpRequest {
  const content = { mappings: mappings(plan), ...aliases(plan, index.pattern) }
  if (!index.isDynamic) return { path: `/${encodeURIComponent(index.pattern)}`, body: content }
  return {
    path: `/_index_template/${encodeURIComponent(templateName(index.pattern))}`,
    body: { index_patterns: [index.pattern], template: content },
  }
}

/** With its context, so that the server compiles it; without one it would take any text. */
export function storeScriptRequest({ id, source }: MergeScript): SetUpRequest {
  return { path: `/_scripts/${id}/update`, body: { script: { lang: 'painless', source } } }
}

/** As `ddl` prints it, and as the consoles of both products take it. */
export function requestText({ path, body }: SetUpRequest): string {
  return `PUT ${path}\n${JSON.stringify(body, undefined, 2)}`
}

export function templateName(pattern: string): string {
  return `tidegate-${pattern.replaceAll('*', 'x')}`
}

export function mappings(plan: TablePlan): Readonly<Record<string, unknown>> {
  const options = plan.connectorOptions as unknown as SearchOptions
  return {
    dynamic: options['mapping.dynamic'],
    _meta: { tidegate: { versioning: options.versioning } },
    properties: Object.fromEntries(plan.merge.columns.map(({ name, type }) => [name, fieldMapping(type)])),
  }
}

/** Under the alias `<index>_live` readers see what is there: no tombstones, no softly deleted rows (rules G2, A4). */
function aliases({ merge }: TablePlan, pattern: string): Readonly<Record<string, unknown>> {
  if (merge.deletedFlag === undefined) return {}
  const flag = must(merge.columns[merge.deletedFlag], 'the flag column').name
  return { aliases: { [readersAlias(pattern)]: { filter: { bool: { must_not: [{ term: { [flag]: true } }] } } } } }
}

export function readersAlias(pattern: string): string {
  return `${pattern.replaceAll('*', '').replace(/[-_.]+$/, '')}_live`
}
