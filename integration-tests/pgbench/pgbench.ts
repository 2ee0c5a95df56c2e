import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { postgresProgram } from '../services/postgres-programs.ts'
import { runCommand } from '../services/run-command.ts'

/** The tables of pgbench's standard load, each with its columns as Flink's DDL writes them. */
export const pgbenchTables = {
  pgbench_branches: 'bid INT, bbalance INT, filler CHAR(88), PRIMARY KEY (bid) NOT ENFORCED',
  pgbench_tellers: 'tid INT, bid INT, tbalance INT, filler CHAR(84), PRIMARY KEY (tid) NOT ENFORCED',
  pgbench_accounts: 'aid INT, bid INT, abalance INT, filler CHAR(84), PRIMARY KEY (aid) NOT ENFORCED',
  pgbench_history: 'tid INT, bid INT, aid INT, delta INT, mtime TIMESTAMP(6), filler CHAR(22)',
} as const

export type PgbenchTable = keyof typeof pgbenchTables

export const pgbenchTableNames = Object.keys(pgbenchTables) as readonly PgbenchTable[]

/** One `CREATE TABLE` for each of pgbench's tables, in one flush domain. */
export function pgbenchDdl(options: (table: PgbenchTable) => Readonly<Record<string, string>>): string {
  return pgbenchTableNames
    .map((name) => {
      const lines = Object.entries(options(name)).map(([option, value]) => `  '${option}' = '${value}'`)
      return `CREATE TABLE ${name} (\n  ${pgbenchTables[name]}\n) WITH (\n${lines.join(',\n')}\n);\n`
    })
    .join('\n')
}

/** Fills the source with scale 1: one branch, ten tellers, 100,000 accounts. */
export async function initPgbench(url: string): Promise<void> {
  await runCommand(await postgresProgram('pgbench'), ['-i', '-q', '-s', '1', url])
}

export interface PgbenchLoad {
  readonly seconds: number
  readonly clients: number
  /** Transactions a second, over all clients. */
  readonly rate: number
}

/** Runs the standard load, which resembles TPC-B, and gives the number of its transactions. */
export async function runPgbench(url: string, { seconds, clients, rate }: PgbenchLoad): Promise<number> {
  const args = ['-n', '-T', String(seconds), '-c', String(clients), '-R', String(rate), url]
  const report = await runCommand(await postgresProgram('pgbench'), args)
  return Number(/transactions actually processed: (\d+)/.exec(report)?.[1])
}

/** pgbench's tables without a row in them. */
export async function makeEmptyBank(url: string): Promise<void> {
  await runCommand(await postgresProgram('pgbench'), ['-i', '-q', '-I', 'dtp', url])
}

/** One branch and ten tellers, with fewer accounts than the smallest scale of pgbench has, in one transaction. */
export async function fillSmallBank(url: string, accountCount: number): Promise<void> {
  await onDatabase(url, (client) =>
    client.query(`
      begin;
      insert into pgbench_branches values (1, 0);
      insert into pgbench_tellers select tid, 1, 0 from generate_series(1, 10) tid;
      insert into pgbench_accounts select aid, 1, 0, '' from generate_series(1, ${accountCount}) aid;
      commit`),
  )
}

export interface SmallLoad {
  readonly accountCount: number
  readonly transactionCount: number
  readonly clients: number
}

/** pgbench's own transaction; only the number of accounts is another one than a scale would give. */
export async function runSmallLoad(url: string, { accountCount, transactionCount, clients }: SmallLoad): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-pgbench-'))
  const script = join(folder, 'tpcb.sql')
  const transaction = `
    \\set aid random(1, ${accountCount})
    \\set bid 1
    \\set tid random(1, 10)
    \\set delta random(-5000, 5000)
    begin;
    update pgbench_accounts set abalance = abalance + :delta where aid = :aid;
    select abalance from pgbench_accounts where aid = :aid;
    update pgbench_tellers set tbalance = tbalance + :delta where tid = :tid;
    update pgbench_branches set bbalance = bbalance + :delta where bid = :bid;
    insert into pgbench_history (tid, bid, aid, delta, mtime) values (:tid, :bid, :aid, :delta, current_timestamp);
    end;`
  writeFileSync(script, transaction.replace(/^ +/gm, ''))
  const args = ['-n', '-c', String(clients), '-t', String(transactionCount / clients), '-f', script, url]
  try {
    await runCommand(await postgresProgram('pgbench'), args)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Every row of a table as the server prints it, sorted. */
export async function tableText(url: string, table: PgbenchTable): Promise<readonly string[]> {
  return await onDatabase(url, async (client) => {
    const { rows } = await client.query<{ line: string }>(
      `select t::text as line from ${table} t order by t::text collate "C"`,
    )
    return rows.map(({ line }) => line)
  })
}

export async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
