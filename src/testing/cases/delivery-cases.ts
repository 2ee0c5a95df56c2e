import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Change } from '../../changelog/element.ts'
import type { Position } from '../../changelog/position.ts'
import type { TableDefinition } from '../../ddl/table-definition.ts'
import type { DeadLetter, FailureHandler } from '../../delivery/failure-handler.ts'
import { UnwrittenError } from '../../delivery/unwritten-error.ts'
import { TidegateError } from '../../errors.ts'
import { assertAccountCloses, type CaseContext, EventRecord, eventually, writeAndClose } from '../case-context.ts'
import { type Fault, faultyConnector } from '../faulty-connector.ts'
import { type FreeCase, people } from './free-case.ts'
import { aggregate, exactlyOnce, gate, moves, partialUpdate, tombstones, upserts } from './need.ts'

const retries = { 'sink.retry.interval': '1ms', 'sink.max-retries': '3' }
const required = 'id INT, name STRING NOT NULL, city STRING, PRIMARY KEY (id) NOT ENFORCED'
const changelog =
  '+I 1 ann rome | +I 2 bob oslo | +I 3 eve bern | -U 1 ann rome | +U 1 ann oslo | -D 2 bob oslo | +I 4 dan rome | +I 2 bea lima'
const rows = ['1 ann oslo', '2 bea lima', '3 eve bern', '4 dan rome']

const sequenced = {
  columns: 'id INT, v STRING, s BIGINT, PRIMARY KEY (id) NOT ENFORCED',
  options: { 'sequence.field': 's' },
}
const counting = {
  columns: 'id INT, v INT, PRIMARY KEY (id) NOT ENFORCED',
  options: {
    ...retries,
    'merge-engine': 'aggregation',
    'fields.v.aggregate-function': 'sum',
    'sink.delivery-guarantee': 'exactly-once',
    'sink.id': 'conformance',
  },
}

/** What is promised when calls fail, answers are lost, rows are bad, and processes end (rules R1 to R5, A3, C2). */
export const deliveryCases: readonly FreeCase[] = [
  {
    id: 'durable-follows-the-store',
    title: 'R1 a position is durable only once the store has what came before it',
    run: async (context) => {
      const table = await context.table(people, { 'sink.buffer-flush.max-rows': '2' })
      let release = (): void => {}
      const held = new Promise<void>((resolve) => {
        release = resolve
      })
      const { connector, batches } = faultyConnector(context.harness.connector, () => ({ does: 'hold', until: held }))
      const sink = await context.open(table, { connectors: [connector] })
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null }, position: at(1) })
      await sink.write({ kind: '+I', row: { id: 2, name: 'bob', city: null }, position: at(2) })
      await eventually(async () => assert.equal(batches.length, 1))
      assert.deepEqual([...sink.positions()], [], 'nothing is durable while the store has not answered')
      release()
      await eventually(async () => assert.deepEqual([...sink.positions()], [['p', 2]]))
      await context.expectRows(table, ['1 ann null', '2 bob null'])
      assertAccountCloses(await sink.close())
    },
  },
  {
    id: 'durable-by-partition',
    title: 'R1 the newest position of each partition is reported, and control elements move it',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      const seen: Position[] = []
      const reading = (async () => {
        for await (const position of sink.durable()) seen.push(position)
      })()
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null }, position: { partition: 'a', offset: 7 } })
      await sink.write({
        kind: '+I',
        row: { id: 2, name: 'bob', city: null },
        position: { partition: 'b', offset: '0/1A' },
      })
      await sink.write({ kind: '+I', row: { id: 3, name: 'eve', city: null }, position: { partition: 'a', offset: 8 } })
      await sink.write({ type: 'position', position: { partition: 'a', offset: 9 } })
      await sink.write({
        kind: '+I',
        table: 'public.other',
        row: { id: 1 },
        position: { partition: 'b', offset: '0/1B' },
      })
      const { positions } = await sink.close()
      await reading
      const expected = new Map<string, unknown>([
        ['a', 9],
        ['b', '0/1B'],
      ])
      assert.deepEqual(new Map(positions), expected)
      const newest = new Map(seen.map(({ partition, offset }) => [partition, offset]))
      assert.deepEqual(newest, expected, 'durable() has told the newest of each partition before it ended')
    },
  },
  {
    id: 'unwritten-is-handed-back',
    title: 'R1 flush() and close() reject when something accepted was not written, and hand it back',
    run: async (context) => {
      const table = await context.table(people, retries)
      const { connector } = faultyConnector(context.harness.connector, () => ({ does: 'fail', as: 'schema' }))
      const sink = await context.open(table, { connectors: [connector] })
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: 'rome' }, position: at(1) })
      await assert.rejects(sink.flush(), (error) => error instanceof TidegateError && error.code === 'STORE_SCHEMA')
      const error = await rejection(sink.close())
      assert.ok(error instanceof UnwrittenError, `close() rejects with what was not written, not with ${String(error)}`)
      assert.deepEqual(
        error.unwritten.map(({ row }) => row['id']),
        [1],
      )
      assert.deepEqual([...sink.positions()], [], 'the position is not durable')
      await context.expectRows(table, [])
    },
  },
  {
    id: 'classify-is-total',
    title: 'R2 any error has a class, also what no store ever throws',
    run: async ({ harness }) => {
      const circular: Record<string, unknown> = {}
      circular['self'] = circular
      const thrown = [
        undefined,
        null,
        0,
        '',
        'text',
        Symbol('s'),
        1n,
        {},
        circular,
        new Error('x'),
        { code: {} },
        () => 0,
      ]
      const classes = ['transient', 'throttled', 'row', 'schema', 'auth', 'fenced', 'unknown-outcome', 'fatal']
      for (const error of thrown) assert.ok(classes.includes(harness.connector.classify(error)), typeof error)
    },
  },
  {
    id: 'fail-nth-call',
    title: 'R2 whichever call fails for a while, the rows are the same',
    needs: [upserts],
    run: async (context) => {
      for (const as of ['transient', 'throttled'] as const) await failEachCall(context, { does: 'fail', as })
    },
  },
  {
    id: 'lose-nth-answer',
    title: 'R2 whichever answer is lost, the rows are the same',
    needs: [upserts],
    run: async (context) => await failEachCall(context, { does: 'lose-answer' }),
  },
  {
    id: 'half-apply-nth-call',
    title: 'R2 whichever batch is applied by half, a retry mends it',
    needs: [upserts],
    run: async (context) => await failEachCall(context, { does: 'half-apply', as: 'transient' }),
  },
  {
    id: 'retries-end',
    title: 'R2 retries come to an end, and the error says what went wrong',
    run: async (context) => {
      const table = await context.table(people, retries)
      const { connector, batches } = faultyConnector(context.harness.connector, () => ({
        does: 'fail',
        as: 'transient',
      }))
      const sink = await context.open(table, { connectors: [connector] })
      await sink.write({ kind: '+I', row: { id: 1, name: 'secret name', city: 'rome' } })
      const error = await rejection(sink.close())
      assert.ok(error instanceof TidegateError && error.code === 'STORE_UNAVAILABLE', String(error))
      assert.equal(batches.length, 4, 'one try and three retries')
      assert.equal(new Set(batches.map(({ id }) => id)).size, 1, 'a retry sends the same batch under the same id')
      assert.doesNotMatch(error.message, /secret name/)
    },
  },
  {
    id: 'permanent-is-not-retried',
    title: 'R2 a failure that time does not mend is not retried',
    run: async (context) => {
      for (const as of ['schema', 'auth', 'fatal', 'fenced'] as const) {
        const table = await context.table(people, retries)
        const { connector, batches } = faultyConnector(context.harness.connector, () => ({ does: 'fail', as }))
        const sink = await context.open(table, { connectors: [connector] })
        await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: 'rome' } })
        await assert.rejects(sink.close())
        assert.equal(batches.length, 1, as)
      }
    },
  },
  {
    id: 'severed-connections',
    title: 'R2 connections that are cut while changes come lose none of them',
    needs: [upserts],
    run: async (context) => {
      const { sever } = context.harness
      if (sever === undefined) return
      const table = await context.table(people, {
        'sink.buffer-flush.max-rows': '5',
        'sink.retry.interval': '20ms',
        'sink.max-retries': '10',
      })
      const sink = await context.open(table)
      const written = Array.from({ length: 200 }, (_, id) => ({ id, name: `n${id}`, city: null }))
      for (const [index, row] of written.entries()) {
        await sink.write({ kind: '+I', row })
        if (index % 60 === 30) await sever()
      }
      assertAccountCloses(await sink.close())
      await context.expectRows(table, written)
    },
  },
  {
    id: 'replay',
    title: 'K1 a changelog that is sent again from any of its records leaves the same rows',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people)
      const elements = context.elements(table, changelog)
      await context.write(table, elements)
      for (const from of elements.keys()) {
        await context.write(table, elements.slice(from))
        await context.expectRows(table, rows, `sent again from record ${from + 1}`)
      }
    },
  },
  {
    id: 'replay-of-a-move',
    title: 'K6 a move that is sent again changes nothing',
    needs: [upserts, moves],
    run: async (context) => {
      const table = await context.table(people)
      const move = context.elements(table, '-U 1 #pair=1 | +U 3 eve ~ #pair=1')
      await context.write(table, [...context.elements(table, '+I 1 ann rome | +I 9 dan oslo'), ...move])
      await context.write(table, move)
      await context.expectRows(table, ['3 eve rome', '9 dan oslo'])
    },
  },
  {
    id: 'replay-with-sequence',
    title: 'G1 with a sequence a replay of a part is gated',
    needs: [upserts, gate, tombstones],
    ask: sequenced,
    run: async (context) => {
      const table = await context.table(sequenced.columns, sequenced.options)
      const elements = context.elements(table, '+I 1 a 1 | +U 1 b 2 | +I 2 x 3 | -D 2 x 4 | +U 1 c 5')
      await context.write(table, elements)
      for (const [from] of elements.entries()) {
        await context.write(table, elements.slice(from, from + 2))
        await context.expectRows(table, ['1 c 5'], `records ${from + 1} and the next sent again`)
      }
    },
  },
  {
    id: 'stale-is-counted',
    title: 'R4 a change that is older than the store is counted as stale, where the store tells',
    needs: [upserts, gate, tombstones],
    ask: sequenced,
    run: async (context) => {
      const table = await context.table(sequenced.columns, sequenced.options)
      await context.write(table, '+I 1 a 5 | +I 2 a 5 | +I 3 a 5')
      const { account } = await context.write(table, '+U 1 b 4 | +U 2 b 6 | -D 3 b 4')
      const { outcome } = await context.capabilities()
      assert.deepEqual([account.written, account.stale], outcome === 'none' ? [3, 0] : [1, 2])
    },
  },
  {
    id: 'bad-row-skipped',
    title: 'R3 a row that cannot be written is found, and the rest is written',
    needs: [upserts, partialUpdate],
    run: async (context) => {
      const table = await context.table(required, { 'sink.failure-handler': 'skip' })
      const record = new EventRecord()
      const good = Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id}`, city: null }))
      const changes = good.map((row): Change => (isBad(row.id) ? patch(row.id) : { kind: '+I', row }))
      const { account } = await context.write(table, changes, { onEvent: record.listen })
      assert.equal(account.rejected, good.filter(({ id }) => isBad(id)).length)
      assert.deepEqual([...new Set(record.of('rejected').map(({ code }) => code))], ['ROW_REJECTED'])
      await context.expectRows(
        table,
        good.filter(({ id }) => !isBad(id)),
      )
    },
  },
  {
    id: 'bad-row-fails',
    title: 'R3 with the handler fail nothing of the flush is written and the error names no value',
    needs: [upserts, partialUpdate],
    run: async (context) => {
      const table = await context.table(required)
      const sink = await context.open(table)
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: 'rome' } })
      await sink.write(patch(2, 'secret city'))
      const error = await rejection(sink.close())
      assert.ok(error instanceof UnwrittenError && error.code === 'ROW_REJECTED', String(error))
      assert.doesNotMatch(error.message, /secret city/)
      const { transaction } = await context.capabilities()
      if (transaction) await context.expectRows(table, [])
    },
  },
  {
    id: 'bad-row-filed',
    title: 'R3 the handler gets a bad row with its key, and later changes of that key follow it',
    needs: [upserts, partialUpdate],
    run: async (context) => {
      const table = await context.table(required)
      const { letters, handler } = collectingHandler()
      const sink = await context.open(table, { failureHandler: handler })
      await sink.write({ ...patch(1), record: 1 })
      await sink.write({ kind: '+I', row: { id: 2, name: 'bob', city: 'oslo' }, record: 2 })
      await sink.flush()
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: 'bern' }, record: 3 })
      await writeAndClose(sink, [])
      assert.deepEqual(
        letters.map(({ key, record }) => [key['id'], record]),
        [
          [1, 1],
          [1, 3],
        ],
      )
      assert.match(letters[1]?.reason ?? '', /record 1/)
      await context.expectRows(table, ['2 bob oslo'])
    },
  },
  {
    id: 'bad-row-not-durable-early',
    title: 'R3 what the failure handler has not taken yet is not durable',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people)
      let taken = (): void => {}
      const filed = new Promise<void>((resolve) => {
        taken = resolve
      })
      const handler: FailureHandler = { handle: async () => await filed }
      const sink = await context.open(table, { failureHandler: handler })
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null }, position: at(1) })
      const writing = sink.write({ kind: '+I', row: { id: null, name: 'bob', city: null }, position: at(2) })
      const flushing = sink.flush()
      await delay(50)
      assert.notDeepEqual([...sink.positions()], [['p', 2]])
      taken()
      await writing
      await flushing
      assert.deepEqual([...sink.positions()], [['p', 2]])
      await writeAndClose(sink, [])
    },
  },
  {
    id: 'exactly-once-replay',
    title: 'R5 under exactly-once a replay is recognised by its positions',
    needs: [upserts, exactlyOnce, aggregate('sum')],
    ask: counting,
    run: async (context) => {
      const table = await countingTable(context)
      const changes = Array.from(
        { length: 12 },
        (_, index): Change => ({
          kind: '+I',
          row: { id: index % 3, v: 1 },
          position: at(index + 1),
        }),
      )
      await context.write(table, changes.slice(0, 5))
      const again = await context.open(table)
      assert.deepEqual([...again.positions()], [['p', 5]], 'the ledger tells where to go on')
      await writeAndClose(again, changes.slice(2, 9))
      await context.write(table, changes)
      await context.expectRows(table, ['0 4', '1 4', '2 4'])
    },
  },
  {
    id: 'exactly-once-lost-answers',
    title: 'R5 under exactly-once a lost answer does not count twice',
    needs: [upserts, exactlyOnce, aggregate('sum')],
    ask: counting,
    run: async (context) => {
      for (const faulty of [1, 2, 3]) {
        const table = await countingTable(context)
        const { connector } = faultyConnector(context.harness.connector, (call) =>
          call === faulty ? { does: 'lose-answer' } : undefined,
        )
        const sink = await context.open(table, { connectors: [connector] })
        for (const index of [1, 2, 3]) {
          await sink.write({ kind: '+I', row: { id: 1, v: index }, position: at(index) })
          await sink.flush()
        }
        await writeAndClose(sink, [])
        await context.expectRows(table, ['1 6'])
      }
    },
  },
  {
    id: 'exactly-once-fence',
    title: 'R5 an older writer with the same sink.id is fenced',
    needs: [upserts, exactlyOnce, aggregate('sum')],
    ask: counting,
    run: async (context) => {
      const table = await countingTable(context)
      const older = await context.open(table)
      await older.write({ kind: '+I', row: { id: 1, v: 1 }, position: at(1) })
      const newer = await context.open(table)
      await newer.write({ kind: '+I', row: { id: 1, v: 1 }, position: at(1) })
      await newer.flush()
      const error = await rejection(older.flush())
      assert.ok(error instanceof TidegateError && error.code === 'WRITER_FENCED', String(error))
      await older.close().catch(() => {})
      await writeAndClose(newer, [])
      await context.expectRows(table, ['1 1'])
    },
  },
  {
    id: 'revoke',
    title: 'R1 a partition that is taken away is flushed and no longer reported',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      await sink.write({
        kind: '+I',
        row: { id: 1, name: 'ann', city: null },
        position: { partition: 'gone', offset: 1 },
      })
      await sink.revoke(['gone'])
      await context.expectRows(table, ['1 ann null'])
      await writeAndClose(sink, [])
    },
  },
]

/** Fails the first call, then the second, and so on, until a run comes through untouched. */
async function failEachCall(context: CaseContext, fault: Fault): Promise<void> {
  for (let faulty = 1; ; faulty++) {
    const table = await context.table(people, { ...retries, 'sink.buffer-flush.max-rows': '2' })
    let hit = false
    const { connector } = faultyConnector(context.harness.connector, (call) => {
      if (call !== faulty) return undefined
      hit = true
      return fault
    })
    await context.write(table, changelog, { connectors: [connector] })
    await context.expectRows(table, rows, `call ${faulty} of write: ${fault.does}`)
    if (!hit) return
    assert.ok(faulty < 50, 'the number of calls is bounded')
  }
}

async function countingTable(context: CaseContext): Promise<TableDefinition> {
  const id = `sink ${Math.random().toString(36).slice(2)}`
  return await context.table(counting.columns, { ...counting.options, 'sink.id': id })
}

/** Every thirteenth row lacks the column that must not be null. */
function isBad(id: number): boolean {
  return id % 13 === 5
}

function patch(id: number, city = 'rome'): Change {
  return { kind: '+U', row: { id, city } }
}

function at(offset: number): Position {
  return { partition: 'p', offset }
}

function collectingHandler(): { letters: DeadLetter[]; handler: FailureHandler } {
  const letters: DeadLetter[] = []
  const handle = async (more: readonly DeadLetter[]): Promise<void> => {
    letters.push(...more)
  }
  return { letters, handler: { handle } }
}

async function rejection(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => assert.fail('it must be rejected'),
    (error: unknown) => error,
  )
}
