import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachPostgres } from '../stores.ts'
import { writeAll } from '../write-all.ts'
import { useDatabase } from './test-database.ts'

const columns = 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED'

const roundsMax = 5000

describeEachPostgres('connections', (server) => {
  const database = useDatabase(server)

  async function makeTable(name: string, options: Readonly<Record<string, string>> = {}): Promise<string> {
    await database.run(`CREATE TABLE ${name} (id int PRIMARY KEY, v text)`)
    return sinkTable(database.url, name, columns, options)
  }

  test('R1 a client that is handed in is used and stays open, also when its flush fails', async () => {
    const table = await makeTable('by_client')
    const client = new pg.Client(database.url)
    await client.connect()
    await writeAll({ table, client }, [{ kind: '+I', row: { id: 1, v: 'a' } }])
    const failing = writeAll({ table, client }, [{ kind: '+I', row: { id: 2, v: 'nul\u0000' } }])
    await expect(failing).rejects.toMatchObject({ code: 'ROW_REJECTED' })
    expect((await client.query('SELECT id FROM by_client')).rows).toEqual([{ id: 1 }])
    expect(client.listenerCount('error')).toBe(0)
    await client.end()
  })

  test('a pool that is handed in gets every connection back, in order, and is never ended', async () => {
    const table = await makeTable('by_pool', { 'sink.parallelism': '3' })
    const pool = new pg.Pool({ connectionString: database.url, max: 3 })
    const sink = await createSink({ table, client: pool })
    for (let id = 0; id < 500; id++) await sink.write({ kind: '+I', row: { id, v: 'a' } })
    await sink.flush()
    await sink.write({ kind: '+U', row: { id: 1, v: 'b' } })
    await sink.close()
    expect(pool.totalCount).toBe(pool.idleCount)
    expect(pool.listenerCount('error')).toBe(0)
    expect((await pool.query('SELECT count(*)::int AS n FROM by_pool')).rows).toEqual([{ n: 500 }])
    await pool.end()
  })

  test('what is no client is refused by code', async () => {
    const table = await makeTable('by_mistake')
    await expect(createSink({ table, client: { query: 'no function' } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })

  test('a client that was never connected is said to be so, and not waited for', async () => {
    const table = await makeTable('unconnected', { 'connect-timeout': '300ms' })
    const opening = createSink({ table, client: new pg.Client(database.url) })
    await expect(opening).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('R2 a connection that is cut while idle costs nothing: the next flush goes over a new one', async () => {
    const table = await makeTable('cut_idle', { 'application-name': 'cut-idle' })
    const sink = await createSink({ table })
    await sink.write({ kind: '+I', row: { id: 1, v: 'a' } })
    await sink.flush()
    const cut = await database.rows(
      "SELECT pg_terminate_backend(pid) AS cut FROM pg_stat_activity WHERE application_name = 'cut-idle'",
    )
    expect(cut).toEqual([{ cut: 't' }])
    await delay(50)
    await sink.write({ kind: '+I', row: { id: 2, v: 'b' } })
    await sink.close()
    expect(await database.rows('SELECT id FROM cut_idle ORDER BY id')).toEqual([{ id: '1' }, { id: '2' }])
  })

  test('R2 connections that are cut again and again under load lose and double nothing', async () => {
    const table = await makeTable('cut_busy', {
      'application-name': 'cut-busy',
      'sink.buffer-flush.max-rows': '200',
      'sink.parallelism': '2',
      'sink.retry.interval': '20ms',
      'sink.max-retries': '20',
    })
    const sink = await createSink({ table })
    let cuts = 0
    let cutting = true
    const cutter = (async () => {
      while (cutting) {
        const cut = await database.rows(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut-busy' AND state <> 'idle'",
        )
        cuts += cut.length
        await delay(15)
      }
    })()
    let round = 0
    // a quick machine may be done before the first cut
    for (; round < 20 || (cuts === 0 && round < roundsMax); round++) {
      for (let id = 0; id < 1000; id++) await sink.write({ kind: '+U', row: { id, v: `round ${round}` } })
    }
    await sink.close()
    cutting = false
    await cutter
    expect(cuts).toBeGreaterThan(0)
    expect(await database.rows('SELECT v, count(*) FROM cut_busy GROUP BY v')).toEqual([
      { v: `round ${round - 1}`, count: '1000' },
    ])
  })

  test('R2 a statement that takes too long is cancelled and tried again', async () => {
    const table = await makeTable('locked', { 'statement-timeout': '200ms', 'sink.retry.interval': '50ms' })
    const blocker = new pg.Client(database.url)
    await blocker.connect()
    await blocker.query("INSERT INTO locked VALUES (1, 'old')")
    await blocker.query('BEGIN')
    await blocker.query('SELECT FROM locked FOR UPDATE')
    const written = writeAll({ table }, [{ kind: '+U', row: { id: 1, v: 'new' } }])
    await delay(500)
    await blocker.query('COMMIT')
    await blocker.end()
    await written
    expect(await database.rows('SELECT * FROM locked')).toEqual([{ id: '1', v: 'new' }])
  })

  test('R2 a database that takes no writes for a while is waited for', async () => {
    const table = await makeTable('read_only', { 'sink.retry.interval': '100ms', 'sink.max-retries': '10' })
    const name = new URL(database.url).pathname.slice(1)
    const sink = await createSink({ table })
    await sink.write({ kind: '+I', row: { id: 1, v: 'a' } })
    await sink.flush()
    await database.run(`ALTER DATABASE ${name} SET default_transaction_read_only = on`)
    await database.rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidegate' AND datname = current_database()",
    )
    await sink.write({ kind: '+I', row: { id: 2, v: 'b' } })
    const closed = sink.close()
    await delay(300)
    await database.run(
      'SET default_transaction_read_only = off',
      `ALTER DATABASE ${name} RESET default_transaction_read_only`,
    )
    await closed
    expect(await database.rows('SELECT id FROM read_only ORDER BY id')).toEqual([{ id: '1' }, { id: '2' }])
  })

  test('C2 a wrong password is an error of its own kind, and is in no message', async () => {
    await makeTable('secret')
    const url = new URL(database.url)
    url.username = 'nobody_there'
    url.password = 'hunter2'
    const table = sinkTable(url.href, 'secret', columns)
    const error: unknown = await createSink({ table }).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(Error)
    expect(String(error)).not.toContain('hunter2')
  })

  test('a server that is not there is said to be so at once', async () => {
    const table = sinkTable('postgres://postgres@127.0.0.1:1/none', 'x', columns)
    await expect(createSink({ table })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('an abort ends a flush that hangs', async () => {
    const table = await makeTable('aborted')
    await database.run("INSERT INTO aborted VALUES (1, 'old')", 'BEGIN', 'SELECT FROM aborted FOR UPDATE')
    const sink = await createSink({ table })
    await sink.write({ kind: '+U', row: { id: 1, v: 'new' } })
    const flushed = expect(sink.flush()).rejects.toMatchObject({ code: 'SINK_ABORTED' })
    await delay(100)
    const started = performance.now()
    await sink.abort()
    await flushed
    expect(performance.now() - started).toBeLessThan(5_000)
    await database.run('ROLLBACK')
    await delay(200)
    // nor is it carried out behind the back of whoever writes next
    expect(await database.rows('SELECT * FROM aborted')).toEqual([{ id: '1', v: 'old' }])
  })
})
