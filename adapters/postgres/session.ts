import { must } from '../../src/assert.ts'
import type { PgClient, Pglite, PgliteTransaction, PgQuery, PgResult } from './client.ts'
import { isAnswer, PostgresFailure, toFailure } from './failures.ts'

export interface Statement {
  readonly text: string
  readonly values?: readonly unknown[] | undefined
  /** Prepared under this name, once a session. */
  readonly name?: string | undefined
}

export interface Answer {
  /** First word of the command tag. */
  readonly command: string
  /** Rows that the statement touched. */
  readonly count: number
  readonly rows: readonly (readonly unknown[])[]
}

/** A connection to the server. Transactions that are asked for at once run one after the other, in order. */
export interface Session {
  /** All in one transaction; sent without waiting for answers where the driver can, several runs one behind the other. */
  run(statements: readonly Statement[]): Promise<readonly Answer[]>
  /** A transaction whose next statement depends on the last answer. Holds the session until it ends. */
  begin(): Promise<Transaction>
}

export interface Transaction {
  query(statement: Statement): Promise<Answer>
  /** Throws `unknown-outcome` if the answer is lost. */
  commit(): Promise<void>
  /** Does nothing after `commit`. Never throws: a transaction that can't be rolled back is gone with its connection. */
  rollback(): Promise<void>
}

/** READ COMMITTED whatever the server's default: each statement must see what the locks before it have waited for. */
const beginStatement: Statement = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED' }

export class PgSession implements Session {
  readonly #client: PgClient
  readonly #pipelines: boolean
  readonly #turns = new Turns()

  /** `pipelines`: the client was made with `pipeline: true`. */
  constructor(client: PgClient, pipelines: boolean) {
    this.#client = client
    this.#pipelines = pipelines
  }

  async run(statements: readonly Statement[]): Promise<readonly Answer[]> {
    if (!this.#pipelines) return await runInTurn(this, statements)
    const endTurn = await this.#turns.next()
    // everything is on the wire before the first answer; the next transaction may follow at once
    const begun = this.#send(beginStatement)
    const sent = statements.map((statement) => this.#send(statement))
    const committed = this.#send({ text: 'COMMIT' })
    endTurn()
    const [opening, ...answers] = await Promise.allSettled([begun, ...sent, committed])
    // a driver that knows its connection is gone sends nothing, so nothing is in doubt
    if (opening.status === 'rejected' && neverSent(opening.reason)) throw toFailure(opening.reason)
    return readRun(answers)
  }

  async begin(): Promise<Transaction> {
    const endTurn = await this.#turns.next()
    try {
      await this.#send(beginStatement)
    } catch (error) {
      endTurn()
      throw toFailure(error)
    }
    // once it has ended, the session may be at the next transaction
    let hasEnded = false
    const end = (): void => {
      hasEnded = true
      endTurn()
    }
    return {
      query: async (statement) => {
        try {
          return await this.#send(statement)
        } catch (error) {
          throw toFailure(error)
        }
      },
      commit: async () => {
        try {
          checkCommitted(await this.#send({ text: 'COMMIT' }))
        } catch (error) {
          throw commitFailure(error)
        } finally {
          end()
        }
      },
      rollback: async () => {
        if (hasEnded) return
        try {
          await this.#send({ text: 'ROLLBACK' })
        } catch {
          // the connection is gone, and the transaction with it
        } finally {
          end()
        }
      },
    }
  }

  async #send({ text, values, name }: Statement): Promise<Answer> {
    // values make the driver use the extended protocol, which is the one that can be pipelined
    const query: PgQuery = { text, values: values === undefined ? [] : [...values], name, rowMode: 'array' }
    const result: PgResult = await this.#client.query(query)
    return { command: result.command, count: result.rowCount ?? 0, rows: result.rows as readonly unknown[][] }
  }
}

export class PgliteSession implements Session {
  readonly #pglite: Pglite

  constructor(pglite: Pglite) {
    this.#pglite = pglite
  }

  async run(statements: readonly Statement[]): Promise<readonly Answer[]> {
    return await runInTurn(this, statements)
  }

  async begin(): Promise<Transaction> {
    const opened = deferred<PgliteTransaction>()
    const ended = deferred<'commit' | 'rollback'>()
    const finished = this.#pglite.transaction(async (transaction) => {
      opened.resolve(transaction)
      if ((await ended.promise) === 'rollback') await transaction.rollback()
    })
    finished.catch(opened.reject)
    const transaction = await opened.promise.catch((error: unknown) => {
      throw toFailure(error)
    })
    return {
      query: async ({ text, values }) => {
        try {
          return pgliteAnswer(await transaction.query(text, values === undefined ? [] : [...values], arrayRows))
        } catch (error) {
          throw toFailure(error)
        }
      },
      commit: async () => {
        ended.resolve('commit')
        try {
          await finished
        } catch (error) {
          throw commitFailure(error)
        }
      },
      rollback: async () => {
        ended.resolve('rollback')
        await finished.catch(() => undefined)
      },
    }
  }
}

const arrayRows = { rowMode: 'array' } as const

function pgliteAnswer(result: {
  readonly rows: readonly unknown[]
  readonly affectedRows?: number | undefined
  readonly command?: string | undefined
}): Answer {
  return {
    command: result.command ?? '',
    count: result.affectedRows ?? 0,
    rows: result.rows as readonly unknown[][],
  }
}

async function runInTurn(session: Session, statements: readonly Statement[]): Promise<readonly Answer[]> {
  const transaction = await session.begin()
  const answers: Answer[] = []
  try {
    for (const statement of statements) answers.push(await transaction.query(statement))
  } catch (error) {
    await transaction.rollback()
    throw error
  }
  await transaction.commit()
  return answers
}

function neverSent(error: unknown): boolean {
  return error instanceof Error && /is not queryable$/.test(error.message)
}

function readRun(settled: readonly PromiseSettledResult<Answer>[]): readonly Answer[] {
  const commit = settled.at(-1)
  const refused = settled.slice(0, -1).find((result) => result.status === 'rejected' && isAnswer(result.reason))
  // a transaction in which a statement was refused has not taken effect, whatever became of the connection
  if (refused?.status === 'rejected') throw toFailure(refused.reason)
  if (commit?.status !== 'fulfilled') throw commitFailure(commit?.reason)
  checkCommitted(commit.value)
  return settled.slice(0, -1).map((result) => {
    if (result.status === 'rejected') throw toFailure(result.reason)
    return result.value
  })
}

/** COMMIT of a failed transaction succeeds and answers ROLLBACK. */
function checkCommitted({ command }: Answer): void {
  if (command !== 'COMMIT') throw new PostgresFailure(`COMMIT was answered by ${command}`, 'transient', '25P02')
}

/** A constraint that is checked at the end is an answer; a connection that breaks there leaves the outcome open. */
function commitFailure(error: unknown): PostgresFailure {
  const failure = toFailure(error)
  if (isAnswer(error)) return failure
  return new PostgresFailure(`the answer to COMMIT was lost: ${failure.message}`, 'unknown-outcome', undefined, error)
}

/** First come, first served. */
class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Resolves when it is the caller's turn; the result ends it. */
  async next(): Promise<() => void> {
    const before = this.#last
    const { promise, resolve } = deferred<void>()
    this.#last = promise
    await before
    return resolve
  }
}

interface Deferred<T> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: unknown) => void
}

function deferred<T>(): Deferred<T> {
  let settle: Omit<Deferred<T>, 'promise'> | undefined
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject }
  })
  return { promise, ...must(settle, 'the executor has run') }
}
