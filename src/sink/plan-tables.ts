import { builtinConnectors } from '../builtin-connectors.ts'
import type { Connector } from '../connector/connector.ts'
import { parseScript } from '../ddl/parse-script.ts'
import { pickTable, sinkTables } from '../ddl/pick-table.ts'
import type { Script } from '../ddl/script.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import { problemsError, TidegateError } from '../errors.ts'
import { findFormat } from '../format/registry.ts'
import { resolveOptions } from '../options/resolve-options.ts'
import { sharedOptions } from '../options/shared-options.ts'
import type { SinkPlan } from '../plan/plan.ts'
import type { SourceInput, TableInput } from '../plan/plan-input.ts'
import { planSink } from '../plan/plan-sink.ts'
import type { SharedValues } from '../plan/shared-values.ts'
import { findConnector } from './find-connector.ts'

/** Tables of one connector and server with their options read: what will be one flush domain (rule B4). */
export interface TableSet {
  readonly connector: Connector
  readonly inputs: readonly TableInput[]
}

/** One flush domain, planned and not opened. */
export interface PlannedDomain {
  readonly connector: Connector
  readonly plan: SinkPlan
}

/** The tables of a script, or those that are handed in. */
export function definitionsOf(tables: string | readonly TableDefinition[]): readonly TableDefinition[] {
  return typeof tables === 'string' ? writtenTables(parseScript(tables)) : tables
}

/**
 * The tables that a script writes into: the one that is named, else those that its INSERTs name (the other tables of a Flink
 * job are its sources), else all of them. What the script says beside its tables is noted in the plan of the first.
 */
export function writtenTables(script: Script, name?: string | undefined): readonly TableDefinition[] {
  const [first, ...rest] = name === undefined ? sinkTables(script) : [pickTable(script, name)]
  return first === undefined ? [] : [{ ...first, notes: [...first.notes, ...script.notes] }, ...rest]
}

/** Finds the connector of each table and reads its options; touches no store. */
export async function readTables(
  definitions: readonly TableDefinition[],
  connectors: readonly Connector[] = [],
): Promise<readonly TableSet[]> {
  if (definitions.length === 0) {
    throw new TidegateError('there is no table to write to', {
      code: 'SCHEMA_INVALID',
      hint: 'write CREATE TABLE name (…) WITH (…)',
    })
  }
  const sets = new Map<string, { connector: Connector; inputs: TableInput[] }>()
  for (const definition of definitions) {
    const connector = await findConnector(definition.options, connectors, builtinConnectors)
    const input = readTable(connector, definition)
    const identity = `${connector.name} ${connector.identity(input.connectorOptions)}`
    const set = sets.get(identity)
    if (set === undefined) sets.set(identity, { connector, inputs: [input] })
    else set.inputs.push(input)
  }
  return [...sets.values()]
}

/** Plans each flush domain. What the tables say of the input is the default for `source`. */
export function planDomains(sets: readonly TableSet[], source: SourceInput = {}): readonly PlannedDomain[] {
  const planned = sets.map(({ connector, inputs }) => ({
    connector,
    plan: planSink(connector, inputs, sourceOf(inputs, source)),
  }))
  checkAgreement(planned)
  return planned
}

/** One sink has one way to treat groups and rejected rows, whatever stores it writes to. */
function checkAgreement(planned: readonly PlannedDomain[]): void {
  const settings: readonly (readonly [string, (plan: SinkPlan) => unknown])[] = [
    ['sink.flush.align', ({ flush }) => flush.align],
    ['sink.failure-handler', ({ delivery }) => delivery.failureHandler],
    ['sink.failure-scope', ({ delivery }) => delivery.failureScope],
    ['sink.dead-letter.path', ({ delivery }) => delivery.deadLetterPath],
  ]
  const problems = settings
    .filter(([, setting]) => new Set(planned.map(({ plan }) => setting(plan))).size > 1)
    .map(([subject]) => ({
      subject,
      message: 'differs between the tables of one sink',
      fix: 'give it the same value in each table, or open a sink for each store',
    }))
  if (problems.length > 0) throw problemsError('the tables cannot share a sink:', problems, { code: 'PLAN_REFUSED' })
}

/** What is known of the input: by whoever has looked at it, else by the format that a table names. */
export function sourceOf(inputs: readonly TableInput[], known: SourceInput = {}): SourceInput {
  const name = inputs.map(({ options }) => options.format).find((format) => format !== undefined)
  if (name === undefined) return known
  const { changelogMode, groupEnd } = findFormat(name)
  return { format: name, mode: changelogMode, groupEnd, ...known }
}

function readTable(connector: Connector, definition: TableDefinition): TableInput {
  const { onConflict } = definition
  const given =
    onConflict === undefined ? definition.options : { 'sink.on-conflict': onConflict, ...definition.options }
  const { values, effective, notes } = resolveOptions({ ...sharedOptions, ...connector.options }, given, {
    table: definition.name,
    connector: connector.name,
    settings: definition.settings,
  })
  return {
    definition,
    options: values as unknown as SharedValues,
    connectorOptions: values,
    effectiveOptions: effective,
    notes,
  }
}
