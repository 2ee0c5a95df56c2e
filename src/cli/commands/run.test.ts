import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { folderWith, jsonLines, ndjson, runCommandLine, startCommandLine } from '../command-line.test-support.ts'

const op = (kind: string, data: unknown, more: object = {}) => ({ op: kind, data, ...more })

function ddl(
  options = '',
  connector = "'memory'",
  columns = 'id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED',
): string {
  return `CREATE TABLE t (${columns}) WITH ('connector' = ${connector}, 'sink.buffer-flush.interval' = '10 ms'${options});`
}

/** A table to which rows are only appended, in a file. */
function appending(path: string, options = ''): string {
  const mode = ", 'source.changelog-mode' = 'insert-only', 'sink.accept-duplicates' = 'true'"
  return ddl(`${mode}${options}`, `'filesystem', 'path' = '${path}'`, 'id BIGINT, v STRING')
}

test('R4 the closing account is told, with what was left out', async () => {
  const at = folderWith({
    't.sql': ddl(", 'sink.failure-handler' = 'skip'"),
    'c.ndjson': ndjson(
      op('+I', { id: 1, v: 'a', extra: 1 }),
      op('-U', { id: 1, v: 'a' }),
      op('+U', { id: 1, v: 'b' }),
      op('+I', { id: null }),
      'broken',
      op('+I', { id: 2, v: 'c' }),
    ),
  })
  const args = ['run', at('t.sql'), at('c.ndjson'), '--on-malformed', 'skip', '--json']
  const { status, stdout, stderr } = await runCommandLine(args)
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    records: 6,
    malformed: 1,
    stoppedBy: null,
    account: { accepted: 5, written: 2, folded: 1, ignored: 1, rejected: 1, held: 0 },
    undeclaredColumns: { t: { extra: 1 } },
  })
  expect(stderr).toContain('accepted 5 = written 2 + folded 1 + stale 0 + ignored 1 + rejected 1')
  expect(stderr).toContain('columns that are not declared, and not written: t.extra (1)')
  expect(stderr).toContain('skipped: line 5 is not JSON')
  expect(stderr).toContain('skipped: t, line 4: KEY_MISSING')
})

test('a line that cannot be read ends the run with its number, and what came before is written', async () => {
  const at = folderWith({ 'c.ndjson': ndjson(op('+I', { id: 1, v: 'a' }), '{"op":"+I","data":') })
  writeFileSync(at('t.sql'), appending(at('out.ndjson')))
  const { status, stderr } = await runCommandLine(['run', at('t.sql'), at('c.ndjson')])
  expect(status).toBe(1)
  expect(stderr).toContain('error INPUT_MALFORMED: line 2 is not JSON: it ends in the middle')
  expect(readFileSync(at('out.ndjson'), 'utf8')).toBe('{"id":"1","v":"a"}\n')
})

test('broken lines can be kept as they are, beside the dead letters', async () => {
  const at = folderWith({ 'c.ndjson': ndjson('broken 1', op('+I', { id: 1, v: 'a' }), 'broken 2') })
  const letters = at('dead.ndjson')
  writeFileSync(at('t.sql'), ddl(`, 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '${letters}'`))
  const args = ['run', at('t.sql'), at('c.ndjson'), '--on-malformed', 'dead-letter', '--format', 'changelog-json']
  expect((await runCommandLine(args)).status).toBe(0)
  expect(readFileSync(`${letters}.malformed`, 'utf8')).toBe('broken 1\nbroken 2\n')
  writeFileSync(at('plain.sql'), ddl())
  const without = await runCommandLine(['run', at('plain.sql'), at('c.ndjson'), '--on-malformed', 'dead-letter'])
  expect(without.status).toBe(2)
  expect(without.stderr).toContain("'sink.dead-letter.path'")
})

test('R3 dead letters are taken back as input, whatever format and table name the DDL has for the stream', async () => {
  const at = folderWith({
    'c.ndjson': ndjson(op('+I', { id: 'x', v: 'a' }, { table: 's.u' }), op('+I', { id: 2, v: 'b' }, { table: 's.u' })),
  })
  const letters = at('dead.ndjson')
  const source = ", 'format' = 'changelog-json', 'source.table' = 's.u'"
  writeFileSync(
    at('t.sql'),
    appending(
      at('out.ndjson'),
      `${source}, 'sink.failure-handler' = 'dead-letter', 'sink.dead-letter.path' = '${letters}'`,
    ),
  )
  expect((await runCommandLine(['run', at('t.sql'), at('c.ndjson')])).status).toBe(0)
  expect(jsonLines(readFileSync(letters, 'utf8'))).toMatchObject([
    { op: '+I', data: { id: 'x' }, table: 't', record: 1 },
  ])
  writeFileSync(letters, readFileSync(letters, 'utf8').replaceAll('"x"', '"1"'))
  writeFileSync(at('t.sql'), appending(at('out.ndjson'), ", 'format' = 'debezium-json', 'source.table' = 's.u'"))
  expect((await runCommandLine(['run', at('t.sql'), letters])).status).toBe(0)
  expect(readFileSync(at('out.ndjson'), 'utf8')).toBe('{"id":"2","v":"b"}\n{"id":"1","v":"a"}\n')
})

test('R1 --resume goes on behind the durable line, and knows its input', async () => {
  const at = folderWith({ 'c.ndjson': ndjson(op('+I', { id: 1, v: 'a' }), op('+I', { id: 'x' }), op('+I', { id: 3 })) })
  writeFileSync(at('t.sql'), appending(at('out.ndjson')))
  const args = ['run', at('t.sql'), at('c.ndjson'), '--resume', at('p.json')]
  expect((await runCommandLine(args)).status).toBe(1)
  writeFileSync(at('c.ndjson'), readFileSync(at('c.ndjson'), 'utf8').replace('"x"', '2'))
  const second = await runCommandLine(args)
  expect(second.status).toBe(0)
  expect(second.stderr).toContain('written by an earlier run: 1 change')
  appendFileSync(at('c.ndjson'), ndjson(op('+I', { id: 4 })))
  expect((await runCommandLine(args)).status).toBe(0)
  expect(jsonLines(readFileSync(at('out.ndjson'), 'utf8')).map(({ id }) => id)).toEqual(['1', '2', '3', '4'])

  writeFileSync(at('c.ndjson'), ndjson(op('+I', { id: 9 })))
  expect((await runCommandLine(args)).stderr).toContain('its first line has changed')
  writeFileSync(at('c.ndjson'), ndjson(op('+I', { id: 1, v: 'a' })))
  const shorter = await runCommandLine(args)
  expect(shorter.status).toBe(2)
  expect(shorter.stderr).toContain('ends at line 1, and an earlier run has written up to line 4')
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends the input, writes what was read and leaves with %i', async (name, expected) => {
  const at = folderWith({})
  writeFileSync(at('t.sql'), appending(at('out.ndjson')))
  const stdin = new PassThrough()
  const command = startCommandLine(['run', at('t.sql'), '--json'], { stdin })
  stdin.write(ndjson(op('+I', { id: 1, v: 'a' }), op('+I', { id: 2, v: 'b' })))
  while (!existsSync(at('out.ndjson'))) await delay(5)
  stdin.write(ndjson(op('+I', { id: 3, v: 'c' })))
  await delay(20)
  command.signal(name)
  const { status, stdout, stderr } = await command.result
  expect(status).toBe(expected)
  expect(stderr).toContain(`stopped by ${name} before the end of the input`)
  const { account, stoppedBy } = JSON.parse(stdout) as {
    account: { accepted: number; written: number }
    stoppedBy: string
  }
  expect(stoppedBy).toBe(name)
  expect(account.written).toBe(account.accepted)
  expect(jsonLines(readFileSync(at('out.ndjson'), 'utf8'))).toHaveLength(account.written)
})

test('an input without a record is no fault', async () => {
  const at = folderWith({ 't.sql': ddl(), 'c.ndjson': '\n\n' })
  const { status, stderr } = await runCommandLine(['run', at('t.sql'), at('c.ndjson')])
  expect(status).toBe(0)
  expect(stderr).toContain('accepted 0')
})

test('several tables of one file are written together, and records of others are counted', async () => {
  const table = (name: string) =>
    `CREATE TABLE ${name} (id BIGINT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory');\n`
  const at = folderWith({
    't.sql': table('a') + table('b'),
    'c.ndjson': ndjson(
      op('+I', { id: 1 }, { table: 'a' }),
      op('+I', { id: 1 }, { table: 'b' }),
      op('+I', { id: 1 }, { table: 'c' }),
    ),
  })
  const both = await runCommandLine(['run', at('t.sql'), at('c.ndjson'), '--json'])
  expect(JSON.parse(both.stdout)).toMatchObject({ account: { written: 2 }, otherTables: 1 })
  const one = await runCommandLine(['run', at('t.sql'), at('c.ndjson'), '--json', '--table', 'b'])
  expect(JSON.parse(one.stdout)).toMatchObject({ account: { written: 1 }, otherTables: 2 })
  const unknown = await runCommandLine(['run', at('t.sql'), at('c.ndjson'), '--table', 'd'])
  expect(unknown.status).toBe(2)
})

test('on a terminal one line is redrawn; otherwise a short run prints no progress', async () => {
  const at = folderWith({ 't.sql': ddl() })
  const stdin = new PassThrough()
  const command = startCommandLine(['run', at('t.sql')], { stdin, isTerminal: true })
  stdin.write(ndjson(op('+I', { id: 1, v: 'a' })))
  while (!command.printed().includes('1 line (')) await delay(10)
  stdin.end()
  const { stderr } = await command.result
  expect(stderr).toMatch(/1 line \(\d+\/s\) {2}written \d {2}folded 0 {2}buffer/)
  const piped = await runCommandLine(['run', at('t.sql')], { stdin: ndjson(op('+I', { id: 1, v: 'a' })) })
  expect(piped.stderr).not.toContain('line (')
})
