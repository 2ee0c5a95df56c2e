import type { Resolved } from '../options/option-table.ts'
import type { sharedOptions } from '../options/shared-options.ts'

/** Resolved values of the shared options. */
export type SharedValues = Resolved<typeof sharedOptions>
