import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Change, ChangelogElement } from '../../changelog/element.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import { TidegateError } from '../../errors.ts'
import type { Sink } from '../../sink/sink.ts'
import { assertAccountCloses, type CaseContext, eventually, writeAndClose } from '../case-context.ts'
import { faultyConnector } from '../faulty-connector.ts'
import { type FreeCase, people } from './free-case.ts'
import { groupAlignment, upserts } from './need.ts'

const accounts = 'id INT, balance INT, PRIMARY KEY (id) NOT ENFORCED'

/** When changes become visible, and which of them together (rules K2, B1 to B4). */
export const flushCases: readonly FreeCase[] = [
  {
    id: 'flush-explicit',
    title: 'B1 flush() resolves once everything accepted is visible, and not before somebody asks',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      await writeAll(sink, context.elements(table, '+I 1 ann rome | +I 2 bob oslo'))
      await context.expectRows(table, [])
      const { account } = await sink.flush()
      assert.equal(account.held, 0)
      await context.expectRows(table, ['1 ann rome', '2 bob oslo'])
      await sink.close()
    },
  },
  {
    id: 'flush-by-rows',
    title: 'B1 a flush starts at sink.buffer-flush.max-rows',
    run: async (context) => await flushesByItself(context, { 'sink.buffer-flush.max-rows': '3' }),
  },
  {
    id: 'flush-by-bytes',
    title: 'B1 a flush starts at sink.buffer-flush.max-bytes',
    run: async (context) => await flushesByItself(context, { 'sink.buffer-flush.max-bytes': '300b' }),
  },
  {
    id: 'flush-by-interval',
    title: 'B1 a flush starts after sink.buffer-flush.interval',
    run: async (context) => await flushesByItself(context, { 'sink.buffer-flush.interval': '20ms' }),
  },
  {
    id: 'flush-nothing',
    title: 'B1 a flush of nothing resolves',
    run: async (context) => {
      const sink = await context.open(await context.table(people))
      await sink.flush()
      assertAccountCloses(await sink.close())
    },
  },
  {
    id: 'fold',
    title: 'B1 several changes of a key in one flush leave the last one',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people)
      const report = await context.write(table, '+I 1 ann rome | +U 1 ann oslo | +U 1 ann bern | -D 2 | +I 2 bob rome')
      assert.equal(report.account.folded, 3)
      await context.expectRows(table, ['1 ann bern', '2 bob rome'])
    },
  },
  {
    id: 'hold',
    title: 'K2 a reader does not see the gap between an update-before and its update-after',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people, { 'sink.buffer-flush.max-rows': '2' })
      const sink = await context.open(table)
      await writeAll(sink, context.elements(table, '+I 1 ann rome'))
      await sink.flush()
      await writeAll(sink, context.elements(table, '-U 1 ann rome | +I 2 bob oslo'))
      await eventually(async () => await context.expectRows(table, ['1 ann rome', '2 bob oslo']))
      await writeAndClose(sink, context.elements(table, '+U 1 ann bern'))
      await context.expectRows(table, ['1 ann bern', '2 bob oslo'])
    },
  },
  {
    id: 'hold-ends-with-flush',
    title: 'K2 flush() ends the hold of an update-before',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      await writeAll(sink, context.elements(table, '+I 1 ann rome'))
      await sink.flush()
      await writeAll(sink, context.elements(table, '-U 1 ann rome'))
      await sink.flush()
      await context.expectRows(table, [])
      await sink.close()
    },
  },
  {
    id: 'no-dips',
    title: 'K2 a row that is updated all the time is never missing for a reader',
    needs: [upserts],
    run: async (context) => {
      const keys = [1, 2, 3, 4, 5]
      const table = await context.table(accounts, { 'sink.buffer-flush.max-rows': '3' })
      await context.write(
        table,
        keys.map((id): Change => ({ kind: '+I', row: { id, balance: 0 } })),
      )
      const changes = range(60).flatMap((balance) => {
        return keys.flatMap((id) => updatePair({ id, balance }, { id, balance: balance + 1 }))
      })
      const counts = await watching(context, table, changes, (rows) => rows.length)
      assert.deepEqual([...new Set(counts)], [keys.length])
    },
  },
  {
    id: 'group-whole',
    title: 'B2 aligned to groups, a reader sees all of a group or nothing',
    needs: [groupAlignment],
    run: async (context) => {
      const table = await context.table(people, {
        'sink.flush.align': 'group',
        'sink.buffer-flush.max-rows': '1',
        'sink.buffer-flush.interval': '5ms',
      })
      const sink = await context.open(table)
      await writeAll(sink, context.elements(table, '+I 1 ann rome #group=a | +I 2 bob oslo #group=a'))
      await delay(60)
      await context.expectRows(table, [], 'while the group is open')
      await sink.write({ type: 'group-end', group: 'a' })
      await eventually(async () => await context.expectRows(table, ['1 ann rome', '2 bob oslo']))
      await sink.close()
    },
  },
  {
    id: 'group-transfers',
    title: 'B2 aligned to groups, a concurrent reader never sees half of a transfer',
    needs: [upserts, groupAlignment],
    run: async (context) => {
      const table = await context.table(accounts, { 'sink.flush.align': 'group', 'sink.buffer-flush.max-rows': '3' })
      const ids = range(8)
      await context.write(
        table,
        ids.map((id): Change => ({ kind: '+I', row: { id, balance: 100 } })),
      )
      const sums = await watching(context, table, transfers(ids, 120), (rows) =>
        rows.reduce((sum, { balance }) => sum + Number(balance), 0),
      )
      assert.deepEqual([...new Set(sums)], [ids.length * 100])
    },
  },
  {
    id: 'group-larger-than-buffer',
    title: 'B2 a group larger than the buffer becomes visible at once, or is rejected by code',
    needs: [groupAlignment],
    run: async (context) => {
      const table = await context.table(people, {
        'sink.flush.align': 'group',
        'sink.buffer.max-bytes': '16kb',
        'sink.buffer-flush.max-rows': '20',
      })
      const rows = range(400).map((id) => ({ id, name: `name ${id}`, city: 'x'.repeat(50) }))
      const sink = await context.open(table)
      const writing = writeAll(
        sink,
        rows.map((row): Change => ({ kind: '+I', row, group: 'large' })),
      )
      if (!(await context.capabilities()).openTransaction) {
        await assert.rejects(writing, (error) => error instanceof TidegateError && error.code === 'GROUP_TOO_LARGE')
        await sink.close().catch(() => {})
        await context.expectRows(table, [])
        return
      }
      await writing
      // a store with one connection lets the reader wait until the transaction ends
      const seenWhileOpen = context.rows(table)
      await writeAndClose(sink, [{ type: 'group-end', group: 'large' }])
      const count = (await seenWhileOpen).length
      assert.ok(count === 0 || count === rows.length, `a reader saw ${count} of ${rows.length} rows`)
      await context.expectRows(table, rows)
    },
  },
  {
    id: 'group-of-two-tables',
    title: 'B4 what a group does to two tables becomes visible at once',
    needs: [upserts, groupAlignment],
    run: async (context) => {
      const options = { 'sink.flush.align': 'group', 'sink.buffer-flush.max-rows': '2' }
      const [one, other] = [await context.table(accounts, options), await context.table(accounts, options)]
      if (!(await context.shareDomain([one, other]))) return
      const sink = await context.open([one, other])
      const reads: [number, number][] = []
      const read = async (table: TableDefinition): Promise<number> =>
        Number((await context.rows(table))[0]?.['balance'] ?? 0)
      const reading = readUntil(async () => {
        // what is read later must not be older
        const before = await read(one)
        const between = await read(other)
        reads.push([before, between])
        reads.push([between, await read(one)])
      })
      for (const balance of range(80)) {
        for (const table of [one, other]) {
          await sink.write({ kind: '+U', table: table.name, row: { id: 1, balance }, group: String(balance) })
        }
        await sink.write({ type: 'group-end', group: String(balance) })
        if (balance % 8 === 0) await sink.flush()
      }
      assertAccountCloses(await sink.close())
      await reading.stop()
      assert.deepEqual(
        reads.filter(([earlier, later]) => later < earlier),
        [],
      )
      for (const table of [one, other]) await context.expectRows(table, ['1 79'])
    },
  },
  {
    id: 'several-tables',
    title: 'B4 one sink writes several tables, each change into its own',
    needs: [upserts],
    run: async (context) => {
      const [one, other] = [await context.table(people), await context.table(accounts)]
      const sink = await context.open([one, other])
      await writeAndClose(sink, [
        ...toTable(one, context.elements(one, '+I 1 ann rome | +I 2 bob oslo | -D 2')),
        ...toTable(other, context.elements(other, '+I 1 5 | +U 1 6')),
        { kind: '+I', table: 'public.nobody', row: { id: 9 } },
      ])
      assert.equal(sink.otherTables, 1)
      await context.expectRows(one, ['1 ann rome'])
      await context.expectRows(other, ['1 6'])
    },
  },
  {
    id: 'backpressure',
    title: 'B3 a full buffer makes write() wait, and memory stays below its limit',
    run: async (context) => {
      const limit = 64 * 1024
      const table = await context.table(people, { 'sink.buffer.max-bytes': '64kb', 'sink.buffer-flush.max-rows': '50' })
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const { connector } = faultyConnector(context.harness.connector, () => ({ does: 'hold', until: held }))
      const sink = await context.open(table, { connectors: [connector] })
      const rows = range(1000).map((id) => ({ id, name: 'n', city: 'x'.repeat(100) }))
      let written = 0
      const writing = (async () => {
        for (const row of rows) {
          await sink.write({ kind: '+I', row })
          written++
        }
      })()
      await delay(100)
      const stopped = written
      await delay(50)
      assert.equal(written, stopped, 'no more is taken in while the store does not answer')
      assert.ok(stopped < rows.length, 'the buffer is smaller than the input')
      // one change may be over the limit, since its size is known only once it is there
      assert.ok(sink.load().byteCount <= limit + 4096, `${sink.load().byteCount} bytes are held`)
      release()
      await writing
      assertAccountCloses(await sink.close())
      await context.expectRows(table, rows)
    },
  },
  {
    id: 'lanes',
    title: 'B1 with several lanes each key keeps its order',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(accounts, { 'sink.parallelism': '3', 'sink.buffer-flush.max-rows': '4' })
      const changes = range(50).flatMap((balance) =>
        range(7).map((id): Change => ({ kind: '+U', row: { id, balance } })),
      )
      await context.write(table, changes)
      await context.expectRows(
        table,
        range(7).map((id) => ({ id, balance: 49 })),
      )
    },
  },
]

async function flushesByItself(context: CaseContext, options: Readonly<Record<string, string>>): Promise<void> {
  const table = await context.table(people, options)
  const sink = await context.open(table)
  await writeAll(sink, context.elements(table, '+I 1 ann rome | +I 2 bob oslo | +I 3 eve bern'))
  await eventually(async () => await context.expectRows(table, ['1 ann rome', '2 bob oslo', '3 eve bern']))
  assertAccountCloses(await sink.close())
}

async function writeAll(sink: Sink, elements: readonly ChangelogElement[]): Promise<void> {
  for (const element of elements) await sink.write(element)
}

/** Writes while a reader looks on; gives what `look` made of each of its snapshots. */
async function watching<T>(
  context: CaseContext,
  table: TableDefinition,
  elements: readonly ChangelogElement[],
  look: (rows: Awaited<ReturnType<CaseContext['rows']>>) => T,
): Promise<T[]> {
  const seen: T[] = []
  const reading = readUntil(async () => {
    seen.push(look(await context.rows(table)))
  })
  const sink = await context.open(table)
  for (const [index, element] of elements.entries()) {
    await sink.write(element)
    // lets the reader and the flushes have their turn
    if (index % 20 === 19) await delay(1)
  }
  assertAccountCloses(await sink.close())
  await reading.stop()
  assert.ok(seen.length > 0)
  return seen
}

function readUntil(read: () => Promise<void>): { stop: () => Promise<void> } {
  let stopped = false
  const reading = (async () => {
    while (!stopped) {
      await read()
      await delay(0)
    }
    await read()
  })()
  // a failure is reported by stop()
  reading.catch(() => {})
  return {
    stop: async () => {
      stopped = true
      await reading
    },
  }
}

/** Each transfer is a group of two updates that leaves the sum as it was. */
function transfers(ids: readonly number[], count: number): ChangelogElement[] {
  const balances = new Map(ids.map((id) => [id, 100]))
  return range(count).flatMap((number) => {
    const group = String(number)
    const [from, to] = [number % ids.length, (number * 3 + 1) % ids.length]
    const moved = from === to ? [] : [step(balances, from, -7), step(balances, to, 7)]
    return [...moved.flat().map((change) => ({ ...change, group })), { type: 'group-end' as const, group }]
  })
}

function step(balances: Map<number, number>, id: number, difference: number): Change[] {
  const balance = balances.get(id) ?? 0
  balances.set(id, balance + difference)
  return updatePair({ id, balance }, { id, balance: balance + difference })
}

let pairs = 0

function updatePair(before: Change['row'], after: Change['row']): Change[] {
  const pair = ++pairs
  return [
    { kind: '-U', row: before, pair },
    { kind: '+U', row: after, pair },
  ]
}

function toTable(table: TableDefinition, elements: readonly ChangelogElement[]): ChangelogElement[] {
  return elements.map((element) => ({ ...element, table: table.name }))
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index)
}
