import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { stringify } from 'lossless-json'
import type { Pgoutput } from 'pg-logical-replication'
import { onDatabase, pgbenchTableNames } from './pgbench.ts'
import { createSlot, startReplication } from './services/logical-replication.ts'
import { createDatabase } from './services/postgres-database.ts'
import { postgresProgram } from './services/postgres-programs.ts'
import { startPostgres } from './services/postgres-server.ts'
import { runCommand } from './services/run-command.ts'

/**
 * Records demo/pgbench.ndjson.gz: pgbench's standard load on a small bank, from its first row on, as PostgreSQL's logical
 * replication gives it. `npm run record-demo` makes it anew; each recording is another one.
 */
const accountCount = 1000
const transactionCount = 2000

const server = await startPostgres({ source: 'machine' })
try {
  const database = await createDatabase({ adminUrl: server.adminUrl })
  await fill(database.url)
  await runLoad(database.url)
  const lines = await readChangelog(database.url)
  const file = join(import.meta.dirname, '..', 'demo', 'pgbench.ndjson.gz')
  writeFileSync(file, gzipSync(lines.join(''), { level: 9 }))
  console.log(`${lines.length} messages in ${file}`)
} finally {
  await server.stop()
}

/** The slot comes before the first row. */
async function fill(url: string): Promise<void> {
  await runCommand(await postgresProgram('pgbench'), ['-i', '-q', '-I', 'dtp', url])
  await onDatabase(url, (client) => client.query(`create publication demo for table ${pgbenchTableNames.join(', ')}`))
  await createSlot(url, 'demo', async () => {})
  await onDatabase(url, (client) =>
    client.query(`
      begin;
      insert into pgbench_branches values (1, 0);
      insert into pgbench_tellers select tid, 1, 0 from generate_series(1, 10) tid;
      insert into pgbench_accounts select aid, 1, 0, '' from generate_series(1, ${accountCount}) aid;
      commit`),
  )
}

/** pgbench's own transaction; only the number of accounts is another one than a scale would give. */
async function runLoad(url: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-demo-'))
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
  const clients = 4
  const args = ['-n', '-c', String(clients), '-t', String(transactionCount / clients), '-f', script, url]
  try {
    await runCommand(await postgresProgram('pgbench'), args)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function readChangelog(url: string): Promise<readonly string[]> {
  const lines: string[] = []
  const into = new Writable({
    objectMode: true,
    write: ({ lsn, message }: { lsn: string; message: Pgoutput.Message }, _encoding, callback) => {
      lines.push(`${stringify({ lsn, message: withoutRelation(message) })}\n`)
      callback()
    },
  })
  const replication = startReplication({ url, slot: 'demo', publication: 'demo', into })
  while (replication.commitCount < transactionCount + 1) await Promise.race([delay(50), replication.failed])
  await replication.stop()
  return lines
}

/** The library repeats the table's description in each message; the recording names it by its number, as the server does. */
function withoutRelation(message: Pgoutput.Message): unknown {
  if (!('relation' in message)) return message
  return { ...message, relation: message.relation.relationOid }
}
