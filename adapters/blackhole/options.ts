import type { OptionTable } from '../../src/options/option-table.ts'

/** The blackhole connector has no options of its own. */
export const blackholeOptions = {} satisfies OptionTable
