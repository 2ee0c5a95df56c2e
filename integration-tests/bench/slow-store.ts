import { setTimeout as delay } from 'node:timers/promises'
import { blackhole } from '../../adapters/blackhole/index.ts'
import type { Connector } from '../../src/connector/connector.ts'
import { createSink } from '../../src/sink/create-sink.ts'
import { orderColumns, orderUpdates } from './order-updates.ts'

const keys = 2_000_000
const count = 600_000
const samples = 6

/** Takes each flush after a while: about a tenth of what the producer could send. */
const slow: Connector = {
  ...blackhole,
  name: 'slow',
  open: async () => {
    const writer = await blackhole.open()
    return {
      server: writer.server,
      write: async (batch, writeContext) => {
        await delay(60)
        return await writer.write(batch, writeContext)
      },
      close: () => writer.close(),
    }
  },
}

/** Rule B3: what the process holds while the store is slower than the source, at equal distances of the way. */
export async function benchSlowStore(): Promise<void> {
  const sink = await createSink({
    table: `CREATE TABLE orders (${orderColumns}) WITH ('connector' = 'slow', 'sink.buffer.max-bytes' = '16mb')`,
    connectors: [slow],
  })
  const heap: number[] = []
  let mostBuffered = 0
  for (let sample = 0; sample < samples; sample++) {
    for (const row of orderUpdates(count / samples, keys)) {
      await sink.write({ kind: '+U', row: row as never })
      mostBuffered = Math.max(mostBuffered, sink.load().byteCount)
    }
    global.gc?.()
    heap.push(process.memoryUsage().heapUsed)
  }
  await sink.close()
  const inMegabytes = (bytes: number): string => (bytes / 1e6).toFixed(0)
  process.stdout.write(
    [
      `a store slower than the source, ${count / 1000}k records, a buffer of 16mb`,
      `  most bytes in the buffer: ${inMegabytes(mostBuffered)} MB`,
      `  heap on the way: ${heap.map(inMegabytes).join(', ')} MB`,
      '',
    ].join('\n'),
  )
}
