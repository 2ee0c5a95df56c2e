import type { Connector } from '../connector/connector.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import type { FailureHandler } from '../delivery/failure-handler.ts'
import type { SinkEventListener } from '../delivery/sink-event.ts'
import type { SourceInput } from '../plan/plan-input.ts'
import type { IntakeObserver } from './intake-observer.ts'

export interface CreateSinkOptions {
  /** DDL text, or tables as `defineTable` makes them. A script with several tables needs `createSinks`, or `name`. */
  readonly table: string | TableDefinition
  /** Which table of a script that declares several. */
  readonly name?: string | undefined
  /** A ready client, pool or store of the connector's kind; used, and never closed. */
  readonly client?: unknown
  /** Connectors beside those that come with the package. */
  readonly connectors?: readonly Connector[] | undefined
  /** What is known of the input; formats say it by `source.changelog-mode` and how their groups end. */
  readonly source?: SourceInput | undefined
  /** Aborting it aborts the sink. */
  readonly signal?: AbortSignal | undefined
  readonly onEvent?: SinkEventListener | undefined
  /** Takes rejected changes, whatever `sink.failure-handler` says. */
  readonly failureHandler?: FailureHandler | undefined
  /** Told what becomes of each change on its way into the buffer. */
  readonly observer?: IntakeObserver | undefined
}

export interface CreateSinksOptions extends Omit<CreateSinkOptions, 'table' | 'name'> {
  /** DDL text with one table or several, or tables as `defineTable` makes them. */
  readonly tables: string | readonly TableDefinition[]
  /** Ready clients by the name of their connector, where the tables have several; before `client`. */
  readonly clients?: Readonly<Record<string, unknown>> | undefined
}
