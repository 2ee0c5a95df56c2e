import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { stringify } from 'lossless-json'
import type { Pgoutput } from 'pg-logical-replication'
import { fillSmallBank, makeEmptyBank, onDatabase, pgbenchTableNames, runSmallLoad } from './pgbench/pgbench.ts'
import { createSlot, startReplication } from './services/logical-replication.ts'
import { createDatabase } from './services/postgres-database.ts'
import { startPostgres } from './services/postgres-server.ts'

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
  await runSmallLoad(database.url, { accountCount, transactionCount, clients: 4 })
  const lines = await readChangelog(database.url)
  const file = join(import.meta.dirname, '..', 'demo', 'pgbench.ndjson.gz')
  writeFileSync(file, gzipSync(lines.join(''), { level: 9 }))
  console.log(`${lines.length} messages in ${file}`)
} finally {
  await server.stop()
}

/** The slot comes before the first row. */
async function fill(url: string): Promise<void> {
  await makeEmptyBank(url)
  await onDatabase(url, (client) => client.query(`create publication demo for table ${pgbenchTableNames.join(', ')}`))
  await createSlot(url, 'demo', async () => {})
  await fillSmallBank(url, accountCount)
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
