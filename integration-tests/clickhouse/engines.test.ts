import { type ClickHouseClient, createClient } from '@clickhouse/client'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clickhouse } from '../../adapters/clickhouse/index.ts'
import { must } from '../../src/assert.ts'
import type { Change } from '../../src/changelog/element.ts'
import type { CheckFinding } from '../../src/connector/connector.ts'
import { createSink, planTables } from '../../src/sink/create-sink.ts'
import { type ClickhouseDatabase, createClickhouseDatabase } from '../services/clickhouse-database.ts'
import { startTcpProxy } from '../services/tcp-proxy.ts'
import { describeStore } from '../stores.ts'

const columns = 'id INT, name STRING, version BIGINT, PRIMARY KEY (id) NOT ENFORCED'

/** A source with every update-before: what its table holds in the end is kept apart. */
interface Source {
  readonly changes: readonly Change[]
  readonly rows: ReadonlyMap<number, string>
}

/** `steps`: of a key, whether it is deleted next, or gets a new name. */
function sourceOf(steps: readonly { id: number; isDelete: boolean; name: string | null }[]): Source {
  const live = new Map<number, { name: string | null; version: number }>()
  const changes: Change[] = []
  for (const [at, { id, isDelete, name }] of steps.entries()) {
    const before = live.get(id)
    const taken = before === undefined ? undefined : { id, ...before }
    if (isDelete) {
      if (taken !== undefined) changes.push({ kind: '-D', row: taken })
      live.delete(id)
      continue
    }
    const row = { id, name, version: at }
    if (taken === undefined) changes.push({ kind: '+I', row })
    else changes.push({ kind: '-U', row: taken, pair: at, more: true }, { kind: '+U', row, pair: at })
    live.set(id, { name, version: at })
  }
  return { changes, rows: new Map([...live].map(([id, { name, version }]) => [id, `${name} ${version}`])) }
}

const steps = fc.array(
  fc.record({
    id: fc.integer({ min: 1, max: 4 }),
    isDelete: fc.boolean(),
    name: fc.option(fc.constantFrom('a', 'b', "o'c\\")),
  }),
  { minLength: 1, maxLength: 30 },
)

async function findingsOf(tables: string): Promise<readonly CheckFinding[]> {
  const [domain] = await planTables({ tables })
  const { plan } = must(domain, 'one domain')
  const signal = new AbortController().signal
  return await clickhouse.check({ plan, tables: plan.tables, client: undefined, lanes: 1, inFlightPerLane: 1, signal })
}

for (const store of ['clickhouse', 'clickhouse-url'] as const) {
  describeStore(store, 'engines beside ReplacingMergeTree', ({ clickhouse: server }) => {
    if (server === undefined) return
    let database: ClickhouseDatabase
    let reader: ClickHouseClient
    let count = 0
    beforeAll(async () => {
      database = await createClickhouseDatabase(server)
      reader = createClient({ url: database.url })
    })
    afterAll(async () => {
      await reader.close()
      await database.drop()
    })

    const select = async (query: string): Promise<unknown[][]> => {
      return await (await reader.query({ query, format: 'JSONCompactEachRow' })).json()
    }
    const ddlOf = (name: string, options: string, url = database.url): string =>
      `CREATE TABLE ${name} (${columns}) WITH ('connector' = 'clickhouse', 'url' = '${url}',
       'sink.create-table' = 'if-not-exists', 'sink.buffer-flush.interval' = '0', ${options})`
    const retracts = `'source.changelog-mode' = 'retract', 'sink.accept-duplicates' = 'true'`
    const versioned = `'engine' = 'versioned-collapsing', 'sequence.field' = 'version', ${retracts}`

    /** `flushAfter`: places in the changes. */
    const write = async (
      ddl: string,
      changes: readonly Change[],
      flushAfter: ReadonlySet<number>,
    ): Promise<readonly string[]> => {
      const retries: string[] = []
      const onEvent = (event: { type: string }): void => {
        if (event.type === 'retry') retries.push(event.type)
      }
      const sink = await createSink({ table: ddl, onEvent })
      for (const [at, change] of changes.entries()) {
        await sink.write(change)
        if (flushAfter.has(at)) await sink.flush()
      }
      await sink.close()
      return retries
    }

    test.each([
      ['collapsing', `'engine' = 'collapsing', ${retracts}`],
      ['versioned-collapsing', versioned],
      ['collapsing in two lanes', `'engine' = 'collapsing', 'sink.parallelism' = '2', ${retracts}`],
    ])('K2 %s: whatever the cut into flushes, the view shows the table of the source', async (_title, options) => {
      await fc.assert(
        fc.asyncProperty(steps, fc.uniqueArray(fc.integer({ min: 0, max: 60 })), async (some, flushAfter) => {
          const { changes, rows } = sourceOf(some)
          const name = `t${++count}`
          await write(ddlOf(name, options), changes, new Set(flushAfter))
          const seen = await select(`SELECT id, concat(ifNull(name, 'null'), ' ', toString(version)) FROM ${name}_live`)
          expect(new Map(seen as [number, string][])).toEqual(rows)
          expect(seen).toHaveLength(rows.size)
        }),
        { numRuns: 12 },
      )
    })

    test('K2 versioned-collapsing: in any order, each change in a flush of its own', async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.infiniteStream(fc.nat()), async (some, order) => {
          const { changes, rows } = sourceOf(some)
          // one half of a pair may come without the other
          const shuffled = changes
            .map(({ kind, row }): { at: number; change: Change } => ({ at: order.next().value, change: { kind, row } }))
            .toSorted((a, b) => a.at - b.at)
            .map(({ change }) => change)
          const name = `t${++count}`
          await write(ddlOf(name, versioned), shuffled, new Set(shuffled.keys()))
          const seen = await select(`SELECT id, concat(ifNull(name, 'null'), ' ', toString(version)) FROM ${name}_live`)
          expect(new Map(seen as [number, string][])).toEqual(rows)
        }),
        { numRuns: 8 },
      )
    })

    test.each([
      ['collapsing', `'engine' = 'collapsing', ${retracts}`, 'sum(__tidegate_sign)'],
      ['a change log', `'sink.append-changelog' = 'true', 'sink.accept-duplicates' = 'true'`, 'count()'],
    ])('R2 %s: an insert whose answer is lost is sent again, and counts once', async (_title, options, counted) => {
      await using proxy = await startTcpProxy(Number(new URL(server.url).port))
      const name = `t${++count}`
      const sink = await createSink({ table: ddlOf(name, options, proxy.via(database.url)) })
      for (const id of [1, 2, 3]) {
        await sink.write({ kind: '+I', row: { id, name: 'x', version: id } })
        const lost = proxy.loseAnswer('INSERT', 'HTTP/1.1 200')
        await sink.flush()
        await lost
      }
      await sink.close()
      expect(await select(`SELECT toString(${counted}) FROM ${name}`)).toEqual([['3']])
    })

    test('K2 a change log holds every change as it came, and goes on counting', async () => {
      const name = `t${++count}`
      const ddl = ddlOf(
        name,
        `'sink.append-changelog' = 'true', 'kind-column' = 'op', 'sink.accept-duplicates' = 'true'`,
      )
      const first: Change[] = [
        { kind: '+I', row: { id: 1, name: 'a', version: 1 } },
        { kind: '-U', row: { id: 1, name: 'a', version: 1 } },
        { kind: '+U', row: { id: 1, name: null, version: 2 } },
      ]
      await write(ddl, first, new Set([1]))
      await write(ddl, [{ kind: '-D', row: { id: 1 } }], new Set())
      expect(await select(`SELECT op, id, name, toString(version) FROM ${name} ORDER BY __tidegate_version`)).toEqual([
        ['+I', 1, 'a', '1'],
        ['-U', 1, 'a', '1'],
        ['+U', 1, null, '2'],
        ['-D', 1, null, null],
      ])
    })

    test('G3 A4 an AggregatingMergeTree merges groups, and its view shows what was added', async () => {
      const name = `t${++count}`
      const options = `'engine' = 'aggregating', 'merge-engine' = 'partial-update', 'fields.version.sequence-group' = 'name',
        'sink.failure-handler' = 'skip'`
      const changes: Change[] = [
        { kind: '+I', row: { id: 1, name: 'new', version: 2 } },
        { kind: '+U', row: { id: 1, name: 'late', version: 1 } },
        { kind: '+U', row: { id: 1, name: null, version: 2 } },
        { kind: '-D', row: { id: 2, name: 'gone', version: 9 } },
        { kind: '+I', row: { id: 3, name: 'x', version: null } },
        // replaced as a whole
        { kind: '+U', row: { id: 3, version: 5 } },
      ]
      await write(ddlOf(name, options), changes, new Set(changes.keys()))
      expect(await select(`SELECT id, name, toString(version) FROM ${name}_live ORDER BY id`)).toEqual([
        [1, null, '2'],
        [3, null, null],
      ])
      expect(await findingsOf(ddlOf(name, options))).toMatchObject([{ severity: 'ok' }])
    })

    test('many inserts of few rows are told of once', async () => {
      const warnings: string[] = []
      const sink = await createSink({
        table: ddlOf(`t${++count}`, `'source.changelog-mode' = 'upsert'`),
        onEvent: (event) => {
          if (event.type === 'warning') warnings.push(event.message)
        },
      })
      for (let id = 0; id < 50; id++) {
        await sink.write({ kind: '+I', row: { id, name: 'x', version: id } })
        await sink.flush()
      }
      await sink.close()
      expect(warnings).toEqual([expect.stringMatching(/^20 inserts in .* of 1 rows on average/)])
    })

    test('an existing table of another engine, or with other columns, is told with all that differs', async () => {
      const name = `t${++count}`
      await reader.command({
        query: `CREATE TABLE ${name} (id Int32, name Nullable(String), version Int64, sign Int8)
          ENGINE = CollapsingMergeTree(sign) ORDER BY (id, version)`,
      })
      const findings = await findingsOf(ddlOf(name, `'engine' = 'collapsing', ${retracts}`))
      expect(findings.map(({ severity, subject }) => `${severity} ${subject}`)).toEqual([
        `error \`${name}\``,
        `error \`${name}\``,
        'error column version',
        'error column __tidegate_sign',
        `warning \`${name}\``,
      ])
      const replacing = await findingsOf(ddlOf(name, `'source.changelog-mode' = 'retract'`))
      expect(replacing[0]?.message).toContain('is kept by CollapsingMergeTree, and ReplacingMergeTree(')
    })

    test("a table of the user's own, with a sign column of another name, is written to", async () => {
      const name = `t${++count}`
      await reader.command({
        query: `CREATE TABLE ${name} (id Int32, name Nullable(String), version Nullable(Int64), sign Int8)
          ENGINE = CollapsingMergeTree(sign) ORDER BY id`,
      })
      const ddl = ddlOf(name, `'engine' = 'collapsing', 'sign-column' = 'sign', ${retracts}`)
      await write(
        ddl,
        sourceOf([
          { id: 1, isDelete: false, name: 'a' },
          { id: 1, isDelete: false, name: 'b' },
        ]).changes,
        new Set([0]),
      )
      expect(await select(`SELECT id, name FROM ${name} FINAL`)).toEqual([[1, 'b']])
    })
  })
}
