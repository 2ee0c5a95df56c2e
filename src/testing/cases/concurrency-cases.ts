import type { Change } from '../../changelog/element.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import { assertAccountCloses, type CaseContext } from '../case-context.ts'
import { model } from '../model.ts'
import type { FreeCase } from './free-case.ts'
import { aggregate, compound, gate, partialUpdate, retraction, sequenceGroups, tombstones, upserts } from './need.ts'

const key = 'PRIMARY KEY (id) NOT ENFORCED'
const versioned = `id INT, s BIGINT, v STRING, ${key}`
const twiceVersioned = `id INT, s BIGINT, t INT, v STRING, ${key}`
const joined = `id INT, a STRING, sa BIGINT, b STRING, sb BIGINT, ${key}`
const joinedOptions = {
  'merge-engine': 'partial-update',
  'fields.sa.sequence-group': 'a',
  'fields.sb.sequence-group': 'b',
}
const summed = `id INT, n BIGINT, mx INT, ${key}`
const summedOptions = {
  'merge-engine': 'aggregation',
  'fields.n.aggregate-function': 'sum',
  'fields.mx.aggregate-function': 'max',
  'sink.accept-duplicates': 'true',
}

/** Several sinks that write the same keys at the same time: whoever comes first, the store ends as the model says. */
export const concurrencyCases: readonly FreeCase[] = [
  {
    id: 'concurrent-gate',
    title: 'G1 sinks that write the same keys in opposite orders, shuffled and twice, leave the newest versions',
    needs: [upserts, gate, tombstones],
    ask: { columns: versioned, options: { 'sequence.field': 's' } },
    run: async (context) => {
      const versions = perKey((id, n) => ({ kind: (id + n) % 5 === 0 ? '-D' : '+U', row: { id, s: n, v: `v${n}` } }))
      const table = await context.table(versioned, { ...small, 'sequence.field': 's' })
      await writeTogether(context, table, overlapping(versions))
      await context.expectRows(table, model(table, versions).rows)
    },
  },
  {
    id: 'concurrent-gate-compound',
    title: 'G4 sinks that write the same keys at the same time leave the newest versions by a compound sequence',
    needs: [upserts, gate, tombstones, compound],
    ask: { columns: twiceVersioned, options: { 'sequence.field': 's,t' } },
    run: async (context) => {
      const versions = perKey((id, n) => ({
        kind: (id + n) % 5 === 0 ? '-D' : '+U',
        row: { id, s: Math.floor(n / 4), t: n % 4, v: `v${n}` },
      }))
      const table = await context.table(twiceVersioned, { ...small, 'sequence.field': 's,t' })
      await writeTogether(context, table, overlapping(versions))
      await context.expectRows(table, model(table, versions).rows)
    },
  },
  {
    id: 'concurrent-groups',
    title: 'G3 sinks of different sequence groups fill the same new rows at the same time',
    needs: [upserts, partialUpdate, sequenceGroups],
    ask: { columns: joined, options: joinedOptions },
    run: async (context) => {
      const left = perKey((id, n) => ({ kind: '+U', row: { id, sa: n, a: `a${n}` } }))
      const right = perKey((id, n) => ({ kind: '+U', row: { id, sb: n, b: `b${n}` } }))
      const table = await context.table(joined, { ...small, ...joinedOptions })
      await writeTogether(context, table, [...overlapping(left), ...overlapping(right)])
      await context.expectRows(table, model(table, [...left, ...right]).rows)
    },
  },
  {
    id: 'concurrent-sums',
    title: 'A1 sums and maxima of several sinks lose nothing and double nothing',
    needs: [upserts, aggregate('sum'), aggregate('max')],
    ask: { columns: summed, options: summedOptions },
    run: async (context) => {
      const additions = perKey((id, n) => ({ kind: '+I', row: { id, n, mx: n } }))
      const table = await context.table(summed, { ...small, ...summedOptions, 'source.changelog-mode': 'insert-only' })
      const streams = [additions, additions.toReversed(), shuffled(additions, 3)]
      await writeTogether(context, table, streams)
      await context.expectRows(table, model(table, streams.flat()).rows)
    },
  },
  {
    id: 'concurrent-sums-retracted',
    title: 'A1 sums of several sinks lose nothing and double nothing where part is taken back',
    needs: [upserts, aggregate('sum'), retraction('sum')],
    ask: { columns: summed, options: { ...summedOptions, 'fields.mx.ignore-retract': 'true' } },
    run: async (context) => {
      const changes = perKey((id, n) => ({ kind: n % 4 === 3 ? '-U' : '+I', row: { id, n, mx: 1 } }))
      const options = { ...small, ...summedOptions, 'fields.mx.ignore-retract': 'true' }
      const table = await context.table(summed, options)
      const streams = [changes, changes.toReversed(), shuffled(changes, 3)]
      await writeTogether(context, table, streams)
      await context.expectRows(table, model(table, streams.flat()).rows)
    },
  },
]

/** Small flushes, so that many of different sinks meet; they may well collide. */
const small = {
  'sink.buffer-flush.max-rows': '25',
  'source.changelog-mode': 'unknown',
  'sink.max-retries': '20',
  'sink.retry.interval': '10ms',
}

const keyCount = 60
const versionCount = 12

/** The changes of every key, in the order of their numbers. */
function perKey(change: (id: number, n: number) => Change): Change[] {
  const keys = Array.from({ length: keyCount }, (_, id) => id)
  const numbers = Array.from({ length: versionCount }, (_, n) => n)
  return numbers.flatMap((n) => keys.map((id) => change(id, n)))
}

/** Opposite orders, and a laggard that has everything twice, but never the newest. */
function overlapping(changes: readonly Change[]): readonly (readonly Change[])[] {
  const older = changes.slice(0, -2 * keyCount)
  return [changes, changes.toReversed(), shuffled([...older, ...older], 7)]
}

/** Each stream by a sink of its own, all at once. */
async function writeTogether(
  context: CaseContext,
  table: TableDefinition,
  streams: readonly (readonly Change[])[],
): Promise<void> {
  // the table is made by one of them
  await (await context.open(table)).close()
  const sinks = await Promise.all(streams.map(async () => await context.open(table)))
  await Promise.all(
    sinks.map(async (sink, index) => {
      for (const change of streams[index] ?? []) await sink.write(change)
      assertAccountCloses(await sink.close())
    }),
  )
}

/** The same order for the same seed. */
function shuffled<T>(items: readonly T[], seed: number): T[] {
  const copy = [...items]
  let state = seed
  for (let at = copy.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const other = state % (at + 1)
    ;[copy[at], copy[other]] = [copy[other] as T, copy[at] as T]
  }
  return copy
}
