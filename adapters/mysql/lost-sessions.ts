import { setTimeout as delay } from 'node:timers/promises'
import { MysqlFailure, toFailure } from './failures.ts'
import type { Session, SessionId } from './session.ts'

/**
 * Sessions whose connections were given up without the server knowing. Until it finds out, which can take hours, they hold
 * the locks of their transactions; so they are ended from the next session, before anything is sent again.
 */
export class LostSessions {
  #ids: readonly SessionId[] = []

  get isEmpty(): boolean {
    return this.#ids.length === 0
  }

  add(session: Session): void {
    this.#ids = [...this.#ids, session.id]
  }

  /** Throws a `transient` failure if one does not end in time. */
  async endFrom(session: Session): Promise<void> {
    const ids = this.#ids
    this.#ids = []
    for (const [index, id] of ids.entries()) {
      try {
        await endSession(session, id)
      } catch (error) {
        this.#ids = [...this.#ids, ...ids.slice(index)]
        throw error
      }
    }
  }
}

const patienceMs = 5_000
const unknownThread = 1094

async function endSession(session: Session, id: SessionId): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (await isThere(session, id)) {
    if (performance.now() > deadline) {
      throw new MysqlFailure('the server still works for a connection that was lost', 'transient')
    }
    await kill(session, id)
    await delay(20)
  }
}

/** Numbers start anew with the server, and another server has its own: a number alone would be somebody else's. */
async function isThere(session: Session, { server, connection, openedAt }: SessionId): Promise<boolean> {
  if (session.id.server !== server) return false
  const { rows } = await session.run({ text: "SHOW GLOBAL STATUS LIKE 'Uptime'" })
  const uptimeMs = Number(rows[0]?.[1] ?? 0) * 1000
  if (uptimeMs + clockSlackMs < performance.now() - openedAt) return false
  const text = 'SELECT id FROM information_schema.processlist WHERE id = CAST(? AS UNSIGNED) AND user = ?'
  const found = await session.run({ text, values: [connection, await userOf(session)] })
  return found.rows.length > 0
}

/** The uptime is counted in whole seconds. */
const clockSlackMs = 2_000

async function userOf(session: Session): Promise<string> {
  const { rows } = await session.run({ text: "SELECT SUBSTRING_INDEX(USER(), '@', 1)" })
  return String(rows[0]?.[0] ?? '')
}

async function kill(session: Session, { connection }: SessionId): Promise<void> {
  try {
    await session.control(`KILL ${BigInt(connection)}`)
  } catch (error) {
    if (toFailure(error).code !== unknownThread) throw error
  }
}
