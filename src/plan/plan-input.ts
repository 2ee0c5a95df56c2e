import type { ChangelogMode } from '../changelog/changelog-mode.ts'
import type { TableDefinition } from '../ddl/table-definition.ts'
import type { EffectiveOption } from '../options/resolve-options.ts'
import type { SharedValues } from './shared-values.ts'

/** A table with its options read. */
export interface TableInput {
  readonly definition: TableDefinition
  readonly options: SharedValues
  readonly connectorOptions: Readonly<Record<string, unknown>>
  readonly effectiveOptions: readonly EffectiveOption[]
  readonly notes: readonly string[]
}

/** What is known of the input before its first record. */
export interface SourceInput {
  /** Format that was named or detected. */
  readonly format?: string | undefined
  /** Mode that the format carries. */
  readonly mode?: ChangelogMode | undefined
  readonly groupEnd?: 'marker' | 'next-id' | 'none' | undefined
}
