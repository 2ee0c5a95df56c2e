import type { MysqlConnection } from './client.ts'
import { isAnswer, MysqlFailure, toFailure } from './failures.ts'

export interface Statement {
  readonly text: string
  readonly values?: readonly string[] | undefined
}

/** Only a DOUBLE is a number. */
export type Cell = string | number | null

export interface Answer {
  /** By position. */
  readonly rows: readonly (readonly Cell[])[]
  /** Rows that are as the statement wants them; of an upsert that changed a row, 2. */
  readonly affected: number
  /** What the server says beside it: `Records: 3  Duplicates: 1  Warnings: 0`. */
  readonly info: string
}

/** Product and version tell the dialect. */
export interface Dialect {
  readonly product: 'MySQL' | 'MariaDB'
  readonly version: string
  /** Bytes of the largest request. */
  readonly packetBytes: number
}

/** Which connection of which server a session is, to end it from another one. */
export interface SessionId {
  readonly server: string
  readonly connection: string
  /** By the clock of `performance.now()`. */
  readonly openedAt: number
}

/** One connection, set up so that nothing of the server's or the user's configuration changes what a statement means. */
export class Session {
  readonly dialect: Dialect
  readonly id: SessionId
  /** The client asked for CLIENT_FOUND_ROWS: a row that an upsert leaves as it is counts like one that it inserts. */
  readonly countsUnchanged: boolean
  readonly #connection: MysqlConnection
  readonly #timeoutMs: number
  /** A request has had no answer: what is sent behind it would have none either. */
  #isBroken = false

  private constructor(connection: MysqlConnection, dialect: Dialect, id: SessionId, timeoutMs: number) {
    this.#connection = connection
    this.dialect = dialect
    this.id = id
    this.countsUnchanged = ((clientFlags(connection) ?? foundRows) & foundRows) !== 0
    this.#timeoutMs = timeoutMs
  }

  /** Bytes of a document that is large enough. */
  get documentBytes(): number {
    return Math.min(documentBytesWanted, this.documentBytesMax)
  }

  /** Bytes of the largest document that fits into a request. */
  get documentBytesMax(): number {
    return this.dialect.packetBytes - requestBytes
  }

  static async open(connection: MysqlConnection, timeoutMs: number): Promise<Session> {
    const timeout = timeoutMs === 0 ? {} : { timeout: timeoutMs }
    try {
      for (const sql of setUp(timeoutMs)) await connection.query({ sql, ...timeout })
      const [rows] = await connection.query({ sql: whoAreYou, rowsAsArray: true, ...timeout })
      const [version, packetBytes, server, id] = (rows as readonly (readonly unknown[])[])[0] ?? []
      const dialect: Dialect = {
        product: String(version).includes('MariaDB') ? 'MariaDB' : 'MySQL',
        version: /^[\d.]+/.exec(String(version))?.[0] ?? '0',
        packetBytes: Number(packetBytes),
      }
      const sessionId = { server: String(server), connection: String(id), openedAt: performance.now() }
      return new Session(connection, dialect, sessionId, timeoutMs)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async run({ text, values }: Statement): Promise<Answer> {
    return await this.#send(async (timeout) => {
      const [result] = await this.#connection.execute({ sql: text, rowsAsArray: true, ...timeout }, values ?? [])
      return answerOf(result)
    })
  }

  async transaction<T>(work: () => Promise<T>): Promise<T> {
    await this.begin()
    try {
      const result = await work()
      await this.commit()
      return result
    } catch (error) {
      await this.rollback()
      throw error
    }
  }

  async begin(): Promise<void> {
    await this.control('START TRANSACTION')
  }

  /** Transaction control is none of the statements that can be prepared everywhere. */
  async control(sql: string): Promise<void> {
    await this.#send((timeout) => this.#connection.query({ sql, ...timeout }))
  }

  /** If the connection breaks while the server decides, nobody knows the outcome. */
  async commit(): Promise<void> {
    try {
      await this.control('COMMIT')
    } catch (error) {
      if (isAnswer(error)) throw error
      const { message } = toFailure(error)
      throw new MysqlFailure(`the answer to COMMIT was lost: ${message}`, 'unknown-outcome', undefined, error)
    }
  }

  /** Never throws: a transaction that can't be rolled back is gone with its connection. */
  async rollback(): Promise<void> {
    if (!this.#isBroken) await this.control('ROLLBACK').catch(() => {})
  }

  async #send<T>(send: (timeout: { readonly timeout?: number }) => Promise<T>): Promise<T> {
    try {
      return await send(this.#timeoutMs === 0 ? {} : { timeout: this.#timeoutMs })
    } catch (error) {
      if (!isAnswer(error)) this.#isBroken = true
      throw toFailure(error)
    }
  }
}

/**
 * The server refuses what does not fit instead of bending it, times are UTC, and a statement sees what others have
 * committed before it (the variable for that has a name of its own in each family). A lock is waited for as long as the
 * statement may take, and a connection whose other end is gone gives its locks back after a while.
 */
function setUp(timeoutMs: number): readonly string[] {
  const variables = [
    'NAMES utf8mb4 COLLATE utf8mb4_bin',
    `SESSION sql_mode = '${sqlMode}'`,
    "SESSION time_zone = '+00:00'",
    'SESSION autocommit = 1',
    `SESSION wait_timeout = ${idleSeconds}`,
  ]
  if (timeoutMs > 0) variables.push(`SESSION innodb_lock_wait_timeout = ${Math.max(1, Math.floor(timeoutMs / 1100))}`)
  return [`SET ${variables.join(', ')}`, 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED']
}

const sqlMode =
  'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'

/** Longer than a group that is streamed into one transaction leaves it idle between its parts (rule B2). */
const idleSeconds = 600

/** Larger documents gain nothing, and the server holds them whole. */
const documentBytesWanted = 4 * 1024 * 1024
/** What a request holds beside its document. */
const requestBytes = 1024

/** https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html */
const foundRows = 2

function clientFlags(connection: MysqlConnection): number | undefined {
  const flags = (connection.connection?.config ?? connection.config)?.clientFlags
  return typeof flags === 'number' ? flags : undefined
}

const whoAreYou =
  "SELECT version(), @@max_allowed_packet, CONCAT_WS('/', @@hostname, @@port, @@server_id), CONNECTION_ID()"

function answerOf(result: unknown): Answer {
  if (Array.isArray(result)) return { rows: result as Cell[][], affected: 0, info: '' }
  const { affectedRows = 0, info = '' } = result as { affectedRows?: number; info?: string }
  return { rows: [], affected: affectedRows, info }
}
