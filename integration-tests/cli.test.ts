import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { projectFolder } from './build-package.ts'
import { onDatabase } from './pgbench/pgbench.ts'
import { createDatabase } from './services/postgres-database.ts'
import { runCommand } from './services/run-command.ts'
import { describeEachPostgres } from './stores.ts'

/** The command line as a process of its own: what signals, pipes and kill -9 do to it. */

const main = join(projectFolder, 'dist', 'src', 'cli', 'main.js')

interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface Tidegate {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** What it has printed so far. */
  readonly stdout: () => string
  readonly stderr: () => string
}

function start(args: readonly string[]): Tidegate {
  const child = spawn(process.execPath, [main, ...args], { stdio: 'pipe' })
  const [stdout, stderr]: [string[], string[]] = [[], []]
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk.toString()))
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Ended)
  return { child, ended, stdout: () => stdout.join(''), stderr: () => stderr.join('') }
}

/** Rejects when the process ends before. */
async function until({ child, stderr }: Tidegate, isReached: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isReached())) {
    if (child.exitCode !== null) throw new Error(`tidegate has ended: ${stderr()}`)
    await delay(20)
  }
}

function lines(count: number, row: (index: number) => object): string {
  return Array.from({ length: count }, (_, index) => `${JSON.stringify({ op: '+I', data: row(index) })}\n`).join('')
}

function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'tidegate-cli-'))
}

function fileLines(path: string): number {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').length - 1 : 0
}

test('the program runs by its own name and tells its version', async () => {
  const { version } = JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8')) as { version: string }
  expect(await runCommand(process.execPath, [main, '--version'])).toBe(`${version}\n`)
  expect(readFileSync(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
})

test('R1 a second process is kept out of the folder of a PGlite, until the first is gone', async () => {
  const folder = temporaryFolder()
  const ddl = join(folder, 't.sql')
  writeFileSync(
    ddl,
    `CREATE TABLE t (id INT PRIMARY KEY NOT ENFORCED) WITH ('connector' = 'postgres', 'url' = 'pglite:${folder}/store',
      'sink.create-table' = 'if-not-exists', 'sink.buffer-flush.max-rows' = '1')`,
  )
  const args = ['run', ddl, '-', '--format', 'changelog-json']
  const first = start(args)
  first.child.stdin?.write(lines(1, () => ({ id: 1 })))
  await until(first, () => existsSync(join(folder, 'store', `tidegate.${first.child.pid}.lock`)))
  const second = start(args)
  second.child.stdin?.end(lines(1, () => ({ id: 2 })))
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.stderr()).toContain(`is in use by process ${first.child.pid}`)
  first.child.kill('SIGKILL')
  await first.ended
  const third = start(args)
  third.child.stdin?.end(lines(1, () => ({ id: 3 })))
  expect(await third.ended, third.stderr()).toEqual({ code: 0, signal: null })
})

test('R1 SIGTERM writes what has been read and leaves with 143', async () => {
  const folder = temporaryFolder()
  const out = join(folder, 'out.ndjson')
  writeFileSync(
    join(folder, 't.sql'),
    `CREATE TABLE t (id INT) WITH ('connector' = 'filesystem', 'path' = '${out}', 'sink.buffer-flush.interval' = '1 min',
      'sink.accept-duplicates' = 'true', 'source.changelog-mode' = 'insert-only')`,
  )
  const tidegate = start([
    'run',
    join(folder, 't.sql'),
    '--resume',
    join(folder, 'p.json'),
    '--format',
    'changelog-json',
  ])
  tidegate.child.stdin?.write(lines(1000, (id) => ({ id })))
  await until(tidegate, () => existsSync(out))
  await delay(200)
  expect(fileLines(out)).toBe(0)
  tidegate.child.kill('SIGTERM')
  expect(await tidegate.ended).toEqual({ code: 143, signal: null })
  expect(fileLines(out)).toBe(1000)
  expect(readFileSync(join(folder, 'p.json'), 'utf8')).toContain(': 1000')
})

test('a pipe that breaks, and a standard input that is closed, are no faults', async () => {
  const folder = temporaryFolder()
  writeFileSync(
    join(folder, 'c.ndjson'),
    lines(50_000, (id) => ({ id, text: 'x'.repeat(100) })),
  )
  writeFileSync(join(folder, 't.sql'), "CREATE TABLE t (id INT) WITH ('connector' = 'blackhole')")
  const shell = async (script: string) =>
    await runCommand('bash', ['-c', `set -o pipefail; ${script}`], { cwd: folder })
  const tidegate = `${process.execPath} ${main}`
  expect(await shell(`${tidegate} inspect c.ndjson --emit 2>&1 | head -n 1`)).toMatch(/^\{"op":"\+I","data":\{"id":0,/)
  expect(await shell(`${tidegate} run t.sql --json <&-`)).toContain('"accepted":0')
  expect(await shell(`${tidegate} run t.sql --json < /dev/null`)).toContain('"accepted":0')
})

describeEachPostgres('tidegate run', (server) => {
  const table = (url: string, options: string) => `CREATE TABLE totals (
    id INT, n INT, PRIMARY KEY (id) NOT ENFORCED
  ) WITH (
    'connector' = 'postgres', 'url' = '${url}', 'sink.create-table' = 'if-not-exists', ${options}
  );`

  test.each([
    [
      'R5 sums are right, by the ledger in the store',
      `'merge-engine' = 'aggregation', 'fields.n.aggregate-function' = 'sum', 'source.changelog-mode' = 'insert-only',
       'sink.delivery-guarantee' = 'exactly-once', 'sink.id' = 'totals'`,
      (of: number) => of / 100,
      () => 1,
    ],
    [
      'R1 the last version stays, by the position file',
      "'sink.delete.mode' = 'hard'",
      (of: number) => of - 1,
      (index: number) => index,
    ],
  ])('%s, after kill -9 again and again with --resume', async (_title, options, expected, value) => {
    await using database = await createDatabase(server)
    const folder = temporaryFolder()
    const count = 40_000
    const [ddl, changes, position] = ['t.sql', 'c.ndjson', 'p.json'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(
      ddl,
      table(database.url, `${options}, 'sink.buffer-flush.max-rows' = '20', 'sink.buffer-flush.interval' = '50 ms'`),
    )
    writeFileSync(
      changes,
      lines(count, (index) => ({ id: index % 100, n: value(index) })),
    )
    const args = ['run', ddl, changes, '--resume', position, '--json']
    let kills = 0
    for (; kills < 3; kills++) {
      const before = existsSync(position) ? readFileSync(position, 'utf8') : ''
      const tidegate = start(args)
      const hasAdvanced = () => existsSync(position) && readFileSync(position, 'utf8') !== before
      while (!hasAdvanced() && tidegate.child.exitCode === null) await delay(10)
      if (tidegate.child.exitCode !== null) break
      tidegate.child.kill('SIGKILL')
      expect((await tidegate.ended).signal).toBe('SIGKILL')
    }
    expect(kills).toBeGreaterThan(0)
    const last = start(args)
    expect(await last.ended, last.stderr()).toEqual({ code: 0, signal: null })
    expect((JSON.parse(last.stdout()) as { writtenBefore: number }).writtenBefore).toBeGreaterThan(0)
    const { rows } = await onDatabase(database.url, (client) =>
      client.query<{ id: number; n: number }>('select id, n from totals order by id'),
    )
    const lastOf = (id: number) => (value(1) === 1 && value(2) === 1 ? expected(count) : count - 100 + id)
    expect(rows).toEqual(Array.from({ length: 100 }, (_, id) => ({ id, n: lastOf(id) })))
  })

  test('a second signal gives up at once, while the store does not answer', async () => {
    await using database = await createDatabase(server)
    const folder = temporaryFolder()
    const ddl = join(folder, 't.sql')
    writeFileSync(ddl, table(database.url, "'sink.buffer-flush.interval' = '10 ms'"))
    await onDatabase(database.url, async (client) => {
      await client.query('create table totals (id int primary key, n int)')
      await client.query('begin')
      await client.query('lock table totals in access exclusive mode')
      const tidegate = start(['run', ddl, '--format', 'changelog-json'])
      tidegate.child.stdin?.write(lines(10, (id) => ({ id, n: 1 })))
      const isWaiting =
        "select count(*)::int as n from pg_stat_activity where application_name = 'tidegate' and wait_event_type = 'Lock'"
      // a transaction sees the same activity to its end
      const waiting = () => onDatabase(database.url, (other) => other.query<{ n: number }>(isWaiting))
      await until(tidegate, async () => (await waiting()).rows[0]?.n !== 0)
      tidegate.child.kill('SIGINT')
      await until(tidegate, () => tidegate.stderr().includes('SIGINT: writing what has been read'))
      const isEnded = await Promise.race([tidegate.ended.then(() => true), delay(300).then(() => false)])
      expect(isEnded).toBe(false)
      tidegate.child.kill('SIGINT')
      expect(await tidegate.ended).toEqual({ code: 1, signal: null })
      expect(tidegate.stderr()).toContain('giving up: a second signal came')
      expect(tidegate.stderr()).toContain('error SINK_ABORTED')
      await client.query('rollback')
      expect((await client.query('select * from totals')).rows).toEqual([])
    })
  })

  test('check finds what is missing, ddl makes it, and check is content', async () => {
    await using database = await createDatabase(server)
    const folder = temporaryFolder()
    const ddl = join(folder, 't.sql')
    writeFileSync(
      ddl,
      table(database.url, "'sequence.field' = 'n'").replace("'sink.create-table' = 'if-not-exists',", ''),
    )
    const before = start(['check', ddl, '--json'])
    expect(await before.ended, before.stderr()).toMatchObject({ code: 1 })
    const printed = await runCommand(process.execPath, [main, 'ddl', ddl])
    await onDatabase(database.url, (client) => client.query(printed))
    const after = start(['check', ddl])
    expect(await after.ended, after.stderr()).toMatchObject({ code: 0 })
    expect(after.stdout()).toMatch(/^ok /)
  })
})
