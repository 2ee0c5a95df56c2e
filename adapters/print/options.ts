import { flag, text } from '../../src/options/option.ts'
import type { OptionTable } from '../../src/options/option-table.ts'

export const printOptions = {
  'print-identifier': text({
    section: 'print',
    description: 'Text in front of each line, as in Flink.',
  }),
  'standard-error': flag({
    section: 'print',
    default: false,
    description: 'Prints to standard error.',
  }),
} satisfies OptionTable
