import type { ConnectorOptions, PlannedTable } from '../../../src/connector/connector.ts'
import type { ClickhouseOptions } from '../options.ts'
import { aggregating } from './aggregating.ts'
import { append } from './append.ts'
import { changeLog } from './change-log.ts'
import { collapsing, versionedCollapsing } from './collapsing.ts'
import type { Engine } from './engine.ts'
import { replacing } from './replacing.ts'

const byName = { replacing, collapsing, 'versioned-collapsing': versionedCollapsing, aggregating } as const

/** What the options ask for, for a table with a key. */
export function engineByOptions(given: ConnectorOptions): Engine {
  const options = given as ClickhouseOptions
  return options['sink.append-changelog'] ? changeLog : byName[options.engine]
}

export function engineOf({ merge, connectorOptions }: Pick<PlannedTable, 'merge' | 'connectorOptions'>): Engine {
  const engine = engineByOptions(connectorOptions)
  return (engine === replacing || engine === aggregating) && merge.key.length === 0 ? append : engine
}
