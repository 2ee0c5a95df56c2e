import { must } from '../../../src/assert.ts'
import { noRule } from '../../../src/connector/capabilities.ts'
import { versionBytes } from '../row-version.ts'
import { sequenceBits } from '../type-mapping.ts'
import type { Engine } from './engine.ts'
import { columnNames, planColumns } from './plan-columns.ts'
import { versionColumn, versionProblems } from './version-column.ts'

/**
 * Of each key the row with the highest version is left, whole; at equal versions the later one. Deletes are rows with the flag
 * set. https://clickhouse.com/docs/engines/table-engines/mergetree-family/replacingmergetree
 */
export const replacing: Engine = {
  name: 'ReplacingMergeTree',
  capabilities: {
    ...noRule,
    changelog: 'upsert',
    deleteModes: ['tombstone'],
    sequence: { gate: true, compound: true, descending: true, firstArrival: false, text: false },
    truncate: true,
    exactlyOnce: false,
    outcome: 'none',
    singleWriter: true,
    mergesColumnsWith: "'engine' = 'aggregating'",
    volatile: false,
    tombstoneLife: 'until OPTIMIZE … FINAL CLEANUP',
  },
  // a sorting key and the flag are never NULL
  columns: (plan) => [
    ...planColumns(plan, new Set([...plan.merge.key, plan.merge.deletedFlag ?? -1])),
    versionColumn(plan, must(versionBytes(plan.merge), 'the plan is checked')),
  ],
  parameters: (plan) => [
    versionColumn(plan, 8).name,
    ...columnNames(plan, [must(plan.merge.deletedFlag, 'deletes are rows')]),
  ],
  sortedBy: (plan) => columnNames(plan, plan.merge.key),
  countedBy: (plan) => (plan.merge.sequence === undefined ? versionColumn(plan, 8).name : undefined),
  countsRepeats: false,
  purpose: 'rows and deletes, each with its version',
  reading: 'FINAL',
  unread: 'older versions',
  problems: (plan) => {
    const { merge, tombstoneRetention } = plan
    const problems = versionProblems(plan)
    const comparable = merge.sequence?.columns.every((at) => sequenceBits(must(merge.columns[at], 'a column').type))
    if (comparable !== false && versionBytes(merge) === undefined) {
      const message = 'does not fit into 256 bits, which is all that a ReplacingMergeTree compares'
      problems.push({ subject: 'sequence.field', message, fix: 'take fewer or shorter columns' })
    }
    if (tombstoneRetention !== 'forever' && merge.deletedAt !== undefined) {
      const message = 'has no effect: tombstones stay until OPTIMIZE … FINAL CLEANUP'
      problems.push({ subject: 'sink.tombstone.retention', message, fix: "take 'forever'" })
    }
    return problems
  },
}
