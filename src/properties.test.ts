import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore, memory } from '../adapters/memory/index.ts'
import type { Change, ChangelogElement } from './changelog/element.ts'
import type { Connector } from './connector/connector.ts'
import type { TableDefinition } from './ddl/table-definition.ts'
import type { Value } from './row/value.ts'
import { createSink } from './sink/create-sink.ts'
import type { FlushReport } from './sink/sink.ts'
import { propertySubjects } from './testing/cases/property-subjects.ts'
import {
  cuts,
  disordered,
  grouped,
  illegalChanges,
  insertStream,
  positioned,
  redelivered,
  retractStream,
  streamOf,
  upsertStream,
} from './testing/changelog-arbitrary.ts'
import { formatChangelog } from './testing/changelog-text.ts'
import { declaredTable, tableDdl } from './testing/conformance-table.ts'
import { type Fault, faultyConnector } from './testing/faulty-connector.ts'
import { memoryRows } from './testing/memory-harness.ts'
import { model } from './testing/model.ts'
import { rowDifferences } from './testing/row-difference.ts'

/** What holds for every changelog: the sink with the memory connector against the model, on random changelogs. */

const subjects = propertySubjects.map(({ columns, options, stream, shape, ...subject }) => {
  const table = memoryTable(columns, options)
  return { ...subject, table, changes: streamOf(table, stream, shape) }
})

describe.each(subjects)('$name', ({ table, changes, countsTwice }) => {
  test('any cut into flushes gives the rows of the model, and the account closes', async () => {
    await fc.assert(
      fc.asyncProperty(changes.chain(cutAnywhere), async (run) => {
        await expectRows(table, run, model(table, run.changes).rows)
      }),
    )
  })

  test('redelivery of a suffix changes nothing that a change delivered twice does not change', async () => {
    const twice = changes.chain((once) =>
      fc.record({ once: fc.constant(once), run: redelivered(fc.constant(once)).chain(cutAnywhere) }),
    )
    await fc.assert(
      fc.asyncProperty(twice, async ({ once, run }) => {
        await expectRows(table, run, model(table, countsTwice === true ? run.changes : once).rows)
      }),
    )
  })
})

describe.each(subjects.filter(({ orderFree }) => orderFree))('$name', ({ table, changes }) => {
  test('changes of different sequences give the same rows in any order', async () => {
    const anyOrder = changes.chain((inOrder) => {
      // an update-before has the sequence of the version that it takes back
      const sent = inOrder.filter(({ kind }) => kind !== '-U')
      const run = disordered(sent, table.schema, 'breaking-key-order').chain(cutAnywhere)
      return fc.record({ sent: fc.constant(sent), run })
    })
    await fc.assert(
      fc.asyncProperty(anyOrder, async ({ sent, run }) => {
        await expectRows(table, run, model(table, sent).rows)
      }),
    )
  })
})

describe('in the eyes of a reader', () => {
  test('no column that only grows ever drops, whatever comes late or twice', async () => {
    const table = memoryTable(`id INT, a INT, b INT, c BOOLEAN, s BIGINT, PRIMARY KEY (id) NOT ENFORCED`, {
      'merge-engine': 'aggregation',
      'sequence.field': 's',
      'fields.a.aggregate-function': 'max',
      'fields.b.aggregate-function': 'min',
      'fields.c.aggregate-function': 'bool_or',
    })
    await fc.assert(
      fc.asyncProperty(lateAndTwice(table, insertStream(table)), async (run) => {
        const seen = new Map<unknown, Row>()
        await send(table, run, async (store) => {
          for (const row of await memoryRows(store, table)) {
            expect(dropped(seen.get(row['id']), row)).toEqual([])
            seen.set(row['id'], row)
          }
          expect(store.tables.get('t')?.rows.size ?? 0).toBe(seen.size)
        })
      }),
    )
  })

  test('G1 no row goes back to an older sequence, deleted in between or not', async () => {
    const table = memoryTable(`id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED`, { 'sequence.field': 's' })
    await fc.assert(
      fc.asyncProperty(lateAndTwice(table, upsertStream(table)), async (run) => {
        const newest = new Map<unknown, bigint>()
        await send(table, run, async (store) => {
          for (const { id, s } of await memoryRows(store, table)) {
            expect(s as bigint).toBeGreaterThanOrEqual(newest.get(id) ?? 0n)
            newest.set(id, s as bigint)
          }
        })
      }),
    )
  })

  test('B2 aligned to groups, nothing but whole groups is ever there', async () => {
    const table = memoryTable('id INT, v STRING, w INT, PRIMARY KEY (id) NOT ENFORCED', {
      'sink.flush.align': 'group',
    })
    const run = fc.record({
      changelog: grouped(retractStream(table, { keyChanges: true })),
      maxRows: fc.constantFrom(1, 2, 5),
    })
    await fc.assert(
      fc.asyncProperty(run, async ({ changelog, maxRows }) => {
        const store = createMemoryStore()
        const sink = await createSink({ table: withMaxRows(table, maxRows), client: store })
        const whole = statesAfterGroups(table, changelog)
        let groups = 0
        for (const element of changelog) {
          await sink.write(element)
          await new Promise((resolve) => setImmediate(resolve))
          const rows = await memoryRows(store, table)
          const reached = whole.findIndex(
            (state, index) => index >= groups && rowDifferences(table, state, rows).length === 0,
          )
          expect(reached, 'the rows are those after some group, and no earlier one than before').toBeGreaterThanOrEqual(
            groups,
          )
          groups = reached
        }
        await sink.close()
        expect(rowDifferences(table, whole.at(-1) ?? [], await memoryRows(store, table))).toEqual([])
      }),
    )
  })
})

test('R2 failing calls and lost answers neither lose nor double a change', async () => {
  const table = memoryTable(`id INT, a INT, b INT, PRIMARY KEY (id) NOT ENFORCED`, {
    'merge-engine': 'aggregation',
    'fields.a.aggregate-function': 'sum',
    'sink.delivery-guarantee': 'exactly-once',
    'sink.id': 'properties',
    'sink.retry.interval': '1ms',
    'sink.max-retries': '20',
  })
  const fault = fc.constantFrom<Fault | undefined>(
    undefined,
    { does: 'fail', as: 'transient' },
    { does: 'fail', as: 'throttled' },
    { does: 'lose-answer' },
  )
  const run = retractStream(table)
    .map((changes) => positioned(changes))
    .chain(cutAnywhere)
  await fc.assert(
    fc.asyncProperty(run, fc.array(fault, { maxLength: 12 }), async (given, faults) => {
      const { connector } = faultyConnector(memory, (call) => faults[call - 1])
      await expectRows(table, given, model(table, given.changes).rows, [connector])
    }),
  )
})

test('R4 every rejected record is counted, and takes nothing with it', async () => {
  const table = memoryTable(`id INT, v STRING, n INT NOT NULL, PRIMARY KEY (id) NOT ENFORCED`, {})
  const illegal = illegalChanges(table.schema).map(({ change }) => change)
  const run = fc
    .tuple(retractStream(table), fc.array(fc.tuple(fc.nat(), fc.constantFrom(...illegal)), { maxLength: 5 }))
    .map(([changes, bad]) => bad.reduce((all, [place, change]) => withInserted(all, place, change), changes))
    .chain(cutAnywhere)
  await fc.assert(
    fc.asyncProperty(run, async (given) => {
      const legal = given.changes.filter((change) => !illegal.includes(change))
      const { account } = await expectRows(table, given, model(table, legal).rows)
      expect(account.rejected).toBe(given.changes.length - legal.length)
    }),
  )
})

function memoryTable(columns: string, options: Readonly<Record<string, string>>): TableDefinition {
  const ddl = tableDdl('t', columns, { connector: 'memory', 'sink.buffer-flush.interval': '0', ...options })
  return declaredTable(ddl)
}

type Row = Readonly<Record<string, Value | null>>

interface Run {
  readonly changes: readonly Change[]
  /** Flushes come after so many changes. */
  readonly places: readonly number[]
  /** `sink.buffer-flush.max-rows` */
  readonly maxRows: number
}

function cutAnywhere(changes: readonly Change[]): fc.Arbitrary<Run> {
  return fc.record({
    changes: fc.constant(changes),
    places: cuts(changes.length),
    maxRows: fc.constantFrom(0, 1, 2, 5),
  })
}

/** Delivered at least once, and in any order. */
function lateAndTwice(table: TableDefinition, stream: fc.Arbitrary<Change[]>): fc.Arbitrary<Run> {
  return redelivered(stream)
    .chain((changes) => disordered(changes, table.schema, 'breaking-key-order'))
    .chain(cutAnywhere)
}

async function expectRows(
  table: TableDefinition,
  run: Run,
  rows: readonly Row[],
  connectors: readonly Connector[] = [],
): Promise<FlushReport> {
  const { store, report } = await send(table, run, async () => {}, connectors)
  const differences = rowDifferences(table, rows, await memoryRows(store, table))
  expect(differences, changelogText(table, run)).toEqual([])
  const { accepted, written, folded, stale, ignored, rejected, held } = report.account
  expect({ accepted, held }).toEqual({ accepted: run.changes.length, held: 0 })
  expect(written + folded + stale + ignored + rejected).toBe(accepted)
  expect(Math.min(written, folded, stale, ignored, rejected)).toBeGreaterThanOrEqual(0)
  return report
}

/** `look` sees the store after each flush that the run asks for. */
async function send(
  table: TableDefinition,
  { changes, places, maxRows }: Run,
  look: (store: MemoryStore) => Promise<void>,
  connectors: readonly Connector[] = [],
): Promise<{ store: MemoryStore; report: FlushReport }> {
  const store = createMemoryStore()
  const sink = await createSink({ table: withMaxRows(table, maxRows), client: store, connectors })
  for (const [index, change] of changes.entries()) {
    await sink.write(change)
    if (!places.includes(index + 1)) continue
    await sink.flush()
    await look(store)
  }
  return { store, report: await sink.close() }
}

function withMaxRows(table: TableDefinition, maxRows: number): TableDefinition {
  const options = { 'sink.buffer-flush.max-rows': String(maxRows), 'sink.failure-handler': 'skip' }
  return { ...table, options: { ...table.options, ...options } }
}

/** The rows before the first group, after it, after the second, and so on. */
function statesAfterGroups(table: TableDefinition, changelog: readonly ChangelogElement[]): (readonly Row[])[] {
  const ends = changelog.flatMap((element, index) => (element.type === 'group-end' ? [index + 1] : []))
  return [0, ...ends].map((end) => model(table, changelog.slice(0, end)).rows)
}

function withInserted(changes: readonly Change[], place: number, change: Change): Change[] {
  return changes.toSpliced(place % (changes.length + 1), 0, change)
}

/** Columns of max (a), min (b) and bool_or (c) that went the wrong way. */
function dropped(before: Row | undefined, now: Row): string[] {
  if (before === undefined) return []
  const grew = (column: string, sign: number): boolean => {
    const [x, y] = [before[column] ?? null, now[column] ?? null]
    return x === null || (y !== null && Number(y) * sign >= Number(x) * sign)
  }
  return [...(grew('a', 1) ? [] : ['a']), ...(grew('b', -1) ? [] : ['b']), ...(grew('c', 1) ? [] : ['c'])]
}

function changelogText({ schema }: TableDefinition, { changes, places, maxRows }: Run): string {
  return `${formatChangelog(schema, changes)}\nflushed after ${places.join(', ')} and by ${maxRows} rows`
}
