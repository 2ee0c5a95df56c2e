import { formatKinds } from '../changelog/changelog-mode.ts'
import type { BatchShape } from '../connector/capabilities.ts'
import type { Connector, StatementText } from '../connector/connector.ts'
import type { Problem, TidegateError } from '../errors.ts'
import type { EffectiveOption } from '../options/resolve-options.ts'
import { formatDataType } from '../row/data-type.ts'
import { primaryKeyNames } from '../row/schema.ts'
import { columnRuleText } from './column-rule-text.ts'
import type { DeliveryPlan, FlushPlan, SinkPlan, SourcePlan, TablePlan } from './plan.ts'

/** A plan as plain data, fit for JSON and for people: what `tidegate explain --json` prints. Holds no secrets (rule C2). */
export interface Explanation {
  readonly connector: string
  readonly tables: readonly TableExplanation[]
  readonly flush: FlushPlan
  readonly delivery: DeliveryPlan
  /** Why the plan may not run; the rest shows how far it got. */
  readonly refused: { readonly code: string; readonly problems: readonly Problem[] } | null
}

export interface TableExplanation {
  readonly name: string
  /** Name in the store, as a user would write it. */
  readonly target: string
  readonly input: {
    /** Null: found out from the first records. */
    readonly format: string | null
    readonly mode: string
    readonly table: string
    readonly updateEncoding: string
    /** Null: not said, taken to be the primary key (rule O2). */
    readonly upsertKey: readonly string[] | 'none' | null
  }
  readonly primaryKey: readonly string[]
  readonly mergeEngine: string
  /** What a flush sends of a key (rule K2). */
  readonly batchShape: BatchShape
  readonly deleteMode: string
  readonly steps: readonly StepExplanation[]
  readonly columns: readonly ColumnExplanation[]
  readonly statements: readonly StatementText[]
  /** What a reader has to do to see the rows as they are. */
  readonly readers: readonly string[]
  readonly promises: readonly string[]
  readonly warnings: readonly string[]
  readonly advice: readonly string[]
  readonly notes: readonly string[]
  readonly options: readonly EffectiveOption[]
}

export interface StepExplanation {
  readonly name: string
  /** In the tokens of Flink's EXPLAIN CHANGELOG_MODE, e.g. `[I,UB,UA,D]`. */
  readonly in: string
  readonly out: string
  readonly runs: 'core' | 'store'
  readonly detail: string
}

export interface ColumnExplanation {
  readonly name: string
  readonly type: string
  readonly nullable: boolean
  /** The store's type; null if it has none that holds the values exactly. */
  readonly storeType: string | null
  /** Not declared: made and kept by tidegate. */
  readonly hidden: boolean
  /** How the column merges. */
  readonly rule: string
  readonly runs: 'core' | 'store'
}

/** Lays a plan open, refused or not. Pure; needs no connection. */
export function explain(connector: Connector, plan: SinkPlan, refusal?: TidegateError | undefined): Explanation {
  return {
    connector: connector.name,
    tables: plan.tables.map((table) => explainTable(connector, table, refusal !== undefined)),
    flush: plan.flush,
    delivery: plan.delivery,
    refused: refusal === undefined ? null : { code: refusal.code, problems: refusal.problems },
  }
}

function explainTable(connector: Connector, plan: TablePlan, isRefused: boolean): TableExplanation {
  const { merge, schema, source } = plan
  return {
    name: plan.name,
    target: connector.targetName(plan),
    input: explainInput(source, (at) => schema.columns[at]?.name ?? ''),
    primaryKey: [...primaryKeyNames(schema)],
    mergeEngine: merge.key.length === 0 ? 'append' : merge.engine,
    batchShape: plan.capabilities.batchShape,
    deleteMode: merge.deleteMode,
    steps: plan.steps.map((step) => ({ ...step, in: formatKinds(step.in), out: formatKinds(step.out) })),
    columns: merge.columns.map(({ name, type, nullable, hidden }, at) => ({
      name,
      type: formatDataType(type),
      nullable,
      storeType: connector.typeMapping.nativeType(type) ?? null,
      hidden,
      rule: columnRuleText(merge, at),
      runs: plan.capabilities.volatile ? 'core' : 'store',
    })),
    // there is no statement for what the store cannot do
    statements: isRefused ? [] : connector.statements(plan),
    readers: isRefused ? [] : (connector.readers?.(plan) ?? []),
    promises: isRefused ? [] : plan.promises,
    warnings: plan.warnings,
    advice: plan.advice,
    notes: plan.notes,
    options: plan.effectiveOptions,
  }
}

function explainInput(
  { format, mode, table, updateEncoding, upsertKey }: SourcePlan,
  nameOf: (at: number) => string,
): TableExplanation['input'] {
  return {
    format: format ?? null,
    mode,
    table,
    updateEncoding,
    upsertKey: upsertKey === undefined ? null : upsertKey === 'none' ? 'none' : upsertKey.map(nameOf),
  }
}
