import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { createContext } from './command-context.ts'
import { folderWith, ndjson, runCommandLine } from './command-line.test-support.ts'
import { runCli } from './run-cli.ts'

const orders = "CREATE TABLE orders (id BIGINT, v STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'memory');"

test('help lists the commands and the exit statuses, and each command has examples', async () => {
  const { status, stdout } = await runCommandLine(['--help'])
  expect(status).toBe(0)
  for (const name of ['demo', 'explain', 'ddl', 'check', 'run', 'inspect', 'simulate']) {
    expect(stdout).toContain(`  ${name} `)
    const help = await runCommandLine([name, '--help'])
    expect(help.status).toBe(0)
    if (name !== 'demo') expect(help.stdout).toContain('Examples:')
  }
  expect(stdout).toMatch(/^ {2}2 +the command line, the DDL, an option or the plan is refused/m)
})

test('a call that cannot work ends with status 2 and says how it is called', async () => {
  const unknown = await runCommandLine(['rnu'])
  expect(unknown.status).toBe(2)
  expect(unknown.stderr).toContain('Did you mean run?')
  expect(await runCommandLine(['run'])).toMatchObject({ status: 2, stdout: '' })
  expect((await runCommandLine(['run', 'a.sql', '--on-malformed', 'hope'])).status).toBe(2)
  expect((await runCommandLine(['simulate', 'a.sql', 'b', '--trace', '--flush-rows', '0'])).status).toBe(2)
  const missing = await runCommandLine(['explain', '/nowhere/orders.sql'])
  expect(missing.status).toBe(2)
  expect(missing.stderr).toMatch(/^error: the DDL file .* does not exist\n {2}hint: /)
})

test('an error names its code, the fix and the page, and shows no stack unless asked', async () => {
  const at = folderWith({ 'orders.sql': 'CREATE TABLE orders (id BIGINT' })
  const { status, stderr } = await runCommandLine(['explain', at('orders.sql')])
  expect(status).toBe(2)
  expect(stderr).toContain('error DDL_SYNTAX: line 1:31')
  expect(stderr).toContain('see docs/errors.md#ddl_syntax')
  expect(stderr).not.toContain('    at ')
  const debug = await runCommandLine(['--debug', 'explain', at('orders.sql')])
  expect(debug.stderr).toContain('    at ')
})

test('with --json an error is data on standard output too', async () => {
  const at = folderWith({ 'orders.sql': orders.replace('memory', 'memroy') })
  const { status, stdout } = await runCommandLine(['explain', at('orders.sql'), '--json'])
  expect(status).toBe(2)
  expect(JSON.parse(stdout)).toMatchObject({
    error: { code: 'CONNECTOR_UNKNOWN', hint: "did you mean 'memory'?", docs: 'docs/errors.md#connector_unknown' },
  })
})

test('C2 a password in a url is shown by no command', async () => {
  const url = 'postgres://app:hunter2@db.example/shop'
  const at = folderWith({ 'orders.sql': orders.replace("'memory'", `'postgres', 'url' = '${url}', 'sink.id' = 'x'`) })
  for (const args of [['explain', '--json'], ['explain'], ['ddl']]) {
    const { stdout, stderr } = await runCommandLine([args[0] ?? '', at('orders.sql'), ...args.slice(1)])
    expect(stdout + stderr).not.toContain('hunter2')
  }
})

test('colours are for terminals, and NO_COLOR is obeyed', async () => {
  const at = folderWith({ 'orders.sql': orders })
  const colored = await runCommandLine(['explain', at('orders.sql')], { isTerminal: true })
  const plain = await runCommandLine(['explain', at('orders.sql')], { isTerminal: true, env: { NO_COLOR: '1' } })
  const piped = await runCommandLine(['explain', at('orders.sql')])
  expect(colored.stdout).toContain('\u001b[')
  expect(plain.stdout).not.toContain('\u001b[')
  expect(piped.stdout).toBe(plain.stdout)
})

test('a reader that goes away ends the command without a fault', async () => {
  const at = folderWith({
    'c.ndjson': ndjson(...Array.from({ length: 5000 }, (_, id) => ({ op: '+I', data: { id } }))),
  })
  let chunks = 0
  const stdout = new Writable({
    highWaterMark: 16,
    write(_chunk, _encoding, callback) {
      chunks++
      callback(chunks < 3 ? null : Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))
    },
  })
  const stderr = new Writable({ write: (_chunk, _encoding, callback) => callback() })
  const context = createContext({
    stdin: process.stdin,
    stdout,
    stderr,
    env: {},
    on: () => undefined,
    off: () => undefined,
  })
  expect(await runCli(['inspect', at('c.ndjson'), '--key', 'id', '--fold'], context)).toBe(0)
  expect(chunks).toBeLessThan(10)
})
