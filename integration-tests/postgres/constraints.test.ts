import pg from 'pg'
import { expect, test } from 'vitest'
import type { Change } from '../../src/changelog/element.ts'
import { createSink, createSinks } from '../../src/sink/create-sink.ts'
import { collectRejected } from '../collect-rejected.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachPostgres } from '../stores.ts'
import { writeAll } from '../write-all.ts'
import { useDatabase } from './test-database.ts'

describeEachPostgres('constraints of the target', (server) => {
  const database = useDatabase(server)

  test('R3 one bad row among thousands is found and named, the rest is written in the same flush', async () => {
    await database.run('CREATE TABLE checked (id int PRIMARY KEY, n int CHECK (n <> 4711), u text UNIQUE)')
    const table = sinkTable(database.url, 'checked', 'id INT, n INT, u STRING, PRIMARY KEY (id) NOT ENFORCED', {
      'sink.buffer-flush.max-rows': '20000',
    })
    const rejected = collectRejected()
    const changes = Array.from({ length: 12_000 }, (_, id): Change => {
      return { kind: '+I', row: { id, n: id, u: `u${id === 9000 ? 1 : id}` } }
    })
    const report = await writeAll({ table, failureHandler: rejected }, changes)
    expect(rejected.letters.map(({ key, reason }) => [key['id'], reason.match(/SQLSTATE \w+/)?.[0]])).toEqual([
      [4711, 'SQLSTATE 23514'],
      [9000, 'SQLSTATE 23505'],
    ])
    expect(report.account).toMatchObject({ accepted: 12_000, written: 11_998, rejected: 2 })
    expect(await database.rows('SELECT count(*) FROM checked')).toEqual([{ count: '11998' }])
  })

  test('R3 a trigger that raises refuses its row, and its words stay out of messages', async () => {
    await database.run(
      'CREATE TABLE guarded (id int PRIMARY KEY, v text)',
      `CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN IF NEW.v = 'secret' THEN RAISE EXCEPTION 'no %', NEW.v; END IF; RETURN NEW; END $$`,
      'CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON guarded FOR EACH ROW EXECUTE FUNCTION guard()',
    )
    const table = sinkTable(database.url, 'guarded', 'id INT, v STRING, PRIMARY KEY (id) NOT ENFORCED')
    const rejected = collectRejected()
    await writeAll({ table, failureHandler: rejected }, [
      { kind: '+I', row: { id: 1, v: 'fine' } },
      { kind: '+I', row: { id: 2, v: 'secret' } },
    ])
    expect(await database.rows('SELECT id FROM guarded')).toEqual([{ id: '1' }])
    expect(rejected.letters).toMatchObject([{ key: { id: 2 } }])
    expect(rejected.letters[0]?.reason).not.toContain('secret')
  })

  test('B4 parents come before children and go after them, whatever the order of the tables', async () => {
    await database.run(
      'CREATE TABLE parent (id int PRIMARY KEY)',
      'CREATE TABLE child (id int PRIMARY KEY, p int NOT NULL REFERENCES parent)',
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
    expect(
      await database.rows('SELECT c.id, c.p, p.id AS parent FROM child c FULL JOIN parent p ON p.id = c.p'),
    ).toEqual([{ id: '1', p: '11', parent: '11' }])
    await sink.write({ table: 'parent', kind: '-D', row: { id: 11 } })
    await sink.write({ table: 'child', kind: '-D', row: { id: 1, p: 11 } })
    await sink.close()
    expect(await database.rows('SELECT id FROM parent UNION ALL SELECT id FROM child')).toEqual([])
  })

  test('B4 deferrable constraints wait for the end of the flush: rows that point at each other, a swap of unique values', async () => {
    await database.run(
      'CREATE TABLE ring (id int PRIMARY KEY, next int REFERENCES ring DEFERRABLE, place int UNIQUE DEFERRABLE)',
      'CREATE TABLE a (id int PRIMARY KEY, b int)',
      'CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a DEFERRABLE)',
      'ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b DEFERRABLE',
    )
    const ring = sinkTable(database.url, 'ring', 'id INT, next INT, place INT, PRIMARY KEY (id) NOT ENFORCED')
    await writeAll({ table: ring }, [
      { kind: '+I', row: { id: 1, next: 2, place: 1 } },
      { kind: '+I', row: { id: 2, next: 1, place: 2 } },
    ])
    await writeAll({ table: ring }, [
      { kind: '+U', row: { id: 1, next: 2, place: 2 } },
      { kind: '+U', row: { id: 2, next: 1, place: 1 } },
    ])
    expect(await database.rows('SELECT id, place FROM ring ORDER BY id')).toEqual([
      { id: '1', place: '2' },
      { id: '2', place: '1' },
    ])
    const sink = await createSinks({
      tables: [
        sinkTable(database.url, 'a', 'id INT, b INT, PRIMARY KEY (id) NOT ENFORCED'),
        sinkTable(database.url, 'b', 'id INT, a INT, PRIMARY KEY (id) NOT ENFORCED'),
      ].join(';\n'),
    })
    await sink.write({ table: 'a', kind: '+I', row: { id: 1, b: 1 } })
    await sink.write({ table: 'b', kind: '+I', row: { id: 1, a: 1 } })
    await sink.close()
    expect(await database.rows('SELECT a.id FROM a JOIN b ON a.b = b.id AND b.a = a.id')).toEqual([{ id: '1' }])
  })

  test('R3 a row that breaks a deferred constraint is found at the end of the flush', async () => {
    await database.run(
      'CREATE TABLE known (id int PRIMARY KEY)',
      'INSERT INTO known VALUES (1)',
      'CREATE TABLE refers (id int PRIMARY KEY, k int REFERENCES known DEFERRABLE INITIALLY DEFERRED)',
    )
    const table = sinkTable(database.url, 'refers', 'id INT, k INT, PRIMARY KEY (id) NOT ENFORCED')
    const rejected = collectRejected()
    await writeAll(
      { table, failureHandler: rejected },
      Array.from({ length: 50 }, (_, id): Change => ({ kind: '+I', row: { id, k: id === 33 ? 2 : 1 } })),
    )
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([33])
    expect(await database.rows('SELECT count(*) FROM refers')).toEqual([{ count: '49' }])
  })

  test('a delete gives up a unique value that another row of the flush takes', async () => {
    await database.run('CREATE TABLE mails (id int PRIMARY KEY, mail text UNIQUE)', "INSERT INTO mails VALUES (2, 'm')")
    const table = sinkTable(database.url, 'mails', 'id INT, mail STRING, PRIMARY KEY (id) NOT ENFORCED')
    await writeAll({ table }, [
      { kind: '+I', row: { id: 1, mail: 'm' } },
      { kind: '-D', row: { id: 2, mail: 'm' } },
    ])
    expect(await database.rows('SELECT * FROM mails')).toEqual([{ id: '1', mail: 'm' }])
  })

  test('K5 truncate empties the table in its place; a role without the right to deletes the rows', async () => {
    const admin = new pg.Client(database.adminUrl)
    await admin.connect()
    for (const name of ['emptied', 'guarded_rows']) {
      await admin.query(`CREATE TABLE ${name} (id int PRIMARY KEY)`)
      await admin.query(`INSERT INTO ${name} VALUES (1), (2)`)
      const rights = name === 'emptied' ? 'ALL' : 'SELECT, INSERT, UPDATE, DELETE'
      await admin.query(`GRANT ${rights} ON ${name} TO PUBLIC`)
    }
    await admin.end()
    for (const name of ['emptied', 'guarded_rows']) {
      const table = sinkTable(database.url, name, 'id INT, PRIMARY KEY (id) NOT ENFORCED')
      const sink = await createSink({ table })
      await sink.write({ kind: '+I', row: { id: 3 } })
      await sink.write({ type: 'truncate' })
      await sink.write({ kind: '+I', row: { id: 4 } })
      await sink.close()
      expect(await database.rows(`SELECT * FROM ${name}`)).toEqual([{ id: '4' }])
    }
  })

  test('K6 a changed key takes along the columns that the new image lacks', async () => {
    await database.run(
      'CREATE TABLE moved (id int PRIMARY KEY, v text, big text)',
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
