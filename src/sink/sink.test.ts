import { expect, test } from 'vitest'
import { createMemoryStore, type MemoryStore } from '../../adapters/memory/index.ts'
import type { Change } from '../changelog/element.ts'
import { createSink } from './create-sink.ts'
import type { Sink } from './sink.ts'

const orders = (options = '') => `CREATE TABLE orders (
  id BIGINT, status STRING, amount DECIMAL(10, 2), ts BIGINT, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'memory', 'sink.buffer-flush.interval' = '0'${options})`

async function open(options = ''): Promise<{ sink: Sink; store: MemoryStore }> {
  const store = createMemoryStore()
  return { sink: await createSink({ table: orders(options), client: store }), store }
}

function rows(store: MemoryStore): unknown[] {
  return [...(store.tables.get('orders')?.rows.values() ?? [])]
}

const change = (kind: Change['kind'], id: number, status: string, ts = 0): Change => ({
  kind,
  row: { id, status, amount: '1.5', ts },
})

test('K1 a row goes from the DDL through plan, fold and flush into the store', async () => {
  const { sink, store } = await open()
  await sink.write(change('+I', 1, 'new'))
  await sink.write(change('+U', 1, 'paid'))
  expect(rows(store)).toEqual([])
  const { account } = await sink.close()
  expect(rows(store)).toEqual([[1n, 'paid', '1.50', 0n]])
  expect(account).toEqual({ accepted: 2, written: 1, folded: 1, stale: 0, ignored: 0, rejected: 0, held: 0 })
})
