import type { MysqlConnection } from './client.ts'
import { isAnswer, MysqlFailure, toFailure } from './failures.ts'

export interface Statement {
  readonly text: string
  readonly values?: readonly string[] | undefined
}

export interface Answer {
  /** By position, as texts or null. */
  readonly rows: readonly (readonly (string | null)[])[]
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

/** One connection, set up so that nothing of the server's or the user's configuration changes what a statement means. */
export class Session {
  readonly dialect: Dialect
  /** The client asked for CLIENT_FOUND_ROWS: a row that an upsert leaves as it is counts like one that it inserts. */
  readonly countsUnchanged: boolean
  readonly #connection: MysqlConnection
  readonly #timeoutMs: number

  private constructor(connection: MysqlConnection, dialect: Dialect, timeoutMs: number) {
    this.#connection = connection
    this.dialect = dialect
    this.countsUnchanged = ((clientFlags(connection) ?? foundRows) & foundRows) !== 0
    this.#timeoutMs = timeoutMs
  }

  /** Bytes of the largest document that surely fits into a request. */
  get documentBytesMax(): number {
    return Math.min(documentBytesMax, Math.floor(this.dialect.packetBytes * 0.9) - 4096)
  }

  static async open(connection: MysqlConnection, timeoutMs: number): Promise<Session> {
    try {
      for (const sql of setUp) await connection.query({ sql })
      const [rows] = await connection.query({ sql: whoAreYou, rowsAsArray: true })
      const [version, packetBytes] = (rows as readonly (readonly unknown[])[])[0] ?? []
      const dialect: Dialect = {
        product: String(version).includes('MariaDB') ? 'MariaDB' : 'MySQL',
        version: /^[\d.]+/.exec(String(version))?.[0] ?? '0',
        packetBytes: Number(packetBytes),
      }
      return new Session(connection, dialect, timeoutMs)
    } catch (error) {
      throw toFailure(error)
    }
  }

  async run({ text, values }: Statement): Promise<Answer> {
    try {
      const options = { sql: text, rowsAsArray: true, ...(this.#timeoutMs === 0 ? {} : { timeout: this.#timeoutMs }) }
      const [result] = await this.#connection.execute(options, values ?? [])
      return answerOf(result)
    } catch (error) {
      throw toFailure(error)
    }
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

  /** Transaction control is none of the statements that can be prepared everywhere. */
  async begin(): Promise<void> {
    await this.control('START TRANSACTION')
  }

  async control(sql: string): Promise<void> {
    try {
      await this.#connection.query({ sql })
    } catch (error) {
      throw toFailure(error)
    }
  }

  /** If the connection breaks while the server decides, nobody knows the outcome. */
  async commit(): Promise<void> {
    try {
      await this.#connection.query({ sql: 'COMMIT' })
    } catch (error) {
      if (isAnswer(error)) throw toFailure(error)
      const { message } = toFailure(error)
      throw new MysqlFailure(`the answer to COMMIT was lost: ${message}`, 'unknown-outcome', undefined, error)
    }
  }

  /** A connection that is gone has been rolled back by the server. */
  async rollback(): Promise<void> {
    await this.#connection.query({ sql: 'ROLLBACK' }).catch(() => {})
  }
}

/**
 * The server refuses what does not fit instead of bending it, times are UTC, and a statement sees what others have
 * committed before it. Names of the isolation variable differ, so it is set by statement.
 */
const setUp: readonly string[] = [
  'SET NAMES utf8mb4 COLLATE utf8mb4_bin',
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'",
  "SET SESSION time_zone = '+00:00'",
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
  'SET SESSION autocommit = 1',
]

/** Larger documents gain nothing, and the server holds them whole. */
const documentBytesMax = 4 * 1024 * 1024

/** https://dev.mysql.com/doc/dev/mysql-server/latest/group__group__cs__capabilities__flags.html */
const foundRows = 2

function clientFlags(connection: MysqlConnection): number | undefined {
  const flags = (connection.connection?.config ?? connection.config)?.clientFlags
  return typeof flags === 'number' ? flags : undefined
}

const whoAreYou = 'SELECT version(), @@max_allowed_packet'

function answerOf(result: unknown): Answer {
  if (Array.isArray(result)) return { rows: result as (string | null)[][], affected: 0, info: '' }
  const { affectedRows = 0, info = '' } = result as { affectedRows?: number; info?: string }
  return { rows: [], affected: affectedRows, info }
}
