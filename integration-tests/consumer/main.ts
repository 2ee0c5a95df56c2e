import { createSink, TidegateError } from 'tidegate'

// What a user writes: a table as DDL, changes as objects, and what goes wrong by its code.
const sink = await createSink({
  table: `CREATE TABLE orders (id BIGINT, status STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'print')`,
})
await sink.write({ kind: '+I', row: { id: 1n, status: 'open' } })
await sink.write({ kind: '+U', row: { id: 1n, status: 'paid' } })
await sink.close()

try {
  await createSink({
    table: {
      columns: { id: 'BIGINT' },
      primaryKey: ['id'],
      // @ts-expect-error a misspelt option does not compile
      with: { connector: 'print', 'sink.buffer-flush.max-row': 5 },
    },
  })
} catch (error) {
  if (!(error instanceof TidegateError)) throw error
  console.log(error.code)
}
