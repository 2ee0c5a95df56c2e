import { must } from '../../../src/assert.ts'
import { type Capabilities, noRule } from '../../../src/connector/capabilities.ts'
import type { PlannedTable } from '../../../src/connector/connector.ts'
import { quoteIdentifier } from '../identifier.ts'
import type { ClickhouseOptions } from '../options.ts'
import { versionBytes } from '../row-version.ts'
import type { Engine, TableColumn } from './engine.ts'
import { columnNames, planColumns } from './plan-columns.ts'
import { replacing } from './replacing.ts'
import { declaredProblems, versionColumn, versionProblems } from './version-column.ts'

const capabilities: Capabilities = {
  ...noRule,
  changelog: 'upsert',
  deleteModes: ['hard'],
  batchShape: 'retract-pairs',
  truncate: true,
  exactlyOnce: false,
  outcome: 'none',
  volatile: false,
  tombstoneLife: 'not at all',
}

/**
 * Rows that are taken back are cancelled by a row of the same content with the sign -1, in the order of arrival.
 * https://clickhouse.com/docs/engines/table-engines/mergetree-family/collapsingmergetree
 */
export const collapsing: Engine = {
  name: 'CollapsingMergeTree',
  capabilities,
  columns: (plan) => [...planColumns(plan, new Set(plan.merge.key)), signColumn(plan)],
  parameters: (plan) => [signColumn(plan).name],
  sortedBy: (plan) => columnNames(plan, plan.merge.key),
  countedBy: () => undefined,
  countsRepeats: true,
  purpose: 'images that are taken back with the sign -1, and those that stand with 1',
  reading: (plan) => `FINAL WHERE ${quoteIdentifier(signColumn(plan).name)} = 1`,
  unread: 'images that were taken back, and what cancels them,',
  problems: (plan) => declaredProblems(plan, 'sign-column'),
}

/**
 * As `collapsing`, in any order: images are told apart by their version.
 * https://clickhouse.com/docs/engines/table-engines/mergetree-family/versionedcollapsingmergetree
 */
export const versionedCollapsing: Engine = {
  ...collapsing,
  name: 'VersionedCollapsingMergeTree',
  capabilities: { ...capabilities, sequence: { ...replacing.capabilities.sequence, descending: false } },
  columns: (plan) => [
    ...planColumns(plan, new Set(plan.merge.key)),
    versionColumn(plan, must(versionBytes(plan.merge), 'the plan is checked')),
    signColumn(plan),
  ],
  parameters: (plan) => [signColumn(plan).name, versionColumn(plan, 16).name],
  problems: (plan) => {
    const problems = [...versionProblems(plan), ...declaredProblems(plan, 'sign-column')]
    if (plan.merge.sequence === undefined) {
      const message = 'is not set, and images are told apart by it in a VersionedCollapsingMergeTree'
      const fix = "name the column that grows with each change, or take 'engine' = 'collapsing'"
      problems.push({ subject: 'sequence.field', message, fix })
    } else if (versionBytes(plan.merge) === undefined) {
      const message = 'does not fit into 256 bits, which is all that the engine compares'
      problems.push({ subject: 'sequence.field', message, fix: 'take fewer or shorter columns' })
    }
    return problems
  },
}

function signColumn({ connectorOptions }: PlannedTable): TableColumn {
  const name = (connectorOptions as ClickhouseOptions)['sign-column']
  return { name, type: 'Int8', isOwn: true, write: (out, { sign }) => out.byte(sign & 0xff) }
}
