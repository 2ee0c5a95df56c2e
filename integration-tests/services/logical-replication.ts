import { once } from 'node:events'
import type { Writable } from 'node:stream'
import pg from 'pg'
import { LogicalReplicationService, type Pgoutput, PgoutputPlugin } from 'pg-logical-replication'

export interface ReplicationOptions {
  readonly url: string
  readonly slot: string
  readonly publication: string
  /** Gets each message as `{lsn, message}`; the stream waits while it is full. */
  readonly into: Writable
}

/** A running logical replication; only what is acknowledged is not sent again after a restart. */
export interface Replication {
  /** Commits whose messages were handed on. */
  readonly commitCount: number
  /** End of the last of them, as the server prints it. */
  readonly lastCommit: string | undefined
  /** Rejects if the stream breaks. */
  readonly failed: Promise<never>
  /** `lsn`: the end of a commit that is durable elsewhere. */
  acknowledge(lsn: string): Promise<void>
  stop(): Promise<void>
}

/** Streams a slot from where it was acknowledged. */
export function startReplication({ url, slot, publication, into }: ReplicationOptions): Replication {
  const service = new LogicalReplicationService(
    { connectionString: url },
    { acknowledge: { auto: false, timeoutSeconds: 0 }, flowControl: { enabled: true } },
  )
  let commitCount = 0
  let lastCommit: string | undefined
  let durable: string | undefined
  const acknowledge = async (lsn: string): Promise<void> => {
    durable = lsn
    await service.acknowledge(lastByteBefore(lsn))
  }
  // biome-ignore lint/nursery/noMisusedPromises: under flow control the service waits for what its listener returns
  service.on('data', async (lsn: string, message: Pgoutput.Message) => {
    if (!into.write({ lsn, message })) await once(into, 'drain')
    if (message.tag !== 'commit') return
    commitCount++
    lastCommit = asPrinted(parseLsn(message.commitEndLsn ?? '0/0'))
  })
  service.on('heartbeat', (_lsn: string, _timestamp: number, shouldRespond: boolean) => {
    // the server ends a connection that never answers; the answer is what is durable, not what was received
    if (shouldRespond && durable !== undefined) void acknowledge(durable)
  })
  const failed = new Promise<never>((_resolve, reject) => {
    service.on('error', reject)
    const plugin = new TextPgoutputPlugin({ protoVersion: 1, publicationNames: [publication] })
    service.subscribe(plugin, slot).catch(reject)
  })
  // it is for whoever waits for it; a stream that is stopped may end with an error too
  failed.catch(() => {})
  return {
    get commitCount() {
      return commitCount
    },
    get lastCommit() {
      return lastCommit
    },
    failed,
    acknowledge,
    stop: async () => {
      await service.stop()
    },
  }
}

/** Makes a slot; `copy` gets the name of the snapshot of what was there before it, valid until `copy` ends. */
export async function createSlot(url: string, slot: string, copy: (snapshot: string) => Promise<void>): Promise<void> {
  const settings: pg.ClientConfig & { replication: string } = { connectionString: url, replication: 'database' }
  const client = new pg.Client(settings)
  await client.connect()
  try {
    const { rows } = await client.query<{ snapshot_name: string }>(
      `CREATE_REPLICATION_SLOT ${client.escapeIdentifier(slot)} LOGICAL pgoutput EXPORT_SNAPSHOT`,
    )
    await copy(rows[0]?.snapshot_name ?? '')
  } finally {
    await client.end()
  }
}

/** Leaves values as the server prints them: the driver's own parsers make Dates, in the time zone of the process. */
class TextPgoutputPlugin extends PgoutputPlugin {
  override parse(buffer: Buffer): Pgoutput.Message {
    const message = super.parse(buffer)
    if (message.tag === 'relation') for (const column of message.columns) column.parser = (text: string) => text
    return message
  }
}

/**
 * The library acknowledges one byte more than it is given. A commit may begin right where the one before it ends, and the
 * server would take that one for received too.
 */
function lastByteBefore(lsn: string): string {
  return asPrinted(parseLsn(lsn) - 1n)
}

function parseLsn(lsn: string): bigint {
  const [upper = '0', lower = '0'] = lsn.split('/')
  return (BigInt(`0x${upper}`) << 32n) + BigInt(`0x${lower}`)
}

function asPrinted(position: bigint): string {
  return `${(position >> 32n).toString(16)}/${(position & 0xffffffffn).toString(16)}`.toUpperCase()
}
