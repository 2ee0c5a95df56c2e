import type { OptionTable } from '../../src/options/option-table.ts'

/** The memory connector has no options of its own. */
export const memoryOptions = {} satisfies OptionTable
