import { setTimeout as delay } from 'node:timers/promises'
import PQueue from 'p-queue'
import { readCaFile } from '../../src/connector/read-ca-file.ts'
import { type Problem, problemsError, TidegateError } from '../../src/errors.ts'
import {
  importMysql2,
  type MysqlConnection,
  type MysqlDriver,
  type MysqlOwnedConnection,
  type MysqlPool,
  recogniseClient,
} from './client.ts'
import { isAnswer, MysqlFailure, toFailure } from './failures.ts'
import { LostSessions } from './lost-sessions.ts'
import { type Endpoint, type MysqlOptions, parseEndpoint } from './options.ts'
import { Session } from './session.ts'
import { tlsOptions } from './tls.ts'

/** Where the sessions of the lanes come from: made by us, or handed in and then never closed by us. */
export interface Sessions {
  lease(): Promise<Lease>
  /** Closes what was opened here. Idempotent. */
  close(): Promise<void>
}

export interface Lease {
  readonly session: Session
  /** `error`: what the session has thrown last, so that a broken one is not used again. */
  release(error?: unknown): void
}

/** Opens nothing yet. Throws `OPTION_INVALID`, `DRIVER_MISSING`. */
export async function openSessions(client: unknown, options: MysqlOptions): Promise<Sessions> {
  const timeoutMs = options['statement-timeout']
  if (client !== undefined && client !== null) {
    const given = recogniseClient(client)
    if (given?.kind === 'pool') return new PoolSessions(given.pool, timeoutMs)
    if (given?.kind === 'connection') return new ConnectionSessions(given.connection, timeoutMs)
    throw new TidegateError('the client that was handed in is no connection and no pool of mysql2/promise', {
      code: 'OPTION_INVALID',
      connector: 'mysql',
      hint: 'of the callback API, hand in what its promise() gives',
    })
  }
  const problems: Problem[] = []
  const endpoint = parseEndpoint(options, problems)
  const ca = readCaFile(options['tls.ca-file'], problems)
  if (endpoint === undefined || problems.length > 0) {
    throw problemsError('the connection to MySQL cannot be made:', problems, {
      code: 'OPTION_INVALID',
      connector: 'mysql',
    })
  }
  return new OwnedSessions(await importMysql2(), clientConfig(endpoint, options, ca), timeoutMs)
}

/** The driver's defaults name no host to TLS, read local files on request and make dates in the process's zone. */
function clientConfig(
  endpoint: Endpoint,
  options: MysqlOptions,
  ca: string | undefined,
): Readonly<Record<string, unknown>> {
  const { host, port, database, user, password } = endpoint
  return {
    ...{ host, port, database, user, password },
    ...tlsOptions(endpoint, ca),
    connectTimeout: options['connect-timeout'],
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    dateStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    // an upsert that changes nothing counts as nothing; the server never asks for a file
    flags: ['-FOUND_ROWS', '-LOCAL_FILES'],
    enableKeepAlive: true,
    maxPreparedStatements: 200,
  }
}

/** A session that has failed without an answer is not to be trusted again. */
function breaksSession(error: unknown): boolean {
  return error !== undefined && !isAnswer(error)
}

interface Owned {
  readonly connection: MysqlOwnedConnection
  readonly session: Session
  lost: boolean
}

class OwnedSessions implements Sessions {
  readonly #driver: MysqlDriver
  readonly #config: Readonly<Record<string, unknown>>
  readonly #timeoutMs: number
  readonly #idle: Owned[] = []
  readonly #all = new Set<Owned>()
  readonly #lost = new LostSessions()
  #closed = false

  constructor(driver: MysqlDriver, config: Readonly<Record<string, unknown>>, timeoutMs: number) {
    this.#driver = driver
    this.#config = config
    this.#timeoutMs = timeoutMs
  }

  async lease(): Promise<Lease> {
    if (this.#closed) throw new MysqlFailure('the sink is closed', 'fatal')
    const owned = this.#takeIdle() ?? (await this.#connect())
    const release = (error?: unknown): void => {
      if (owned.lost || breaksSession(error)) this.#drop(owned)
      else this.#idle.push(owned)
    }
    try {
      await this.#lost.endFrom(owned.session)
    } catch (error) {
      release(error)
      throw error
    }
    return { session: owned.session, release }
  }

  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    if (!this.#lost.isEmpty) await within(this.#endLost(), endPatienceMs)
    await Promise.all(
      [...this.#all].map(async ({ connection }) => {
        await within(connection.end(), endPatienceMs)
        connection.destroy()
      }),
    )
    this.#all.clear()
  }

  /** What was given up while it was under way must not be carried out after its sink is closed. */
  async #endLost(): Promise<void> {
    const owned = this.#takeIdle() ?? (await this.#connect())
    await this.#lost.endFrom(owned.session)
  }

  #takeIdle(): Owned | undefined {
    for (let owned = this.#idle.pop(); owned !== undefined; owned = this.#idle.pop()) {
      if (!owned.lost) return owned
      this.#drop(owned)
    }
    return undefined
  }

  async #connect(): Promise<Owned> {
    let connection: MysqlOwnedConnection
    try {
      connection = await this.#driver.createConnection(this.#config)
    } catch (error) {
      throw toFailure(error)
    }
    const state = { lost: false }
    // without a listener, a connection that breaks while idle would end the process
    connection.on('error', () => {
      state.lost = true
    })
    try {
      const owned = Object.assign(state, { connection, session: await Session.open(connection, this.#timeoutMs) })
      this.#all.add(owned)
      return owned
    } catch (error) {
      connection.destroy()
      throw error
    }
  }

  #drop(owned: Owned): void {
    this.#all.delete(owned)
    this.#lost.add(owned.session)
    owned.connection.destroy()
  }
}

/** How long the end of a connection is waited for before its socket is dropped. */
const endPatienceMs = 2_000

/** Waits for the work, for no longer than `ms`, and does not mind how it ends. */
async function within(work: Promise<unknown>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = delay(ms, undefined, { signal: timer.signal }).catch(() => {})
  await Promise.race([work.catch(() => {}), late])
  timer.abort()
}

/** One connection of a pool is taken for each flush. */
class PoolSessions implements Sessions {
  readonly #pool: MysqlPool
  readonly #timeoutMs: number
  readonly #lost = new LostSessions()

  constructor(pool: MysqlPool, timeoutMs: number) {
    this.#pool = pool
    this.#timeoutMs = timeoutMs
  }

  async lease(): Promise<Lease> {
    const connection = await this.#pool.getConnection().catch((error: unknown) => {
      throw toFailure(error)
    })
    connection.on('error', ignore)
    let session: Session | undefined
    const release = (error: unknown): void => {
      connection.removeListener('error', ignore)
      if (breaksSession(error)) {
        if (session !== undefined) this.#lost.add(session)
        connection.destroy()
      } else connection.release()
    }
    try {
      session = await Session.open(connection, this.#timeoutMs)
      await this.#lost.endFrom(session)
      return { session, release }
    } catch (error) {
      release(error)
      throw error
    }
  }

  async close(): Promise<void> {}
}

/** A connection that was handed in is used by us alone while the sink lives, by one flush at a time. */
class ConnectionSessions implements Sessions {
  readonly #connection: MysqlConnection
  readonly #timeoutMs: number
  readonly #turns = new PQueue({ concurrency: 1 })
  #session: Promise<Session> | undefined

  constructor(connection: MysqlConnection, timeoutMs: number) {
    this.#connection = connection
    this.#timeoutMs = timeoutMs
    connection.on('error', ignore)
  }

  async lease(): Promise<Lease> {
    const release = await this.#turn()
    try {
      this.#session ??= Session.open(this.#connection, this.#timeoutMs)
      return { session: await this.#session, release }
    } catch (error) {
      this.#session = undefined
      release()
      throw error
    }
  }

  async close(): Promise<void> {
    this.#connection.removeListener('error', ignore)
  }

  #turn(): Promise<() => void> {
    return new Promise((resolve) => {
      void this.#turns.add(() => new Promise<void>((release) => resolve(release)))
    })
  }
}

function ignore(): void {}
