import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { type PostgresSource, startPostgres } from './postgres-server.ts'
import { ServiceUnavailable } from './service-unavailable.ts'

const sources: readonly PostgresSource[] = ['machine', 'npm']

describe.each(sources)('a private PostgreSQL server of %s', (source) => {
  test('keeps what was committed when it is killed, and hangs while it is suspended', async (context) => {
    const server = await startPostgres({ source }).catch((error: unknown) => {
      if (error instanceof ServiceUnavailable) context.skip(error.message)
      throw error
    })
    await using _ = server
    await query(server.adminUrl, 'create table t as select 1 as a')
    await server.kill()
    await server.restart()
    expect(await query(server.adminUrl, 'select a from t')).toEqual([{ a: 1 }])

    await server.suspend()
    const answer = query(server.adminUrl, 'select a + 1 as a from t')
    expect(await Promise.race([answer, delay(500, 'hangs')])).toBe('hangs')
    await server.resume()
    expect(await answer).toEqual([{ a: 2 }])
  })
})

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
