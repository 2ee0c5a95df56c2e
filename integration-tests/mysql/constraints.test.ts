import { expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink, createSinks } from '../../src/sink/create-sink.ts'
import { collectRejected } from '../collect-rejected.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachMysql } from '../stores.ts'
import { writeAll } from '../write-all.ts'
import { useDatabase } from './test-database.ts'

describeEachMysql('constraints of the target', (server) => {
  const database = useDatabase(server)

  test('R3 bad rows among thousands are found and named, the rest is written in the same flush', async () => {
    await database.run(
      'CREATE TABLE guarded (id INT PRIMARY KEY, n INT)',
      `CREATE TRIGGER guard BEFORE INSERT ON guarded FOR EACH ROW
         IF NEW.n IN (4711, 4712) THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no 4711'; END IF`,
    )
    const table = sinkTable(database.url, 'guarded', 'id INT, n INT, PRIMARY KEY (id) NOT ENFORCED', {
      'sink.buffer-flush.max-rows': '20000',
    })
    const rejected = collectRejected()
    const changes = Array.from({ length: 12_000 }, (_, id): Change => ({ kind: '+I', row: { id, n: id } }))
    const report = await writeAll({ table, failureHandler: rejected }, changes)
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([4711, 4712])
    expect(rejected.letters.every(({ reason }) => !reason.includes('no 4711'))).toBe(true)
    expect(report.account).toMatchObject({ accepted: 12_000, written: 11_998, rejected: 2 })
    expect(await database.rows('SELECT COUNT(*) AS n FROM guarded')).toEqual([{ n: '11998' }])
  })

  test('a second unique index never makes a change take hold of the row of another key', async () => {
    await database.run(
      'CREATE TABLE mails (id INT PRIMARY KEY, mail VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin UNIQUE, n INT)',
      "INSERT INTO mails VALUES (1, 'a', 1), (2, 'b', 2)",
    )
    const table = sinkTable(database.url, 'mails', 'id INT, mail STRING, n INT, PRIMARY KEY (id) NOT ENFORCED')
    const rejected = collectRejected()
    const report = await writeAll({ table, failureHandler: rejected }, [
      { kind: '+I', row: { id: 3, mail: 'b', n: 3 } },
      { kind: '+U', row: { id: 1, mail: 'b', n: 10 } },
      { kind: '+I', row: { id: 4, mail: 'd', n: 4 } },
    ])
    expect(await database.rows('SELECT * FROM mails ORDER BY id')).toEqual([
      { id: '1', mail: 'a', n: '1' },
      { id: '2', mail: 'b', n: '2' },
      { id: '4', mail: 'd', n: '4' },
    ])
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([1, 3])
    expect(rejected.letters.every(({ reason }) => reason.includes('(mail)') && !reason.includes("'b'"))).toBe(true)
    expect(report.account).toMatchObject({ accepted: 3, written: 1, rejected: 2 })
  })

  test('a delete gives up a unique value that another row of the flush takes', async () => {
    await database.run('CREATE TABLE places (id INT PRIMARY KEY, place INT UNIQUE)', 'INSERT INTO places VALUES (2, 7)')
    const table = sinkTable(database.url, 'places', 'id INT, place INT, PRIMARY KEY (id) NOT ENFORCED')
    await writeAll({ table }, [
      { kind: '+I', row: { id: 1, place: 7 } },
      { kind: '-D', row: { id: 2, place: 7 } },
    ])
    expect(await database.rows('SELECT * FROM places')).toEqual([{ id: '1', place: '7' }])
  })

  test('B4 parents come before children and go after them, whatever the order of the tables', async () => {
    await database.run(
      'CREATE TABLE parent (id INT PRIMARY KEY)',
      'CREATE TABLE child (id INT PRIMARY KEY, p INT NOT NULL, FOREIGN KEY (p) REFERENCES parent (id))',
    )
    const tables = [
      sinkTable(database.url, 'child', 'id INT, p INT, PRIMARY KEY (id) NOT ENFORCED'),
      sinkTable(database.url, 'parent', 'id INT, PRIMARY KEY (id) NOT ENFORCED'),
    ].join(';\n')
    const sink = await createSinks({ tables })
    await sink.write({ table: 'child', kind: '+I', row: { id: 1, p: 10 } })
    await sink.write({ table: 'parent', kind: '+I', row: { id: 10 } })
    await sink.flush()
    // the child moves to a new parent and the old one goes, all in one flush
    await sink.write({ table: 'parent', kind: '-D', row: { id: 10 } })
    await sink.write({ table: 'parent', kind: '+I', row: { id: 11 } })
    await sink.write({ table: 'child', kind: '+U', row: { id: 1, p: 11 } })
    await sink.flush()
    expect(await database.rows('SELECT id, p FROM child')).toEqual([{ id: '1', p: '11' }])
    await sink.write({ table: 'parent', kind: '-D', row: { id: 11 } })
    await sink.write({ table: 'child', kind: '-D', row: { id: 1, p: 11 } })
    await sink.close()
    expect(await database.rows('SELECT id FROM parent UNION ALL SELECT id FROM child')).toEqual([])
  })

  test('B4 children that stream behind their parents, flush after flush, never come first', async () => {
    await database.run(
      'CREATE TABLE author (id INT PRIMARY KEY)',
      'CREATE TABLE book (id INT PRIMARY KEY, a INT NOT NULL, FOREIGN KEY (a) REFERENCES author (id))',
    )
    const options = { 'sink.buffer-flush.max-rows': '20' }
    const tables = [
      sinkTable(database.url, 'author', 'id INT, PRIMARY KEY (id) NOT ENFORCED', options),
      sinkTable(database.url, 'book', 'id INT, a INT, PRIMARY KEY (id) NOT ENFORCED', options),
    ].join(';\n')
    const sink = await createSinks({ tables })
    for (let id = 0; id < 1000; id++) {
      await sink.write({ table: 'author', kind: '+I', row: { id } })
      if (id >= 15) await sink.write({ table: 'book', kind: '+I', row: { id, a: id - 15 } })
    }
    await sink.close()
    expect(await database.rows('SELECT COUNT(*) AS n FROM book')).toEqual([{ n: '985' }])
  })

  test('R3 a row larger than a request of the server is rejected, and its neighbours are written', async () => {
    const table = sinkTable(database.url, 'large', 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED', {
      'sink.create-table': 'if-not-exists',
      'sink.buffer-flush.max-bytes': '0',
      'sink.buffer.max-bytes': '256mb',
    })
    const [{ bytes } = { bytes: '0' }] = await database.rows('SELECT @@max_allowed_packet AS bytes')
    const rejected = collectRejected()
    const long = 'x'.repeat(Number(bytes) - 2000)
    await writeAll({ table, failureHandler: rejected }, [
      { kind: '+I', row: { id: 1, v: 'before' } },
      { kind: '+I', row: { id: 2, v: `${long}${'x'.repeat(2000)}` } },
      { kind: '+I', row: { id: 3, v: long } },
      { kind: '+I', row: { id: 4, v: 'after' } },
    ])
    expect(await database.rows('SELECT id, LENGTH(v) AS n FROM large ORDER BY id')).toEqual([
      { id: '1', n: '6' },
      { id: '3', n: String(long.length) },
      { id: '4', n: '5' },
    ])
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([2])
  })

  test('K5 truncate empties the table in its place', async () => {
    await database.run('CREATE TABLE emptied (id INT PRIMARY KEY)', 'INSERT INTO emptied VALUES (1), (2)')
    const sink = await createSink({
      table: sinkTable(database.url, 'emptied', 'id INT, PRIMARY KEY (id) NOT ENFORCED'),
    })
    await sink.write({ kind: '+I', row: { id: 3 } })
    await sink.write({ type: 'truncate' })
    await sink.write({ kind: '+I', row: { id: 4 } })
    await sink.close()
    expect(await database.rows('SELECT * FROM emptied')).toEqual([{ id: '4' }])
  })

  test('K6 a changed key takes along the columns that the new image lacks', async () => {
    await database.run(
      'CREATE TABLE moved (id INT PRIMARY KEY, v LONGTEXT, big LONGTEXT) CHARACTER SET utf8mb4',
      "INSERT INTO moved VALUES (1, 'a', 'toast')",
    )
    const table = sinkTable(database.url, 'moved', 'id INT, v STRING, big STRING, PRIMARY KEY (id) NOT ENFORCED')
    const sink = await createSink({ table })
    await sink.write({ kind: '-U', row: { id: 1 }, pair: 1 })
    await sink.write({ kind: '+U', row: { id: 2, v: 'b' }, pair: 1 })
    await sink.close()
    expect(await database.rows('SELECT * FROM moved')).toEqual([{ id: '2', v: 'b', big: 'toast' }])
  })
})
