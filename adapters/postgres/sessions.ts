import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectionOptions, checkServerIdentity } from 'node:tls'
import { type FolderLock, lockFolder } from '../../src/connector/lock-folder.ts'
import { readCaFile } from '../../src/connector/read-ca-file.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import {
  importPg,
  importPglite,
  type PgClient,
  type PgDriver,
  type Pglite,
  type PgOwnedClient,
  type PgPool,
  recogniseClient,
} from './client.ts'
import { PostgresFailure, toFailure } from './failures.ts'
import { type Endpoint, inMemory, type PostgresOptions, parseEndpoint } from './options.ts'
import { PgliteSession, PgSession, type Session } from './session.ts'

/** Where the sessions of the lanes come from: made by us, or handed in and then never closed by us. */
export interface Sessions {
  /** Whether several batches of one lane can be under way on its session. */
  readonly pipelines: boolean
  lease(lane: number): Promise<Lease>
  /** Closes what was opened here. Idempotent. */
  close(): Promise<void>
}

export interface Lease {
  readonly session: Session
  /** `error`: what the session has thrown last, so that a broken one is not used again. */
  release(error?: unknown): void
}

/** Opens nothing yet, save PGlite. Throws `OPTION_INVALID`, `DRIVER_MISSING`. */
export async function openSessions(client: unknown, options: PostgresOptions): Promise<Sessions> {
  if (client !== undefined && client !== null) return givenSessions(client)
  const problems: Problem[] = []
  const endpoint = parseEndpoint(options, problems)
  const ca = readCaFile(options['tls.ca-file'], problems)
  if (endpoint === undefined || problems.length > 0) {
    throw problemsError('the connection to PostgreSQL cannot be made:', problems, {
      code: 'OPTION_INVALID',
      connector: 'postgres',
    })
  }
  if (endpoint.kind === 'pglite') {
    return await openPglite(endpoint.dataDir)
  }
  return new OwnedSessions(await importPg(), clientConfig(endpoint, options, ca))
}

/** Only one may have a folder open: PGlite does not look whether another has. Throws `STORE_LOCKED`. */
async function openPglite(dataDir: string): Promise<Sessions> {
  const { PGlite } = await importPglite()
  const lock = dataDir === inMemory ? undefined : lockFolder(dataDir, 'postgres')
  try {
    return new PgliteSessions(await PGlite.create(dataDir), true, lock)
  } catch (error) {
    lock?.release()
    throw error
  }
}

function givenSessions(given: unknown): Sessions {
  const recognised = recogniseClient(given)
  switch (recognised?.kind) {
    case 'client':
      return new ClientSessions(recognised.client)
    case 'pool':
      return new PoolSessions(recognised.pool)
    case 'pglite':
      return new PgliteSessions(recognised.pglite, false)
    default:
      throw new TidegateError('the client that was handed in is no pg.Client, pg.Pool or PGlite', {
        code: 'OPTION_INVALID',
        connector: 'postgres',
      })
  }
}

/** Longer than any statement, so that the server gives up first and its answer arrives. */
const answerSlackMs = 5_000
/** A group that is streamed into one transaction may leave it idle between its parts (rule B2). */
const idleTransactionMs = 300_000

/** The driver's defaults wait for ever on a connection whose other end is gone; these don't. */
function clientConfig(
  endpoint: Endpoint & { kind: 'server' },
  options: PostgresOptions,
  ca: string | undefined,
): Readonly<Record<string, unknown>> {
  const statementMs = options['statement-timeout']
  return {
    host: endpoint.host,
    port: endpoint.port,
    database: endpoint.database,
    user: endpoint.user,
    password: endpoint.password,
    ssl: tlsConfig(endpoint, ca),
    keepAlive: true,
    pipeline: true,
    application_name: options['application-name'],
    connectionTimeoutMillis: options['connect-timeout'],
    statement_timeout: statementMs,
    query_timeout: statementMs === 0 ? 0 : statementMs + answerSlackMs,
    idle_in_transaction_session_timeout: Math.max(idleTransactionMs, statementMs),
    ...(endpoint.searchPath === undefined ? {} : { options: searchPathOption(endpoint.searchPath) }),
  }
}

function tlsConfig({ tls, host }: Endpoint & { kind: 'server' }, ca: string | undefined): false | ConnectionOptions {
  if (tls === 'off') return false
  if (tls === 'insecure') return { rejectUnauthorized: false }
  return {
    rejectUnauthorized: true,
    // for an address, Node would ask whether the certificate is one of `localhost`
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    ...(ca === undefined ? {} : { ca }),
  }
}

/** Start-up options are split at blanks and unescaped by the server. */
function searchPathOption(schemas: string): string {
  return `-c search_path=${schemas.replace(/[\\ ]/g, '\\$&')}`
}

interface Backend {
  readonly client: PgOwnedClient
  readonly session: Session
  /** Identity of the server process, to make sure of its end before a batch is sent again elsewhere. */
  readonly pid: string
  readonly startedAt: string
  lost: boolean
}

class OwnedSessions implements Sessions {
  readonly pipelines = true
  readonly #driver: PgDriver
  readonly #config: Readonly<Record<string, unknown>>
  readonly #lanes = new Map<number, Promise<Backend>>()
  #closed = false

  constructor(driver: PgDriver, config: Readonly<Record<string, unknown>>) {
    this.#driver = driver
    this.#config = config
  }

  async lease(lane: number): Promise<Lease> {
    const backend = await this.#backend(lane)
    return {
      session: backend.session,
      release: (error) => {
        if (error !== undefined && breaksSession(error)) backend.lost = true
      },
    }
  }

  async #backend(lane: number): Promise<Backend> {
    const known = this.#lanes.get(lane)
    const backend = await known?.catch(() => undefined)
    if (backend !== undefined && !backend.lost) return backend
    const waiting = this.#lanes.get(lane)
    // another batch of the lane may have replaced it meanwhile
    if (waiting !== known && waiting !== undefined) return await this.#backend(lane)
    if (this.#closed) throw new PostgresFailure('the sink is closed', 'fatal')
    const next = this.#connect(backend)
    this.#lanes.set(lane, next)
    return await next
  }

  async #connect(predecessor: Backend | undefined): Promise<Backend> {
    const client = new this.#driver.Client(this.#config)
    const backend = { lost: false }
    // without a listener, a connection that breaks while idle would end the process
    client.on('error', () => {
      backend.lost = true
    })
    try {
      await client.connect()
      const { rows } = await client.query({ text: whoAmI, rowMode: 'array' })
      const [pid = '', startedAt = ''] = (rows[0] ?? []) as readonly string[]
      if (predecessor !== undefined) await endBackend(client, predecessor)
      return Object.assign(backend, { client, session: new PgSession(client, true), pid, startedAt })
    } catch (error) {
      void client.end().catch(() => undefined)
      throw toFailure(error)
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    const backends = await Promise.allSettled(this.#lanes.values())
    this.#lanes.clear()
    await Promise.all(
      backends.map(async (backend) => {
        if (backend.status === 'fulfilled') await this.#end(backend.value)
      }),
    )
  }

  /** What was given up while it was under way must not be carried out after its sink is closed. */
  async #end(backend: Backend): Promise<void> {
    if (backend.lost) {
      const client = new this.#driver.Client(this.#config)
      client.on('error', ignore)
      const ended = client.connect().then(() => endBackend(client, backend))
      await within(ended, endPatienceMs)
      client.connection?.stream?.destroy()
    }
    await within(backend.client.end(), backend.lost ? 0 : endPatienceMs)
    backend.client.connection?.stream?.destroy()
  }
}

/** How long the end of a connection is waited for before its socket is dropped. */
const endPatienceMs = 2_000

/** Waits for the work, for no longer than `ms`, and does not mind how it ends. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const quiet = work.then(
    () => undefined,
    () => undefined,
  )
  const timer = new AbortController()
  await Promise.race([quiet, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)])
  timer.abort()
}

const whoAmI =
  'SELECT pg_backend_pid()::text, (SELECT backend_start::text FROM pg_catalog.pg_stat_activity WHERE pid = pg_backend_pid())'

const backendIsThere = 'SELECT FROM pg_catalog.pg_stat_activity WHERE pid = $1::int4 AND backend_start::text = $2'
const backendEndMs = 5_000

/**
 * What was sent on a lost connection may still lie with the server and be carried out later, over newer rows. So its
 * server process is ended before anything is sent again.
 */
async function endBackend(client: PgClient, predecessor: Backend): Promise<void> {
  void predecessor.client.end().catch(() => undefined)
  const values = [predecessor.pid, predecessor.startedAt]
  const deadline = performance.now() + backendEndMs
  for (;;) {
    const { rowCount } = await client.query({ text: backendIsThere, values, rowMode: 'array' })
    if (rowCount === 0) return
    if (performance.now() > deadline) {
      throw new PostgresFailure('the server still works for a connection that was lost', 'transient')
    }
    await client.query({ text: 'SELECT pg_terminate_backend($1::int4), pg_sleep(0.05)', values: values.slice(0, 1) })
  }
}

/** After these the session is of no more use: the connection broke, or the server will not write any more. */
function breaksSession(error: unknown): boolean {
  const { sqlState, failure } = toFailure(error)
  if (sqlState === undefined) return failure !== 'row'
  return sqlState.startsWith('08') || sqlState.startsWith('57P') || sqlState.startsWith('25P0') || sqlState === '25006'
}

class ClientSessions implements Sessions {
  readonly pipelines = false
  readonly #client: PgClient
  readonly #session: Session

  constructor(client: PgClient) {
    this.#client = client
    this.#session = new PgSession(client, false)
    client.on('error', ignore)
  }

  lease(): Promise<Lease> {
    return Promise.resolve({ session: this.#session, release: () => {} })
  }

  close(): Promise<void> {
    this.#client.removeListener('error', ignore)
    return Promise.resolve()
  }
}

class PoolSessions implements Sessions {
  readonly pipelines = false
  readonly #pool: PgPool

  constructor(pool: PgPool) {
    this.#pool = pool
    pool.on('error', ignore)
  }

  async lease(): Promise<Lease> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw toFailure(error)
    })
    client.on('error', ignore)
    return {
      session: new PgSession(client, false),
      release: (error) => {
        client.removeListener('error', ignore)
        client.release(error !== undefined && breaksSession(error))
      },
    }
  }

  close(): Promise<void> {
    this.#pool.removeListener('error', ignore)
    return Promise.resolve()
  }
}

/** The failure of an idle connection is met by the next flush. */
function ignore(): void {}

class PgliteSessions implements Sessions {
  readonly pipelines = false
  readonly #session: Session
  readonly #owned: Pglite | undefined
  readonly #lock: FolderLock | undefined
  #closing: Promise<void> | undefined

  constructor(pglite: Pglite, isOurs: boolean, lock?: FolderLock) {
    this.#session = new PgliteSession(pglite)
    this.#owned = isOurs ? pglite : undefined
    this.#lock = lock
  }

  lease(): Promise<Lease> {
    return Promise.resolve({ session: this.#session, release: () => {} })
  }

  async close(): Promise<void> {
    this.#closing ??= this.#owned?.close()
    await this.#closing
    this.#lock?.release()
  }
}
