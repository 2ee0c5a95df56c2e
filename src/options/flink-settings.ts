import { matchesName } from './option-name.ts'

/** What a `SET` line of a Flink script means here. */
export type SettingMeaning =
  /** Same as this option; a WITH clause that has it wins. */
  | { readonly option: string }
  /** No effect, with the reason. */
  | { readonly note: string }

const later =
  'it belongs to the operators in front of the sink (aggregation, join, rank), which come in a later version'

/** By name, or by family with `*`. */
export const flinkSettings: Readonly<Record<string, SettingMeaning>> = {
  'table.exec.sink.not-null-enforcer': { option: 'sink.not-null-enforcer' },
  'table.exec.sink.type-length-enforcer': { option: 'sink.type-length-enforcer' },
  'table.exec.sink.upsert-materialize': { option: 'sink.upsert-materialize' },
  'table.exec.state.ttl': { option: 'state.ttl' },
  'table.exec.mini-batch.*': { note: later },
  'table.optimizer.agg-phase-strategy': { note: later },
  'table.optimizer.distinct-agg.*': { note: later },
  'table.optimizer.incremental-agg-enabled': { note: later },
  'table.exec.rank.topn-cache-size': { note: later },
  'table.exec.deduplicate.*': { note: later },
  'table.exec.source.cdc-events-duplicate': { note: later },
  'table.exec.sink.upsert-materialize-strategy.*': { note: later },
  'table.exec.sink.require-on-conflict': {
    note: 'where the upsert key is not the primary key, a policy is always asked for',
  },
  'table.exec.sink.keyed-shuffle': { note: 'a key always stays in its lane' },
  'table.exec.sink.rowtime-inserter': { note: 'rows carry no record timestamp' },
  'table.local-time-zone': { note: 'TIMESTAMP_LTZ is read and written in UTC, whatever the time zone' },
  'execution.checkpointing.*': { note: 'flushes go by sink.buffer-flush.*' },
  'parallelism.default': { note: 'lanes go by sink.parallelism' },
  'table.exec.resource.default-parallelism': { note: 'lanes go by sink.parallelism' },
}

/** Every setting has a meaning: one that is not known is Flink's own affair, and the note says so. */
export function meaningOfSetting(name: string): SettingMeaning {
  const known = Object.entries(flinkSettings).find(([pattern]) => matchesName(pattern, name))
  return known?.[1] ?? { note: 'it concerns how Flink runs a job' }
}
