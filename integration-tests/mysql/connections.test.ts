import { setTimeout as delay } from 'node:timers/promises'
import { createConnection, createPool } from 'mysql2/promise'
import { expect, test } from 'vitest'
import { createSink } from '../../src/sink/create-sink.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachMysql } from '../stores.ts'
import { writeAll } from '../write-all.ts'
import { useDatabase } from './test-database.ts'

const columns = 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED'

const roundsMax = 5000

describeEachMysql('connections', (server) => {
  const database = useDatabase(server)

  async function makeTable(name: string, options: Readonly<Record<string, string>> = {}): Promise<string> {
    await database.run(`CREATE TABLE ${name} (id INT PRIMARY KEY, v LONGTEXT) CHARACTER SET utf8mb4`)
    return sinkTable(database.url, name, columns, options)
  }

  /** Cuts the connections of sinks; gives how many there were. */
  async function cut(): Promise<number> {
    const found = await database.rows(
      'SELECT id AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()',
    )
    for (const { n } of found) await database.run(`KILL ${n}`).catch(() => undefined)
    return found.length
  }

  test('R1 a connection that is handed in is used and stays open, also when its flush fails', async () => {
    const table = await makeTable('by_connection')
    const client = await createConnection(database.url)
    const listeners = client.listenerCount('error')
    await writeAll({ table, client }, [{ kind: '+I', row: { id: 1, v: 'a' } }])
    const failing = writeAll({ table, client }, [{ kind: '+I', row: { id: 2, v: 'half \ud83d' } }])
    await expect(failing).rejects.toMatchObject({ code: 'ROW_REJECTED' })
    const [rows] = await client.query('SELECT id FROM by_connection')
    expect(rows).toEqual([{ id: 1 }])
    expect(client.listenerCount('error')).toBe(listeners)
    await client.end()
  })

  test('a pool that is handed in gets every connection back and is never ended', async () => {
    const table = await makeTable('by_pool', { 'sink.parallelism': '3' })
    const pool = createPool({ uri: database.url, connectionLimit: 2 })
    const sink = await createSink({ table, client: pool })
    for (let id = 0; id < 500; id++) await sink.write({ kind: '+I', row: { id, v: 'a' } })
    await sink.flush()
    await sink.write({ kind: '+U', row: { id: 1, v: 'b' } })
    await sink.close()
    // more than there are could only be had if none was kept
    const all = await Promise.all([pool.getConnection(), pool.getConnection()])
    for (const connection of all) connection.release()
    const [rows] = await pool.query('SELECT COUNT(*) AS n FROM by_pool')
    expect(rows).toEqual([{ n: 500 }])
    await pool.end()
  })

  test('what is no client is refused by code', async () => {
    const table = await makeTable('by_mistake')
    await expect(createSink({ table, client: { query: 'no function' } })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    })
  })

  test('R2 connections that are cut while idle cost nothing: the next flush goes over a new one', async () => {
    const table = await makeTable('cut_idle')
    const sink = await createSink({ table })
    await sink.write({ kind: '+I', row: { id: 1, v: 'a' } })
    await sink.flush()
    expect(await cut()).toBeGreaterThan(0)
    await delay(50)
    await sink.write({ kind: '+I', row: { id: 2, v: 'b' } })
    await sink.close()
    expect(await database.rows('SELECT id FROM cut_idle ORDER BY id')).toEqual([{ id: '1' }, { id: '2' }])
  })

  test('R2 connections that are cut again and again under load lose and double nothing', async () => {
    const table = await makeTable('cut_busy', {
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
        cuts += await cut()
        await delay(250)
      }
    })()
    let round = 0
    // a quick machine may be done before the first cut
    for (; round < 8 || (cuts === 0 && round < roundsMax); round++) {
      for (let id = 0; id < 1000; id++) await sink.write({ kind: '+U', row: { id, v: `round ${round}` } })
    }
    await sink.close()
    cutting = false
    await cutter
    expect(cuts).toBeGreaterThan(0)
    expect(await database.rows('SELECT v, COUNT(*) AS n FROM cut_busy GROUP BY v')).toEqual([
      { v: `round ${round - 1}`, n: '1000' },
    ])
  })

  test('R2 a statement that takes too long is given up, ended on the server and tried again', async () => {
    const table = await makeTable('locked', { 'statement-timeout': '200ms', 'sink.retry.interval': '50ms' })
    await database.run("INSERT INTO locked VALUES (1, 'old')", 'BEGIN', "UPDATE locked SET v = 'held'")
    const written = writeAll({ table }, [{ kind: '+U', row: { id: 1, v: 'new' } }])
    await delay(700)
    await database.run('COMMIT')
    await written
    expect(await database.rows('SELECT * FROM locked')).toEqual([{ id: '1', v: 'new' }])
  })

  test('C2 a wrong password is an error of its own kind, and is in no message', async () => {
    const url = new URL(database.url)
    url.username = 'nobody_there'
    url.password = 'hunter2'
    const table = sinkTable(url.href, 'secret', columns)
    const error: unknown = await createSink({ table }).catch((one: unknown) => one)
    expect(error).toMatchObject({ code: 'STORE_AUTH' })
    expect(String(error)).not.toContain('hunter2')
  })

  test('a server that is not there is said to be so at once', async () => {
    const table = sinkTable('mysql://root@127.0.0.1:1/none', 'x', columns)
    await expect(createSink({ table })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  test('an abort ends a flush that hangs', async () => {
    const table = await makeTable('aborted')
    await database.run("INSERT INTO aborted VALUES (1, 'old')", 'BEGIN', "UPDATE aborted SET v = 'held'")
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
