import { noRule } from '../../../src/connector/capabilities.ts'
import type { PlannedTable } from '../../../src/connector/connector.ts'
import type { ClickhouseOptions } from '../options.ts'
import type { Engine, TableColumn } from './engine.ts'
import { columnNames, planColumns } from './plan-columns.ts'
import { declaredProblems, versionColumn, versionProblems } from './version-column.ts'

/** Every change is a row of its own, with its kind and the number of its arrival (`sink.append-changelog`). */
export const changeLog: Engine = {
  name: 'MergeTree',
  capabilities: {
    ...noRule,
    changelog: 'upsert',
    deleteModes: ['hard'],
    batchShape: 'log',
    truncate: true,
    exactlyOnce: false,
    outcome: 'none',
    volatile: false,
    tombstoneLife: 'not at all',
  },
  // what takes a row away may name its key alone
  columns: (plan) => [
    ...planColumns(plan, new Set(plan.schema.primaryKey), true),
    kindColumn(plan),
    versionColumn(plan, 8),
  ],
  parameters: () => [],
  sortedBy: (plan) => [...columnNames(plan, plan.schema.primaryKey), versionColumn(plan, 8).name],
  countedBy: (plan) => versionColumn(plan, 8).name,
  countsRepeats: true,
  purpose: 'changes to append, each with its kind and the number of its arrival',
  reading: undefined,
  unread: '',
  problems: (plan) => [...versionProblems(plan), ...declaredProblems(plan, 'kind-column')],
}

function kindColumn({ connectorOptions }: PlannedTable): TableColumn {
  const name = (connectorOptions as ClickhouseOptions)['kind-column']
  return { name, type: 'LowCardinality(String)', isOwn: true, write: (out, { kind }) => out.text(kind) }
}
