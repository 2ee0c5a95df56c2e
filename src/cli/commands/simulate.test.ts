import { join } from 'node:path'
import { expect, test } from 'vitest'
import { folderWith, jsonLines, ndjson, runCommandLine } from '../command-line.test-support.ts'

const sequenced = "'sequence.field' = 'ts'"
const groups =
  "'merge-engine' = 'partial-update', 'fields.a_ts.sequence-group' = 'a', 'fields.b_ts.sequence-group' = 'b'"

function ddl(
  columns: string,
  options = '',
  connector = "'postgres', 'url' = 'postgres://nobody@localhost:1/none'",
): string {
  const rest = options === '' ? '' : `, ${options}`
  return `CREATE TABLE t (id BIGINT, ${columns}, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = ${connector}${rest});`
}

async function trace(sql: string, lines: readonly unknown[], ...args: readonly string[]) {
  const at = folderWith({ 't.sql': sql, 'c.ndjson': ndjson(...lines) })
  const result = await runCommandLine(['simulate', at('t.sql'), at('c.ndjson'), '--trace', '--json', ...args])
  return { ...result, lines: jsonLines(result.stdout) }
}

const op = (kind: string, data: unknown) => ({ op: kind, data })

test('the table that would result is printed, one row a line by key, and no store is touched', async () => {
  const at = folderWith({
    't.sql': ddl('v STRING, amount DECIMAL(10, 2), at TIMESTAMP(3)'),
    'c.ndjson': ndjson(
      op('+I', { id: 2, v: 'b', amount: 1, at: '2026-01-01 00:00:00' }),
      op('+I', { id: '9007199254740993', v: 'a' }),
      op('+U', { id: 2, v: 'c' }),
      op('-D', { id: 7 }),
    ),
  })
  const { status, stdout, stderr } = await runCommandLine(['simulate', at('t.sql'), at('c.ndjson')])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(jsonLines(stdout)).toEqual([
    { id: '2', v: 'c', amount: '1.00', at: '2026-01-01T00:00:00.000' },
    { id: '9007199254740993', v: 'a', amount: null, at: null },
  ])
  const terminal = await runCommandLine(['simulate', at('t.sql'), at('c.ndjson')], { isTerminal: true })
  expect(terminal.stdout).toMatch(/t: 2 rows[\s\S]*│ 2 +│ c +│ 1.00 +│/)
})

test('a line of a trace has the documented members in their order', async () => {
  const { lines, stdout } = await trace(ddl('v STRING, ts BIGINT', sequenced), [op('+I', { id: 1, v: 'a', ts: 5 })])
  expect(stdout).toBe(
    '{"record":1,"change":0,"kind":"+I","key":{"id":"1"},"outcome":"applied","columns":{"v":"applied","ts":"applied"},"reason":"the row is new","row":{"id":"1","v":"a","ts":"5"}}\n',
  )
  expect(lines).toHaveLength(1)
})

test('G1 and G2 an older version is stale, and a deleted row stays deleted', async () => {
  const { lines } = await trace(ddl('v STRING, ts BIGINT', sequenced), [
    op('+I', { id: 1, v: 'new', ts: 5 }),
    op('+U', { id: 1, v: 'old', ts: 4 }),
    op('-D', { id: 1, v: 'new', ts: 6 }),
    op('+I', { id: 1, v: 'late', ts: 5 }),
  ])
  expect(lines.map(({ outcome, row }) => [outcome, row])).toEqual([
    ['applied', { id: '1', v: 'new', ts: '5' }],
    ['stale', { id: '1', v: 'new', ts: '5' }],
    ['applied', null],
    ['stale', null],
  ])
  expect(lines[1]).toMatchObject({
    columns: { v: 'kept: older sequence', ts: 'kept: older sequence' },
    reason: 'nothing changed: older sequence',
  })
  expect(lines[2]?.['reason']).toBe('the row is deleted and its sequence is kept')
})

test('G3 each column says for itself whether it was taken', async () => {
  const { lines } = await trace(ddl('a STRING, a_ts BIGINT, b STRING, b_ts BIGINT', groups), [
    op('+I', { id: 1, a: 'a5', a_ts: 5, b: 'b5', b_ts: 5 }),
    op('+U', { id: 1, a: 'a4', a_ts: 4, b: 'b6', b_ts: 6 }),
    op('+U', { id: 1, a: 'a4', a_ts: 4, b: 'b4', b_ts: 4 }),
  ])
  expect(lines[1]).toMatchObject({
    outcome: 'applied',
    columns: { a: 'kept: older sequence', a_ts: 'kept: older sequence', b: 'applied', b_ts: 'applied' },
    reason: 'the row is updated in part; kept: older sequence',
    row: { id: '1', a: 'a5', a_ts: '5', b: 'b6', b_ts: '6' },
  })
  expect(lines[2]).toMatchObject({ outcome: 'stale', row: { b: 'b6' } })
})

test('K2 a trace flushes after each record, so a -U of its own record takes effect; one in the record of its +U does not', async () => {
  const sql = ddl('v STRING')
  const apart = await trace(sql, [
    op('+I', { id: 1, v: 'a' }),
    op('-U', { id: 1, v: 'a' }),
    op('+U', { id: 1, v: 'b' }),
  ])
  expect(apart.lines.map(({ record, outcome, row }) => [record, outcome, row])).toEqual([
    [1, 'applied', { id: '1', v: 'a' }],
    [2, 'applied', null],
    [3, 'applied', { id: '1', v: 'b' }],
  ])
  const together = await trace(sql, [
    { before: null, after: { id: 1, v: 'a' }, op: 'c' },
    { before: { id: 1, v: 'a' }, after: { id: 1, v: 'b' }, op: 'u' },
  ])
  expect(together.lines.map(({ record, change, outcome, row }) => [record, change, outcome, row])).toEqual([
    [1, 0, 'applied', { id: '1', v: 'a' }],
    [2, 0, 'ignored', { id: '1', v: 'b' }],
    [2, 1, 'applied', { id: '1', v: 'b' }],
  ])
  const alone = await trace(sql, [
    op('+I', { id: 1, v: 'a' }),
    op('-U', { id: 1, v: 'x' }),
    op('-U', { id: 1, v: 'a' }),
  ])
  expect(alone.lines.map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ['applied', 'the row is new'],
    ['stale', 'nothing changed: another version of the row is stored'],
    ['applied', 'the row is deleted'],
  ])
})

test('K2 with --flush-rows the real triggers work, and what waits is held until a flush settles it', async () => {
  // halves from different subtasks are no pair by themselves
  const input = [
    op('+I', { id: 1, v: 'a' }),
    { ...op('-U', { id: 1, v: 'a' }), subtask: 1 },
    { ...op('+U', { id: 1, v: 'b' }), subtask: 2 },
  ]
  const { lines } = await trace(ddl('v STRING'), input, '--flush-rows', '1')
  const changes = lines.filter((line) => line['control'] === undefined)
  expect(changes.map(({ record, outcome, row }) => [record, outcome, row])).toEqual([
    [1, 'applied', { id: '1', v: 'a' }],
    [2, 'held', { id: '1', v: 'a' }],
    [3, 'applied', { id: '1', v: 'b' }],
  ])
  const larger = await trace(ddl('v STRING'), input, '--flush-rows', '2')
  expect(larger.lines.slice(0, 3)).toMatchObject([
    { record: 1, outcome: 'held', row: null },
    { record: 2, outcome: 'held', row: null },
    { record: 3, outcome: 'held', row: null },
  ])
  const settled = larger.lines.filter(({ control }) => control === 'flush').flatMap(({ changes: of }) => of)
  expect(settled).toContainEqual(expect.objectContaining({ record: 1, outcome: 'applied' }))
})

test('A1 sums take retractions back, change by change, and A3 asks nothing of a simulation', async () => {
  const sql = ddl(
    'n INT, top INT',
    "'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum', 'fields.top.aggregate-function' = 'max', 'fields.top.ignore-retract' = 'true'",
  )
  const { status, lines } = await trace(sql, [
    op('+I', { id: 1, n: 5, top: 5 }),
    op('+I', { id: 1, n: 2, top: 2 }),
    op('-U', { id: 1, n: 2, top: 2 }),
    op('+U', { id: 1, n: 3, top: 3 }),
  ])
  expect(status).toBe(0)
  expect(lines.map(({ outcome, columns }) => [outcome, columns])).toEqual([
    ['applied', { n: 'applied', top: 'applied' }],
    ['applied', { n: 'applied', top: 'kept: not greater' }],
    ['applied', { n: 'applied', top: 'kept: ignore-retract' }],
    ['applied', { n: 'applied', top: 'kept: not greater' }],
  ])
  expect(lines.at(-1)?.['row']).toEqual({ id: '1', n: 8, top: 5 })
})

test('K6 a change of key shows the old row going and the new one coming', async () => {
  const { lines } = await trace(ddl('v STRING'), [
    op('+I', { id: 1, v: 'a' }),
    op('-U', { id: 1, v: 'a' }),
    op('+U', { id: 2, v: 'a' }),
  ])
  expect(lines.slice(1)).toMatchObject([
    { record: 2, kind: '-U', key: { id: '1' }, outcome: 'applied', reason: 'the row is deleted', row: null },
    { record: 3, kind: '+U', key: { id: '2' }, outcome: 'applied', row: { id: '2', v: 'a' } },
  ])
})

test('K6 a row that moves without its columns is rejected where the old row is not there', async () => {
  const { lines } = await trace(ddl('v STRING, note STRING'), [
    op('+I', { id: 1, v: 'a', note: 'long' }),
    op('-U', { id: 1 }),
    op('+U', { id: 2, v: 'b' }),
    op('-U', { id: 8 }),
    op('+U', { id: 9, v: 'b' }),
  ])
  expect(lines[2]).toMatchObject({ outcome: 'applied', row: { id: '2', v: 'b', note: 'long' } })
  expect(lines[4]).toMatchObject({ record: 5, outcome: 'rejected', row: null, columns: {} })
})

test('one line may give two changes: a Debezium update', async () => {
  const { lines } = await trace(ddl('v STRING'), [
    { before: null, after: { id: 1, v: 'a' }, op: 'c', source: { table: 't' } },
    { before: { id: 1, v: 'a' }, after: { id: 1, v: 'b' }, op: 'u', source: { table: 't' } },
  ])
  expect(lines.map(({ record, change, kind, outcome }) => [record, change, kind, outcome])).toEqual([
    [1, 0, '+I', 'applied'],
    [2, 0, '-U', 'ignored'],
    [2, 1, '+U', 'applied'],
  ])
})

test('R3 a rejected record does not end a trace; --strict makes it count under the handler fail', async () => {
  const input = [op('+I', { id: 'x', v: 'a' }), 'not json', op('+I', { v: 'no key' }), op('+I', { id: 1, v: 'a' })]
  const { status, lines } = await trace(ddl('v STRING'), input)
  expect(status).toBe(0)
  expect(lines.map(({ record, outcome, kind }) => [record, outcome, kind])).toEqual([
    [1, 'rejected', '+I'],
    [2, 'rejected', null],
    [3, 'rejected', '+I'],
    [4, 'applied', '+I'],
  ])
  expect(lines[0]?.['reason']).toBe('column id is not a whole number')
  expect((await trace(ddl('v STRING'), input, '--strict')).status).toBe(1)
  expect((await trace(ddl('v STRING', "'sink.failure-handler' = 'skip'"), input, '--strict')).status).toBe(0)
})

test('R3 with dead letters a later change of the key follows, as in a run', async () => {
  const options =
    "'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum', 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '/nowhere/x'"
  const { lines } = await trace(ddl('n TINYINT', options), [
    op('+I', { id: 1, n: 100 }),
    op('+I', { id: 1, n: 100 }),
    op('+I', { id: 1, n: 1 }),
  ])
  expect(lines.map(({ outcome }) => outcome)).toEqual(['applied', 'rejected', 'rejected'])
  expect(lines[2]?.['reason']).toBe('blocked by record 2 of the same key')
})

test('B2 aligned to groups, changes are told once their group has ended; a group without an end stays held', async () => {
  const grouped = (id: number, group: string) => ({ op: '+I', data: { id, v: 'a' }, group })
  const { lines } = await trace(
    ddl('v STRING', "'sink.flush.align' = 'group', 'source.changelog-mode' = 'insert-only'"),
    [grouped(1, 'g1'), grouped(2, 'g1'), { groupEnd: 'g1' }, grouped(3, 'g2')],
  )
  expect(lines).toMatchObject([
    { record: 1, outcome: 'applied', row: { id: '1' } },
    { record: 2, outcome: 'applied', row: { id: '2' } },
    { record: 3, control: 'group-end', group: 'g1' },
    { record: 4, outcome: 'held', row: null, reason: 'it waits for the end of its group' },
  ])
})

test('control elements have lines of their own, and a truncate empties the table', async () => {
  const { lines } = await trace(ddl('v STRING', "'sink.truncate' = 'apply'"), [
    op('+I', { id: 1, v: 'a' }),
    { watermark: 17 },
    { truncate: 't' },
    op('+I', { id: 2, v: 'b' }),
  ])
  expect(lines.slice(1)).toMatchObject([
    { record: 2, control: 'watermark', timestamp: 17 },
    { record: 3, control: 'truncate', table: 't', effect: 'apply' },
    { record: 4, outcome: 'applied' },
  ])
})

test('with several tables each line names its table, and records of other tables say so', async () => {
  const table = (name: string) =>
    `CREATE TABLE ${name} (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory');`
  const { lines } = await trace(`${table('a')} ${table('b')}`, [
    { op: '+I', data: { id: 1 }, table: 'public.b' },
    { op: '+I', data: { id: 1 }, table: 'c' },
  ])
  expect(lines).toMatchObject([
    { table: 'b', outcome: 'applied', key: { id: '1' } },
    { table: 'c', outcome: 'ignored', key: null, reason: 'it is of table c, which is not declared' },
  ])
})

test('a key that is rejected is shown as it came, with all its digits', async () => {
  const at = folderWith({
    't.sql': ddl('v STRING', ''),
    'c.ndjson': '{"op":"+I","data":{"id":9223372036854775808,"v":"a"}}',
  })
  const { status, stdout } = await runCommandLine(['simulate', at('t.sql'), at('c.ndjson'), '--trace'])
  expect(status).toBe(0)
  expect(stdout).toMatch(/id=9223372036854775808 {2}rejected: column id is out of the range of BIGINT/)
})

test('B4 a change for several tables has a line for each', async () => {
  const table = (name: string, options = '') =>
    `CREATE TABLE ${name} (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory', 'source.table' = 's'${options});`
  const { lines } = await trace(`${table('a')} ${table('b', ", 'sink.ignore.delete' = 'true'")}`, [
    { op: '+I', data: { id: 1, v: 'x' }, table: 's' },
    { op: '-U', data: { id: 1, v: 'x' }, table: 's' },
    { op: '+U', data: { id: 2, v: 'x' }, table: 's' },
    { op: '-D', data: { id: 2, v: 'x' }, table: 's' },
  ])
  expect(lines.map(({ record, table, outcome, row }) => [record, table, outcome, row])).toMatchInlineSnapshot(`
    [
      [
        1,
        "a",
        "applied",
        {
          "id": "1",
          "v": "x",
        },
      ],
      [
        1,
        "b",
        "applied",
        {
          "id": "1",
          "v": "x",
        },
      ],
      [
        2,
        "a",
        "applied",
        null,
      ],
      [
        2,
        "b",
        "applied",
        null,
      ],
      [
        3,
        "a",
        "applied",
        {
          "id": "2",
          "v": "x",
        },
      ],
      [
        3,
        "b",
        "applied",
        {
          "id": "2",
          "v": "x",
        },
      ],
      [
        4,
        "a",
        "applied",
        null,
      ],
      [
        4,
        "b",
        "ignored",
        {
          "id": "2",
          "v": "x",
        },
      ],
    ]
  `)
})

test('a plan that is refused ends with its code and status 2', async () => {
  const sql = ddl('v STRING', "'source.changelog-mode' = 'retract'", "'filesystem', 'path' = '/nowhere/x'")
  const { status, stderr, stdout } = await trace(sql, [op('+I', { id: 1 })])
  expect(status).toBe(2)
  expect(stderr).toContain('error PLAN_REFUSED')
  expect(jsonLines(stdout)).toMatchObject([{ error: { code: 'PLAN_REFUSED' } }])
})

test('for people a trace tells columns, reason and row in words, and the table in the end', async () => {
  const at = folderWith({
    't.sql': ddl('v STRING, ts BIGINT', sequenced),
    'c.ndjson': ndjson(op('+I', { id: 1, v: 'a', ts: 5 }), op('+U', { id: 1, v: 'b', ts: 4 })),
  })
  const { stdout } = await runCommandLine(['simulate', at('t.sql'), at('c.ndjson'), '--trace'])
  expect(stdout).toMatchInlineSnapshot(`
    "line 1      +I  id=1  applied: the row is new
        columns  v applied · ts applied
        reader   sees {"id":"1","v":"a","ts":"5"}
    line 2      +U  id=1  stale: nothing changed: older sequence
        columns  v kept: older sequence · ts kept: older sequence
        reader   sees {"id":"1","v":"a","ts":"5"}

    {"id":"1","v":"a","ts":"5"}
    "
  `)
})

test.each([
  ['join-p4-raw', 'id INT, name STRING, level INT, title STRING', 'id', []],
  ['join-p4-raw', 'id INT, name STRING, level INT, title STRING', 'id', ['--flush-rows', '7']],
  ['group-retract-minibatch-off', 'customer_id INT, n BIGINT, total DECIMAL(12, 2)', 'customer_id', []],
  [
    'group-retract-minibatch-off',
    'customer_id INT, n BIGINT, total DECIMAL(12, 2)',
    'customer_id',
    ['--flush-rows', '3'],
  ],
])('what a trace of %s shows last under each key is the table in the end', async (name, columns, key, flushes) => {
  const path = join(import.meta.dirname, '..', '..', 'inspect', 'fixtures', `${name}.ndjson.gz`)
  const at = folderWith({
    't.sql': `CREATE TABLE t (${columns}, PRIMARY KEY (${key}) NOT ENFORCED) WITH ('connector' = 'memory');`,
  })
  const table = await runCommandLine(['simulate', at('t.sql'), path])
  const traced = await runCommandLine(['simulate', at('t.sql'), path, '--trace', '--json', ...flushes])
  const last = new Map<unknown, unknown>()
  for (const line of jsonLines(traced.stdout)) {
    const settled = (line['changes'] as readonly Record<string, unknown>[] | undefined) ?? [line]
    for (const { key: of, row } of settled) last.set(JSON.stringify(of), row)
  }
  const rows = [...last.values()].filter((row) => row !== null)
  const byKey = (list: readonly unknown[]) => list.map((row) => JSON.stringify(row)).sort()
  expect(byKey(rows)).toEqual(byKey(jsonLines(table.stdout)))
  expect(rows.length).toBeGreaterThan(100)
})
