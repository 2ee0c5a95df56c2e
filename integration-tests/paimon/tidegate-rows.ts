import { createMemoryStore, tableOf } from '../../adapters/memory/store.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import type { PaimonCase } from './paimon-case.ts'
import type { Random } from './random.ts'

/** Rows by key that a reader of the memory connector sees after the case, with flushes cut at random. */
export async function tidegateRows(one: PaimonCase, random: Random): Promise<ReadonlyMap<unknown, readonly unknown[]>> {
  const store = createMemoryStore()
  const sink = await createSink({ table: ddlOf(one), client: store })
  for (const { kind, row } of one.rounds.flat()) {
    await sink.write({ kind, row: Object.fromEntries(one.columns.map(({ name }, at) => [name, row[at]])) })
    if (random.chance(10)) await sink.flush()
  }
  await sink.close()
  const merge = sink.plan.tables[0]?.merge
  const rows = new Map<unknown, readonly unknown[]>()
  for (const row of tableOf(store, 't').rows.values()) {
    if (merge?.deletedFlag !== undefined && row[merge.deletedFlag] === true) continue
    rows.set(row[0], row.slice(0, one.columns.length))
  }
  return rows
}

function ddlOf({ columns, options, sinkOptions }: PaimonCase): string {
  const declared = columns.map(({ name, type }) => `${name} ${type}`)
  const given = {
    connector: 'memory',
    'sink.buffer-flush.interval': '0',
    ...options,
    ...sinkOptions,
  }
  const written = Object.entries(given).map(([name, value]) => `'${name}' = '${value}'`)
  return `CREATE TABLE t (${declared.join(', ')}, PRIMARY KEY (k) NOT ENFORCED) WITH (${written.join(', ')})`
}
