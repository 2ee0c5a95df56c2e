import type { Connector } from '../connector/connector.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import type { RowObject } from '../row/row.ts'

/**
 * What the conformance suite needs of a store beside its connector: an empty table, and the eyes of a reader. A handful of
 * functions that live in tests, so that the connector itself carries nothing for them.
 */
export interface Harness {
  readonly connector: Connector
  /** A ready client or pool, if the connector is to be tested with one. */
  readonly client?: unknown
  /**
   * Makes room for an empty table and gives the WITH options that lead there, `connector` among them. `table` holds the
   * declared columns and the options of the case; its name is new each time. A connector that can create its tables may
   * leave that to `'sink.create-table' = 'if-not-exists'`.
   */
  prepare(table: TableDefinition): Promise<Readonly<Record<string, string>>>
  /**
   * The rows that a reader of the store sees, declared columns by name: no tombstones, no hidden columns. Read past the
   * connector, and exactly: a value above 2^53 as a bigint or as text, never as a number. `table.options` hold what
   * `prepare` gave.
   */
  snapshot(table: TableDefinition): Promise<readonly RowObject[]>
  /** Called once, after the last case. */
  dispose(): Promise<void>
  /** Cuts the connections that sinks hold, as a failing network would; cases that need it are left out without it. */
  readonly sever?: (() => Promise<void>) | undefined
}

/**
 * How a connector keeps a rule. `refused`: it does not declare what the case needs, and the plan refuses it by code.
 * `elsewhere`: as `refused`, but nothing in a plan asks for it; what comes is rejected while the sink runs, in another case.
 */
export type ConformanceOutcome = 'passed' | 'refused' | 'elsewhere'

/** One test. `run` rejects with an assertion error if the connector does not keep the rule. */
export interface ConformanceCase {
  readonly id: string
  /** Begins with the rule, as in `docs/SPEC.md`. */
  readonly title: string
  /** Names of the capabilities that the case is about. Where one is not declared, `run` checks that it is refused. */
  readonly needs: readonly string[]
  readonly run: () => Promise<ConformanceOutcome>
}
