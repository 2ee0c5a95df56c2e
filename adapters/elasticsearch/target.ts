import { must } from '../../src/assert.ts'
import { type Problem, problemsError } from '../../src/errors.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import type { Dialect } from './dialect.ts'
import { createDocumentId, type DocumentId } from './document-id.ts'
import { conflictingNames, fieldNameFault } from './field-name.ts'
import { createIndexTarget, type IndexTarget, indexNameFault, indexPatternFault } from './index-name.ts'
import { type MergeScript, mergeScript } from './merge-script/merge-script.ts'
import type { SearchOptions } from './options.ts'
import { type DocumentVersion, externalVersion } from './versioning.ts'

/** Where and how the rows of a table become documents. */
export interface Target {
  readonly index: IndexTarget
  /** Undefined in a table without a primary key. */
  readonly documentId: DocumentId | undefined
  /** Undefined: versions are the server's own. */
  readonly version: DocumentVersion | undefined
  /** Undefined where no change ever needs what is stored. */
  readonly script: MergeScript | undefined
}

/** Most bytes of a stored script, by default (`script.max_size_in_bytes`). */
const scriptBytesMax = 65_535

/** Throws `PLAN_REFUSED` with everything that an index cannot hold or do. */
export function planTarget(dialect: Dialect, plan: TablePlan): Target {
  const problems: Problem[] = []
  const options = plan.connectorOptions as unknown as SearchOptions
  const pattern = options.index ?? plan.name
  const nameFault = options.index === undefined ? indexNameFault(plan.name) : indexPatternFault(pattern)
  if (nameFault !== undefined) {
    problems.push({ subject: 'index', message: `the declared name ${nameFault}`, fix: "set 'index' to another name" })
  }
  checkFields(plan, problems)
  const index = createIndexTarget(nameFault === undefined ? pattern : 'x', plan.schema, (message, fix) =>
    problems.push({ subject: 'index', message, fix }),
  )
  const version = options.versioning === 'external' ? externalVersion(plan, problems) : undefined
  const script = problems.length === 0 && needsScript(plan, version) ? mergeScript(plan.merge) : undefined
  if (script !== undefined && Buffer.byteLength(script.source) > scriptBytesMax) {
    const message = 'has more columns than a stored script can name'
    problems.push({ subject: plan.name, message, fix: 'split the table, or declare fewer columns' })
  }
  if (problems.length > 0) {
    throw problemsError(`table ${plan.name} cannot be held by ${dialect.product}:`, problems, {
      code: 'PLAN_REFUSED',
      connector: dialect.name,
      table: plan.name,
    })
  }
  const documentId =
    plan.merge.key.length === 0 ? undefined : createDocumentId(keyColumns(plan), options['document-id.key-delimiter'])
  return { index, documentId, version, script }
}

function needsScript({ merge }: TablePlan, version: DocumentVersion | undefined): boolean {
  return version === undefined && merge.key.length > 0 && merge.engine !== 'first-row'
}

function checkFields({ merge }: TablePlan, problems: Problem[]): void {
  const names = merge.columns.map(({ name }) => name)
  for (const name of names) {
    const fault = fieldNameFault(name)
    if (fault !== undefined) problems.push({ subject: `column ${name}`, message: `the name ${fault}`, fix: rename })
  }
  for (const name of new Set(names.filter((one, index) => names.indexOf(one) !== index))) {
    problems.push({ subject: `column ${name}`, message: 'would be the same field as another column', fix: rename })
  }
  for (const [inner, outer] of conflictingNames(names)) {
    problems.push({
      subject: `column ${inner}`,
      message: `would make an object of ${outer}, which is a column`,
      fix: rename,
    })
  }
}

const rename = 'give the column another name'

function keyColumns({ merge }: TablePlan): Parameters<typeof createDocumentId>[0] {
  return merge.key.map((position) => ({ position, type: must(merge.columns[position], 'a key column').type }))
}
