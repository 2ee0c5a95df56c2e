import { must } from '../../src/assert.ts'
import type { CheckFinding } from '../../src/connector/connector.ts'
import type { TablePlan } from '../../src/plan/plan.ts'
import { createCoercion } from '../../src/row/coerce.ts'
import { formatDataType } from '../../src/row/data-type.ts'
import type { Row } from '../../src/row/row.ts'
import type { IndexMapping, IndexState } from './index-state.ts'
import type { SearchOptions } from './options.ts'
import { createIndex, readersAlias, requestText } from './statements/create-index.ts'
import type { Target } from './target.ts'
import { type FieldMapping, fieldMapping, fitsField } from './type-mapping.ts'

/** The plan against what is there: every difference at once. Pure. */
export function compareIndex(plan: TablePlan, target: Target, state: IndexState): readonly CheckFinding[] {
  const { pattern, isDynamic } = target.index
  const report = new Report(pattern)
  if (state.mappings.size === 0 && !isDynamic) {
    report.error(
      '',
      'does not exist',
      `set 'sink.create-table' = 'if-not-exists', or create it:\n${requestText(createIndex(plan, target))}`,
    )
    return report.findings
  }
  if (isDynamic && !state.hasTemplate) {
    const fix = `set 'sink.create-table' = 'if-not-exists', or make it:\n${requestText(createIndex(plan, target))}`
    report.warning('', 'has no index template of tidegate: new indices get the mapping that the server guesses', fix)
  }
  for (const [index, mapping] of state.mappings) compareMapping(plan, index, mapping, report)
  if (state.sample !== undefined) checkVersion(plan, target, state, report)
  if (plan.merge.deletedFlag !== undefined && !state.hasReadersAlias && !isDynamic) {
    const fix = `POST /_aliases\n${JSON.stringify({ actions: [{ add: { index: pattern, alias: readersAlias(pattern), ...filter(plan) } }] })}`
    report.warning(`alias ${readersAlias(pattern)}`, 'is missing: whoever reads the index sees deleted rows too', fix)
  }
  checkChoices(plan, report)
  if (!report.findings.some(({ severity }) => severity === 'error')) report.ok(`fits table ${plan.name}`)
  return report.findings
}

class Report {
  readonly findings: CheckFinding[] = []
  readonly #index: string

  constructor(index: string) {
    this.#index = index
  }

  error(subject: string, message: string, fix?: string): void {
    this.#add('error', subject, message, fix)
  }

  warning(subject: string, message: string, fix?: string): void {
    this.#add('warning', subject, message, fix)
  }

  ok(message: string): void {
    this.#add('ok', '', message, undefined)
  }

  #add(severity: CheckFinding['severity'], subject: string, message: string, fix: string | undefined): void {
    this.findings.push({ severity, subject: `${this.#index} ${subject}`.trim(), message, fix })
  }
}

function filter({ merge }: TablePlan): Readonly<Record<string, unknown>> {
  const flag = must(merge.columns[must(merge.deletedFlag, 'a flag column')], 'a stored column').name
  return { filter: { bool: { must_not: [{ term: { [flag]: true } }] } } }
}

function compareMapping(plan: TablePlan, index: string, mapping: IndexMapping, report: Report): void {
  const { versioning } = plan.connectorOptions as unknown as SearchOptions
  const source = mapping._source ?? {}
  if (
    source['enabled'] === false ||
    source['mode'] === 'synthetic' ||
    isNotEmpty(source['excludes']) ||
    isNotEmpty(source['includes'])
  ) {
    report.error(
      `index ${index}`,
      'does not keep documents as they came (_source), so values would be lost',
      'make an index with the whole _source',
    )
  }
  if (mapping._routing?.required === true) {
    report.error(
      `index ${index}`,
      'requires a routing value, and documents go by their id alone',
      'make an index without it',
    )
  }
  const marked = mapping._meta?.tidegate?.versioning
  if (marked === undefined) {
    const fix = `PUT /${index}/_mapping\n${JSON.stringify({ _meta: { tidegate: { versioning } } })}`
    report.warning(
      `index ${index}`,
      'does not say how its documents are versioned; all that write to it must do it in one way',
      fix,
    )
  } else if (marked !== versioning) {
    report.error(
      `index ${index}`,
      `has ${marked} versions, and the plan has ${versioning}: mixed, neither keeps older changes out`,
      `set 'versioning' = '${marked}', or take another index`,
    )
  }
  for (const [position] of plan.merge.columns.entries()) compareField(plan, position, index, mapping, report)
}

function isNotEmpty(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0
}

function compareField(
  { merge }: TablePlan,
  position: number,
  index: string,
  mapping: IndexMapping,
  report: Report,
): void {
  const { name, type } = must(merge.columns[position], 'a stored column')
  const found = fieldAt(mapping.properties ?? {}, name)
  const subject = `field ${name}`
  const add = `PUT /${index}/_mapping\n${JSON.stringify({ properties: { [name]: fieldMapping(type) } })}`
  if (found === undefined) {
    if (mapping.dynamic === 'strict')
      report.error(subject, 'is missing, and the mapping is strict: every document would be refused', add)
    else
      report.warning(
        subject,
        'is missing from the mapping: it is kept, and searchable as the server guesses, or not at all',
        add,
      )
    return
  }
  if (position === merge.deletedFlag && found.type !== 'boolean') {
    report.error(subject, `is ${found.type}, and tells deleted rows apart`, 'map it as boolean')
    return
  }
  const declared = formatDataType(type)
  switch (fitsField(type, found)) {
    case 'refuses':
      report.error(
        subject,
        `is ${found.type}, which does not take every ${declared}`,
        `map it as ${fieldMapping(type).type}`,
      )
      return
    case 'loses':
      report.warning(
        subject,
        `is ${found.type}: a ${declared} is kept exactly in the document, and searched by a rounded value`,
      )
      return
    case 'fits':
      return
  }
}

/** A dot in a name makes a path, unless the mapping has no objects. */
function fieldAt(properties: Readonly<Record<string, FieldMapping>>, name: string): FieldMapping | undefined {
  if (Object.hasOwn(properties, name)) return typeOf(properties[name])
  const [head = '', ...rest] = name.split('.')
  if (rest.length === 0 || !Object.hasOwn(properties, head)) return undefined
  return fieldAt((properties[head]?.['properties'] ?? {}) as Readonly<Record<string, FieldMapping>>, rest.join('.'))
}

/** An object field goes without a type. */
function typeOf(field: FieldMapping | undefined): FieldMapping | undefined {
  return field === undefined ? undefined : { ...field, type: (field as Partial<FieldMapping>).type ?? 'object' }
}

/** Under external versions each document's version is that of its sequence; anything else was written in another way. */
function checkVersion(plan: TablePlan, { version }: Target, { sample }: IndexState, report: Report): void {
  if (version === undefined || sample?._source === undefined) return
  const { columns, sequence } = plan.merge
  const position = must(sequence?.columns[0], 'external versions have a sequence')
  const { name, type } = must(columns[position], 'a stored column')
  const raw = sample._source[name]
  if (raw === undefined || raw === null) return
  const row: Row = []
  row[position] = createCoercion(type)(raw)
  if (version(row) !== String(sample._version)) {
    report.error(
      'documents',
      `have versions that are not their ${name}: they were written in another way`,
      "take 'versioning' = 'internal', or another index",
    )
  }
}

/** What was chosen and has a price. */
function checkChoices({ connectorOptions, merge }: TablePlan, report: Report): void {
  const options = connectorOptions as unknown as SearchOptions
  if (options['document-id.key-delimiter'] !== undefined && merge.key.length > 1) {
    report.warning(
      'document-id.key-delimiter',
      'lets different keys have one id, as a_b and c, or a and b_c',
      'leave it out',
    )
  }
  if (merge.sequence?.gates === true && merge.deleteMode === 'hard') {
    report.warning(
      'deletes',
      'leave a version behind in memory only, for index.gc_deletes at most: after a restart an older change brings a row back (G2)',
      "set 'sink.delete.mode' = 'tombstone'",
    )
  }
}
