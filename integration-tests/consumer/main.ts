import { createSink, defineTable, TidegateError } from 'tidegate'
import { postgres } from 'tidegate/postgres'
import { print } from 'tidegate/print'

// What a user writes: a table as DDL or as an object, changes as objects; and what goes wrong, by its code.
const sink = await createSink({
  table: `CREATE TABLE orders (id BIGINT, status STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print')`,
})
await sink.write({ kind: '+I', row: { id: 1n, status: 'open' } })
await sink.write({ kind: '+U', row: { id: 1n, status: 'paid' } })
await sink.close()

// a connector can be looked at without its driver
console.log(postgres.name)

const columns = { id: 'BIGINT' } as const
// @ts-expect-error a misspelt option does not compile
const misspelt = defineTable({ name: 'orders', columns, with: { 'sink.buffer-flush.max-row': 5 } }, print)
try {
  await createSink({ table: misspelt })
} catch (error) {
  if (!(error instanceof TidegateError)) throw error
  console.log(error.code)
}
