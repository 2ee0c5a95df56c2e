import { text } from '../../src/options/option.ts'
import type { OptionTable } from '../../src/options/option-table.ts'

export const filesystemOptions = {
  path: text({
    section: 'filesystem',
    required: true,
    description: 'File to which rows are appended, one JSON object a line. Readable by its owner only if it is new.',
  }),
} satisfies OptionTable
