import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { TidegateError } from '../../errors.ts'
import { type CaseContext, eventually, writeAndClose } from '../case-context.ts'
import { faultyConnector } from '../faulty-connector.ts'
import { type FreeCase, people } from './free-case.ts'
import { upserts } from './need.ts'

/** Opening, closing, aborting, and the streams (rule R1). */
export const lifecycleCases: readonly FreeCase[] = [
  {
    id: 'close-twice',
    title: 'R1 close() may be called again and gives the same report',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null } })
      assert.equal(sink.close(), sink.close())
      assert.equal((await sink.close()).account.written, 1)
      await context.expectRows(table, ['1 ann null'])
    },
  },
  {
    id: 'write-after-close',
    title: 'R1 nothing is taken after close()',
    run: async (context) => {
      const sink = await context.open(await context.table(people))
      await sink.close()
      const closed = (error: unknown): boolean => error instanceof TidegateError && error.code === 'SINK_CLOSED'
      await assert.rejects(sink.write({ kind: '+I', row: { id: 1 } }), closed)
      await assert.rejects(sink.flush(), closed)
    },
  },
  {
    id: 'dispose-flushes',
    title: 'R1 leaving the scope of a sink flushes it',
    run: async (context) => {
      const table = await context.table(people)
      {
        await using sink = await context.open(table)
        await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null } })
      }
      await context.expectRows(table, ['1 ann null'])
    },
  },
  {
    id: 'node-stream',
    title: 'R1 the end of the Node stream closes the sink once everything is written',
    run: async (context) => {
      const table = await context.table(people, { 'sink.buffer-flush.max-rows': '10' })
      const sink = await context.open(table)
      const rows = Array.from({ length: 100 }, (_, id) => ({ id, name: `n${id}`, city: null }))
      await pipeline(Readable.from(rows.map((row) => ({ kind: '+I', row }))), sink.writable())
      await context.expectRows(table, rows)
    },
  },
  {
    id: 'node-stream-failure',
    title: 'R1 a pipeline rejects if something was not written',
    run: async (context) => {
      const table = await context.table(people)
      const { connector } = faultyConnector(context.harness.connector, () => ({ does: 'fail', as: 'schema' }))
      const sink = await context.open(table, { connectors: [connector] })
      const source = Readable.from([{ kind: '+I', row: { id: 1, name: 'ann', city: null } }])
      await assert.rejects(pipeline(source, sink.writable()), (error) => error instanceof TidegateError)
    },
  },
  {
    id: 'web-stream',
    title: 'R1 the end of the web stream closes the sink once everything is written',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      const writer = sink.webWritable().getWriter()
      await writer.write({ kind: '+I', row: { id: 1, name: 'ann', city: null } })
      await writer.close()
      await context.expectRows(table, ['1 ann null'])
    },
  },
  {
    id: 'abort-buffered',
    title: 'R1 abort() sends nothing more',
    run: async (context) => {
      const table = await context.table(people)
      const sink = await context.open(table)
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null } })
      await sink.abort(new Error('enough'))
      await assert.rejects(sink.close(), (error) => error instanceof TidegateError && error.code === 'SINK_ABORTED')
      await assert.rejects(sink.write({ kind: '+I', row: { id: 2 } }))
      await context.expectRows(table, [])
    },
  },
  {
    id: 'abort-signal',
    title: 'R1 an aborted signal ends a flush that is under way',
    run: async (context) => {
      const table = await context.table(people)
      const { connector, batches } = faultyConnector(context.harness.connector, () => ({
        does: 'delay',
        milliseconds: 60_000,
      }))
      const controller = new AbortController()
      const sink = await context.open(table, { connectors: [connector], signal: controller.signal })
      await sink.write({ kind: '+I', row: { id: 1, name: 'ann', city: null } })
      const flushing = sink.flush()
      flushing.catch(() => {})
      await eventually(async () => assert.equal(batches.length, 1))
      controller.abort()
      await assert.rejects(flushing, (error) => error instanceof TidegateError && error.code === 'SINK_ABORTED')
    },
  },
  {
    id: 'two-sinks',
    title: 'R1 two sinks of one process do not disturb each other',
    needs: [upserts],
    run: async (context) => {
      const [one, other] = [await context.table(people), await context.table(people)]
      const [first, second] = [await context.open(one), await context.open(other)]
      await Promise.all([
        writeAndClose(first, context.elements(one, '+I 1 ann rome | +I 2 bob oslo | -D 2')),
        writeAndClose(second, context.elements(other, '+I 1 eve bern')),
      ])
      await context.expectRows(one, ['1 ann rome'])
      await context.expectRows(other, ['1 eve bern'])
    },
  },
  {
    id: 'two-writers-of-a-table',
    title: 'R1 two sinks may write different keys of one table at the same time',
    needs: [upserts],
    run: async (context) => {
      const table = await context.table(people, { 'sink.buffer-flush.max-rows': '3', 'sink.max-retries': '20' })
      await Promise.all([0, 1].map((half) => writeHalf(context, table, half)))
      const rows = Array.from({ length: 60 }, (_, id) => ({ id, name: `n${id}`, city: 'rome' }))
      await context.expectRows(table, rows)
    },
  },
  {
    id: 'server-name',
    title: 'R1 an open sink says what server it writes to',
    run: async (context) => {
      const sink = await context.open(await context.table(people))
      await sink.close()
      assert.ok(sink.server.length > 0)
    },
  },
]

async function writeHalf(
  context: CaseContext,
  table: Awaited<ReturnType<CaseContext['table']>>,
  half: number,
): Promise<void> {
  const sink = await context.open(table)
  for (let id = half; id < 60; id += 2) {
    await sink.write({ kind: '+I', row: { id, name: `n${id}`, city: null } })
    await sink.write({ kind: '+U', row: { id, name: `n${id}`, city: 'rome' } })
  }
  await writeAndClose(sink, [])
}
