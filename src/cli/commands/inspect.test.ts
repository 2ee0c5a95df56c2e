import { writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { folderWith, jsonLines, ndjson, runCommandLine } from '../command-line.test-support.ts'

const orders = `CREATE TABLE orders (id BIGINT, amount DECIMAL(10, 2), PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'memory', 'source.table' = 'shop.orders');`

const lines = ndjson(
  { op: '+I', data: { id: 1, amount: 1 }, table: 'shop.orders' },
  { op: '-U', data: { id: 1, amount: 1 }, table: 'shop.orders' },
  { op: '+U', data: { id: 1, amount: '2.5', extra: true }, table: 'shop.orders' },
  { op: '+I', data: { no: 7 }, table: 'shop.lines' },
)

test('the report says what was found and how, and what it means', async () => {
  const at = folderWith({ 'c.ndjson': lines, 'orders.sql': orders })
  const { status, stdout } = await runCommandLine(['inspect', at('c.ndjson'), '--sink', at('orders.sql')])
  expect(status).toBe(0)
  expect(stdout.replace(at('c.ndjson'), 'c.ndjson')).toMatchInlineSnapshot(`
    "c.ndjson · changelog-json (found by its members op, data, table) · 4 lines
      changes        3: +I 1  -U 1  +U 1  -D 0
      updates        1 with both images, 0 without the image before, key changes none
      deletes        0 with their row, 0 with the key only
      images         3 full, 0 partial, 0 key only
      large numbers  none
      largest row    36 bytes, line 3
      other tables   1 change of shop.lines

      orders
        key          id (by the DDL): 1 key, 1 row left in the end
        retractions  1 with the current row of the key
        lone -U      none
        repeated     none
        columns      id, amount
        undeclared   extra (1)

      advice
        → 1 change of tables that the DDL does not declare (shop.lines) would not be written; 'source.table' says which table of the stream is meant
        → this input carries retract changes: with 'source.changelog-mode' = 'retract' the plan is checked before the first record
        → not declared, so not written: extra
    "
  `)
})

test('--json gives the report as data', async () => {
  const at = folderWith({ 'c.ndjson': lines })
  const { stdout } = await runCommandLine(['inspect', at('c.ndjson'), '--key', 'id', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    format: { name: 'changelog-json', seen: ['op', 'data', 'table'] },
    lines: 4,
    changes: { total: 4, '+I': 2 },
    tables: [
      { name: 'shop.orders', keyed: { keys: 1 } },
      { name: 'shop.lines', keyed: { withoutKey: { count: 1 } } },
    ],
  })
})

test('--fold prints the rows that are left, in the values of the DDL if there is one', async () => {
  const at = folderWith({ 'c.ndjson': lines, 'orders.sql': orders })
  const typed = await runCommandLine(['inspect', at('c.ndjson'), '--sink', at('orders.sql'), '--fold'])
  expect(typed.stdout).toBe('{"id":"1","amount":"2.50"}\n')
  const raw = await runCommandLine(['inspect', at('c.ndjson'), '--key', 'id', '--fold'])
  expect(raw.stdout).toBe('{"table":"shop.orders","row":{"id":1,"amount":"2.5","extra":true}}\n')
  const keyless = await runCommandLine(['inspect', at('c.ndjson'), '--fold'])
  expect(keyless).toMatchObject({ status: 2 })
  expect(keyless.stderr).toContain('--key id')
})

test('--emit writes every format in one form, which can be read again', async () => {
  const debezium = ndjson(
    { before: null, after: { id: 1, at: 0 }, op: 'c', source: { schema: 'public', table: 'orders' } },
    { before: { id: 1, at: 0 }, after: { id: 1, at: 5 }, op: 'u', source: { schema: 'public', table: 'orders' } },
  )
  const at = folderWith({ 'c.ndjson': debezium })
  const { stdout } = await runCommandLine(['inspect', at('c.ndjson'), '--emit'])
  expect(jsonLines(stdout)).toEqual([
    { op: '+I', data: { id: 1, at: 0 }, table: 'public.orders', line: 1 },
    { op: '-U', data: { id: 1, at: 0 }, table: 'public.orders', line: 2 },
    { op: '+U', data: { id: 1, at: 5 }, table: 'public.orders', line: 2 },
  ])
  const again = await runCommandLine(['inspect', '-', '--emit'], { stdin: stdout })
  expect(jsonLines(again.stdout).map(({ op }) => op)).toEqual(['+I', '-U', '+U'])
})

test('the key is taken from the records where they name it', async () => {
  const record = (id: number) => ({ topic: 't', partition: 0, offset: id, key: { id }, value: { id, v: 'a' } })
  const at = folderWith({ 'c.ndjson': ndjson(record(1), record(2)) })
  const { stdout } = await runCommandLine(['inspect', at('c.ndjson'), '--format', 'upsert-kafka', '--json'])
  expect(JSON.parse(stdout)).toMatchObject({ tables: [{ keyed: { key: ['id'], keySource: 'input', keys: 2 } }] })
})

test('gzip, standard input and an empty input are read', async () => {
  const at = folderWith({ 'empty.ndjson': '' })
  writeFileSync(at('c.ndjson.gz'), gzipSync(lines))
  expect((await runCommandLine(['inspect', at('c.ndjson.gz'), '--json'])).stdout).toContain('"total": 4')
  const piped = await runCommandLine(['inspect', '-', '--json'], { stdin: Readable.from([Buffer.from(lines)]) })
  expect(JSON.parse(piped.stdout)).toMatchObject({ name: 'standard input', lines: 4 })
  const empty = await runCommandLine(['inspect', at('empty.ndjson')])
  expect(empty).toMatchObject({ status: 0 })
  expect(empty.stdout).toContain('nothing to read')
})

test('an input that is no changelog is refused with the formats that there are', async () => {
  const at = folderWith({ 'c.ndjson': ndjson({ a: 1 }, { a: 2 }) })
  const { status, stderr } = await runCommandLine(['inspect', at('c.ndjson')])
  expect(status).toBe(2)
  expect(stderr).toMatch(/error FORMAT_UNKNOWN: .*members a.*changelog-json/s)
})
