import { expect, test } from 'vitest'
import { TidegateError } from '../../src/errors.ts'
import { collectRejected } from '../collect-rejected.ts'
import { sinkTable } from '../sink-table.ts'
import { describeEachMysql } from '../stores.ts'
import { writeAll } from '../write-all.ts'
import { useDatabase } from './test-database.ts'

const id = 'id BIGINT, PRIMARY KEY (id) NOT ENFORCED'
const text = 'CHARACTER SET utf8mb4 COLLATE utf8mb4_bin'

describeEachMysql('values in tables that a user has made', (server) => {
  const database = useDatabase(server)

  test('C1 TINYINT(1) holds integers and booleans, UNSIGNED refuses what is negative, ENUM what it does not list', async () => {
    await database.run(
      `CREATE TABLE typed (id BIGINT PRIMARY KEY, t TINYINT(1), b TINYINT(1), u BIGINT UNSIGNED, e ENUM('a', 'b') ${text})`,
    )
    const table = sinkTable(database.url, 'typed', `t TINYINT, b BOOLEAN, u BIGINT, e STRING, ${id}`)
    const row = { t: -128, b: true, u: 9223372036854775807n, e: 'a' }
    const rejected = collectRejected()
    await writeAll({ table, failureHandler: rejected }, [
      { kind: '+I', row: { id: 1n, ...row } },
      { kind: '+I', row: { id: 2n, ...row, u: -1n } },
      { kind: '+I', row: { id: 3n, ...row, e: 'c' } },
    ])
    expect(await database.rows('SELECT * FROM typed')).toEqual([
      { id: '1', t: '-128', b: '1', u: '9223372036854775807', e: 'a' },
    ])
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([2n, 3n])
  })

  test('text is never cut, not even the blanks that strict mode cuts in silence', async () => {
    await database.run(`CREATE TABLE short (id BIGINT PRIMARY KEY, v VARCHAR(3) ${text}, b VARBINARY(2))`)
    const table = sinkTable(database.url, 'short', `v STRING, b BYTES, ${id}`)
    const rejected = collectRejected()
    await writeAll({ table, failureHandler: rejected }, [
      { kind: '+I', row: { id: 1n, v: '😀😀😀', b: new Uint8Array([1, 2]) } },
      { kind: '+I', row: { id: 2n, v: 'abcd', b: null } },
      { kind: '+I', row: { id: 3n, v: 'abc  ', b: null } },
      { kind: '+I', row: { id: 4n, v: 'a', b: new Uint8Array([1, 2, 3]) } },
      { kind: '+I', row: { id: 5n, v: 'a  ', b: null } },
    ])
    expect(await database.rows("SELECT id, CONCAT(v, '.') AS v, HEX(b) AS b FROM short ORDER BY id")).toEqual([
      { id: '1', v: '😀😀😀.', b: '0102' },
      { id: '5', v: 'a  .', b: null },
    ])
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([2n, 3n, 4n])
    expect(rejected.letters.every(({ reason }) => !reason.includes('abc'))).toBe(true)
  })

  test('a target that would round, cut or misread values is refused, with every column at once', async () => {
    await database.run(
      `CREATE TABLE narrow (id BIGINT PRIMARY KEY, d DECIMAL(10,1), t DATETIME(3), f FLOAT, n INT,
         l VARCHAR(10) CHARACTER SET latin1, g BIGINT GENERATED ALWAYS AS (1) STORED)`,
    )
    const columns = `d DECIMAL(10,2), t TIMESTAMP(6), f DOUBLE, n BIGINT, l STRING, g BIGINT, gone STRING, ${id}`
    const error: unknown = await writeAll({ table: sinkTable(database.url, 'narrow', columns) }, []).catch(
      (one: unknown) => one,
    )
    expect(error).toBeInstanceOf(TidegateError)
    const { code, problems } = error as TidegateError
    expect(code).toBe('STORE_MISMATCH')
    expect(problems.map(({ subject }) => subject.split(' ').at(-1))).toEqual(['d', 't', 'f', 'n', 'l', 'g', 'gone'])
  })

  test('a text key under a collation that ignores case is refused: keys that differ would be one row', async () => {
    await database.run(
      'CREATE TABLE folded (k VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY)',
    )
    const table = sinkTable(database.url, 'folded', 'k STRING, PRIMARY KEY (k) NOT ENFORCED')
    await expect(writeAll({ table }, [])).rejects.toMatchObject({ code: 'STORE_MISMATCH' })
  })

  test('timestamps are the same under any time zone of the server', async () => {
    // the servers of these tests are set to +05:30, and a TIMESTAMP column is shown in the session's zone
    await database.run(
      'CREATE TABLE clocks (id BIGINT PRIMARY KEY, t DATETIME(6), z TIMESTAMP(6) NULL, m TIME(6))',
      "SET time_zone = '+00:00'",
    )
    const table = sinkTable(database.url, 'clocks', `t TIMESTAMP(6), z TIMESTAMP_LTZ(6), m TIME(6), ${id}`)
    const rejected = collectRejected()
    await writeAll({ table, failureHandler: rejected }, [
      {
        kind: '+I',
        row: { id: 1n, t: '2026-03-08T02:30:00.000001', z: '2026-03-08T07:30:00.123456Z', m: '23:59:59.999999' },
      },
      {
        kind: '+I',
        row: { id: 2n, t: '9999-12-31T23:59:59.999999', z: '2038-01-19T03:14:07.000000+02:00', m: '00:00:00' },
      },
      { kind: '+I', row: { id: 3n, t: '+10000-01-01T00:00:00', z: null, m: null } },
      { kind: '+I', row: { id: 4n, t: null, z: '2300-01-01T00:00:00Z', m: null } },
    ])
    expect(await database.rows('SELECT * FROM clocks ORDER BY id')).toEqual([
      { id: '1', t: '2026-03-08 02:30:00.000001', z: '2026-03-08 07:30:00.123456', m: '23:59:59.999999' },
      { id: '2', t: '9999-12-31 23:59:59.999999', z: '2038-01-19 01:14:07.000000', m: '00:00:00.000000' },
    ])
    // a TIMESTAMP ends in 2038, save where it was made longer
    expect(rejected.letters.map(({ key }) => key['id'])).toEqual([3n, 4n])
  })

  test('names: reserved, mixed case, dots, quotes and blanks, in another database; key order differs', async () => {
    await database.run(
      `CREATE TABLE \`My.Table \`\`x\` (\`Order\` VARCHAR(20) ${text}, \`a.b\` INT, \`user\` BIGINT, \`%s ? $1\` VARCHAR(20) ${text}, PRIMARY KEY (\`user\`, \`Order\`))`,
    )
    const table = sinkTable(
      database.url,
      'x',
      '`Order` STRING, `a.b` INT, `user` BIGINT, `%s ? $1` STRING, PRIMARY KEY (`Order`, `user`) NOT ENFORCED',
      { 'table-name': `${database.name}.\`My.Table \`\`x\`` },
    )
    await writeAll({ table }, [
      { kind: '+I', row: { Order: 'o', 'a.b': 1, user: 2n, '%s ? $1': '?' } },
      { kind: '+I', row: { Order: 'p', 'a.b': 1, user: 2n, '%s ? $1': '\\' } },
      { kind: '-D', row: { Order: 'p', user: 2n } },
      { kind: '+U', row: { Order: 'o', user: 2n, 'a.b': 3 } },
    ])
    expect(await database.rows('SELECT * FROM `My.Table ``x`')).toEqual([
      { Order: 'o', 'a.b': '3', user: '2', '%s ? $1': '?' },
    ])
  })

  test('a key alone is a row', async () => {
    await database.run('CREATE TABLE keys_only (id BIGINT, d DATE, PRIMARY KEY (d, id))')
    const table = sinkTable(database.url, 'keys_only', 'id BIGINT, d DATE, PRIMARY KEY (id, d) NOT ENFORCED')
    const d = '2026-02-28'
    const report = await writeAll({ table }, [
      { kind: '+I', row: { id: 1n, d } },
      { kind: '+I', row: { id: 2n, d } },
      { kind: '+I', row: { id: 1n, d } },
      { kind: '-D', row: { id: 2n, d } },
    ])
    expect(await database.rows('SELECT * FROM keys_only')).toEqual([{ id: '1', d }])
    expect(report.account).toMatchObject({ accepted: 4, stale: 0, rejected: 0 })
  })

  test('JSON columns keep texts and integers; a document that is none is a fault of its row', async () => {
    await database.run(`CREATE TABLE documents (id BIGINT PRIMARY KEY, j JSON, t LONGTEXT ${text})`)
    const table = sinkTable(database.url, 'documents', `j JSON, t JSON, ${id}`)
    await writeAll({ table }, [
      { kind: '+I', row: { id: 1n, j: '{"n":9007199254740993,"s":"😀"}', t: '{"n":12345678901234567890.10}' } },
      { kind: '+I', row: { id: 2n, j: null, t: 'null' } },
    ])
    expect(await database.rows("SELECT id, JSON_EXTRACT(j, '$.n') AS n, t FROM documents ORDER BY id")).toEqual([
      { id: '1', n: '9007199254740993', t: '{"n":12345678901234567890.10}' },
      { id: '2', n: null, t: 'null' },
    ])
  })
})
