import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { compareCodePoints } from '../../src/row/value.ts'
import { projectFolder } from '../build-package.ts'
import { runCommand } from '../services/run-command.ts'
import { describeStore } from '../stores.ts'
import { BankTarget, bankLine, canBeBank } from './bank-target.ts'
import { type PgbenchTable, pgbenchTableNames } from './pgbench.ts'

const main = join(projectFolder, 'dist', 'src', 'cli', 'main.js')
const recording = join(projectFolder, 'demo', 'pgbench.ndjson.gz')

/** Of the recorded messages: what each table holds at the end, found without any of tidegate's code. */
const expected = recordedTables()

for (const status of inject('stores').filter(canBeBank)) {
  describeStore(status.name, "pgbench's recorded changelog by one command", () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-bank-'))
    let target: BankTarget

    beforeAll(async () => {
      target = await BankTarget.create(status, `cli${process.pid}`)
      const ddl = join(folder, 'bank.sql')
      writeFileSync(ddl, target.ddl)
      await runCommand(process.execPath, [main, 'run', ddl, recording])
    }, 120_000)

    afterAll(async () => {
      await target?.drop()
      rmSync(folder, { recursive: true })
    })

    test.each(pgbenchTableNames)('K1 %s equals its source', async (table) => {
      const [here, there] = [await target.lines(table), expected[table]]
      expect(here.length).toBe(there.length)
      expect(here.filter((line, index) => line !== there[index]).slice(0, 5)).toEqual([])
    })
  })
}

interface Message {
  readonly tag: string
  readonly relationOid?: number
  readonly name?: string
  readonly columns?: readonly { readonly name: string }[]
  readonly relation?: number
  readonly new?: Readonly<Record<string, unknown>>
}

function recordedTables(): Readonly<Record<PgbenchTable, readonly string[]>> {
  const relations = new Map<number, { readonly name: PgbenchTable; readonly columns: readonly string[] }>()
  const tables: Record<PgbenchTable, Map<unknown, string>> = {
    pgbench_branches: new Map(),
    pgbench_tellers: new Map(),
    pgbench_accounts: new Map(),
    pgbench_history: new Map(),
  }
  for (const [index, line] of gunzipSync(readFileSync(recording)).toString().trimEnd().split('\n').entries()) {
    const { message } = JSON.parse(line) as { message: Message }
    if (message.tag === 'relation') {
      const columns = (message.columns ?? []).map(({ name }) => name)
      relations.set(message.relationOid ?? 0, { name: message.name as PgbenchTable, columns })
    }
    if (message.tag !== 'insert' && message.tag !== 'update') continue
    const relation = relations.get(message.relation ?? 0)
    if (relation === undefined) throw new Error('a message comes before the description of its table')
    const values = relation.columns.map((name) => message.new?.[name])
    const key = relation.name === 'pgbench_history' ? index : values[0]
    tables[relation.name].set(key, bankLine(values))
  }
  const entries = Object.entries(tables).map(([name, rows]) => [name, [...rows.values()].sort(compareCodePoints)])
  return Object.fromEntries(entries) as Record<PgbenchTable, readonly string[]>
}
