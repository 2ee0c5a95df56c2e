import type { StatementText } from '../../../src/connector/connector.ts'
import type { TablePlan } from '../../../src/plan/plan.ts'
import type { SearchOptions } from '../options.ts'
import type { Target } from '../target.ts'

/** What a flush sends, for `explain`. */
export function tableStatements(plan: TablePlan, target: Target): readonly StatementText[] {
  const { merge } = plan
  const options = plan.connectorOptions as unknown as SearchOptions
  const address = `"_index": "${target.index.pattern}", "_id": …`
  const statements: StatementText[] = []
  const add = (purpose: string, ...lines: string[]): void => {
    statements.push({ purpose, text: ['POST /_bulk', ...lines].join('\n') })
  }
  if (target.version !== undefined) {
    const versioned = `${address}, "version": …, "version_type": "external_gte"`
    add('upserts: the sequence is the version, and an older one is answered by 409', `{"index": {${versioned}}}`, '{…}')
    if (merge.deleteMode === 'hard') add('deletes', `{"delete": {${versioned}}}`)
    else add('deletes: a document with the flag under the same version', `{"index": {${versioned}}}`, '{…, flag}')
    return statements
  }
  if (merge.key.length === 0) {
    add('rows, under an id of their batch that is the same in every try', `{"index": {${address}}}`, '{…}')
    return statements
  }
  if (merge.engine === 'first-row') {
    add('rows; one that is there stays, and the other is answered by 409', `{"create": {${address}}}`, '{…}')
    return statements
  }
  const script = target.script
  if (script === undefined) return statements
  const native = merge.engine === 'deduplicate' && merge.sequence === undefined
  if (native) {
    add('whole rows', `{"index": {${address}}}`, '{…}')
    if (merge.deleteMode === 'hard') add('deletes', `{"delete": {${address}}}`)
    else if (merge.deleteMode === 'tombstone' && merge.deletedAt === undefined) {
      add('deletes', `{"index": {${address}}}`, '{key and flag}')
    }
  }
  add(
    native ? 'changes that need the stored row' : 'changes, merged with the stored row by the script',
    `{"update": {${address}, "retry_on_conflict": ${options['retry-on-conflict']}}}`,
    `{"scripted_upsert": true, "upsert": {}, "script": {"id": "${script.id}", "params": {"op": …, "row": {…}}}}`,
  )
  statements.push({
    purpose: 'stored when the sink opens, unless it is there',
    text: `PUT /_scripts/${script.id}/update   (with the functions that it calls; ddl prints all of it)\n${script.main}`,
  })
  return statements
}
