import type { Engine } from './engine.ts'
import { planColumns } from './plan-columns.ts'
import { replacing } from './replacing.ts'

/** Rows without a key: they are only added. */
export const append: Engine = {
  name: 'MergeTree',
  // what may come without a key is the same for every store (rule K4)
  capabilities: replacing.capabilities,
  columns: (plan) => planColumns(plan, new Set()),
  parameters: () => [],
  sortedBy: () => [],
  countedBy: () => undefined,
  countsRepeats: true,
  purpose: 'rows to append',
  reading: undefined,
  unread: '',
  problems: () => [],
}
