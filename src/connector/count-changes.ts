import type { TableBatch } from './batch.ts'

/** How many changes a batch holds of one table, over all its waves. */
export function countChanges({ waves }: Pick<TableBatch, 'waves'>): number {
  let count = 0
  for (const wave of waves) count += wave.length
  return count
}
