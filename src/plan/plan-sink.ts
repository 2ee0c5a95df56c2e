import type { ChangelogMode } from '../changelog/changelog-mode.ts'
import { kindsOfMode } from '../changelog/changelog-mode.ts'
import type { Connector, PlannedTable } from '../connector/connector.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import { type Problem, problemsError, type TidegateError } from '../errors.ts'
import type { RowKind } from '../row/row-kind.ts'
import { compileMerge } from './compile-merge.ts'
import { deliveryOf, flushOf } from './domain-plan.ts'
import { negotiate } from './negotiate.ts'
import type { SinkPlan, SourcePlan, TablePlan } from './plan.ts'
import type { SourceInput, TableInput } from './plan-input.ts'
import { promisesOf } from './promises.ts'
import { refusalsOf } from './refusals.ts'
import type { SharedValues } from './shared-values.ts'
import { updateBeforePlan } from './update-before.ts'

/**
 * Settles everything before the first record, for the tables of one flush domain or of several. Pure. Throws one error
 * with every refusal: `PLAN_REFUSED`, or `CAPABILITY_MISSING` if all that is missing is what the store cannot do.
 */
export function planSink(
  connector: Connector,
  inputs: readonly TableInput[],
  source: SourceInput = {},
  serverVersion?: string | undefined,
): SinkPlan {
  const { plan, refusal } = draftSink(connector, inputs, source, serverVersion)
  if (refusal !== undefined) throw refusal
  return plan
}

/** A plan as far as it got. */
export interface SinkDraft {
  readonly plan: SinkPlan
  /** Why it may not run. */
  readonly refusal: TidegateError | undefined
}

/** As `planSink`, for `explain`: a refused plan is handed over together with what is wrong with it. */
export function draftSink(
  connector: Connector,
  inputs: readonly TableInput[],
  source: SourceInput = {},
  serverVersion?: string | undefined,
): SinkDraft {
  const problems: Problem[] = []
  const missing: Problem[] = []
  const tables = inputs.map((input) => planTable(connector, input, source, serverVersion, problems, missing))
  const flush = flushOf(inputs, problems)
  const delivery = deliveryOf(inputs, tables, problems)
  const plan: SinkPlan = { connector: connector.name, tables, flush, delivery }
  if (problems.length + missing.length === 0) return { plan, refusal: undefined }
  const names = inputs.map(({ definition }) => definition.name).join(', ')
  const refusal = problemsError(`the plan for ${names} is refused:`, [...problems, ...missing], {
    code: problems.length > 0 ? 'PLAN_REFUSED' : 'CAPABILITY_MISSING',
    connector: connector.name,
    table: inputs.length === 1 ? names : undefined,
  })
  return { plan, refusal }
}

function planTable(
  connector: Connector,
  input: TableInput,
  source: SourceInput,
  serverVersion: string | undefined,
  problems: Problem[],
  missing: Problem[],
): TablePlan {
  const { definition, options, connectorOptions, effectiveOptions, notes } = input
  const { schema } = definition
  const capabilities = connector.capabilities(connectorOptions, serverVersion ?? options['sink.server-version'])
  const given = new Set(effectiveOptions.filter((one) => one.given).map(({ name }) => name))
  const ignoreDelete = options['ignore-delete'] ? 'retracts' : options['sink.ignore.delete'] ? 'deletes' : 'none'
  const sourcePlan = planSource(input, source, problems)
  const reaching = kindsReaching(sourcePlan.mode, ignoreDelete, options['sink.ignore.update-before'] === 'true')
  const merge = compileMerge({
    schema,
    options,
    given,
    mayRetract: reaching.includes('-U') || reaching.includes('-D'),
    canTombstone: capabilities.deleteModes.includes('tombstone'),
    canDelete: capabilities.deleteModes.includes('hard'),
    batchShape: capabilities.batchShape === 'upsert' ? undefined : capabilities.batchShape,
    problems,
  })
  const updateBefore = updateBeforePlan(options['sink.ignore.update-before'], merge)
  const rowKindField = options['rowkind.field']
  const rowKindColumn = rowKindField === undefined ? undefined : schema.positions.get(rowKindField)
  if (rowKindField !== undefined && rowKindColumn === undefined) {
    problems.push({
      subject: 'rowkind.field',
      message: `names ${rowKindField}, which is no written column of the table`,
    })
  }
  const plan: PlannedTable = {
    name: definition.name,
    schema,
    merge,
    connectorOptions,
    capabilities,
    source: sourcePlan,
    updateBefore,
    matchesWholeRows: sourcePlan.upsertKey === 'none' && options['sink.on-conflict'] === 'deduplicate',
    ignoreDelete,
    rowKindColumn,
    notNullEnforcer: options['sink.not-null-enforcer'],
    typeLengthEnforcer: options['sink.type-length-enforcer'],
    truncate: options['sink.truncate'] ?? (capabilities.truncate && capabilities.transaction ? 'apply' : 'error'),
    createTable: options['sink.create-table'] === 'if-not-exists',
    tombstoneRetention: options['sink.tombstone.retention'] ?? 'forever',
    notes: [...notesOf(definition), ...notes],
    effectiveOptions,
  }
  refusalsOf({ connector, plan, options, source, reaching, given, problems, missing })
  return { ...plan, steps: negotiate(plan, reaching), ...promisesOf(plan, options, connector) }
}

function planSource({ definition, options }: TableInput, source: SourceInput, problems: Problem[]): SourcePlan {
  const format = options.format ?? source.format
  const upsertKey = options['sink.upsert-key']
  return {
    format,
    formatOptions: formatOptionsOf(options, format),
    mode: options['source.changelog-mode'] ?? source.mode ?? 'unknown',
    encoding: encodingOf(options),
    updateEncoding: options['source.update-encoding'] ?? 'auto',
    table: options['source.table'] ?? definition.name,
    upsertKey: upsertKey === undefined || upsertKey === 'none' ? upsertKey : columnsOf(definition, upsertKey, problems),
  }
}

function columnsOf({ schema }: TableDefinition, names: readonly string[], problems: Problem[]): readonly number[] {
  return names.flatMap((name) => {
    const at = schema.positions.get(name)
    if (at !== undefined) return [at]
    problems.push({ subject: 'sink.upsert-key', message: `names ${name}, which is no written column of the table` })
    return []
  })
}

/** `<format>.*` options without their prefix. */
function formatOptionsOf(options: SharedValues, format: string | undefined): Readonly<Record<string, string>> {
  if (format === undefined) return {}
  const family: unknown = (options as Readonly<Record<string, unknown>>)[`${format}.*`]
  return family instanceof Map ? Object.fromEntries(family as Map<string, string>) : {}
}

function encodingOf(options: SharedValues): SourcePlan['encoding'] {
  const unit = options['timestamp-format']
  return unit === undefined || unit === 'text' ? undefined : { timestamp: unit }
}

/** Kinds that come to the merge function, once the ignore options have had their say. */
function kindsReaching(
  mode: ChangelogMode,
  ignoreDelete: TablePlan['ignoreDelete'],
  dropsUpdateBefore: boolean,
): readonly RowKind[] {
  return kindsOfMode(mode).filter((kind) => {
    if (kind === '-D') return ignoreDelete === 'none'
    if (kind === '-U') return ignoreDelete !== 'retracts' && !dropsUpdateBefore
    return true
  })
}

function notesOf({ notWritten, notes }: TableDefinition): readonly string[] {
  return [...notWritten.map(({ name, reason }) => `column ${name} is not written: ${reason}`), ...notes]
}
