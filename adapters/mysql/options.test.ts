import { expect, test } from 'vitest'
import type { Problem } from '../../src/errors.ts'
import { planTables } from '../../src/sink/create-sink.ts'
import { type MysqlOptions, parseEndpoint } from './options.ts'

const endpoint = (given: Partial<MysqlOptions>): unknown => {
  const problems: Problem[] = []
  const read = parseEndpoint(given as MysqlOptions, problems)
  return problems.length > 0 ? problems.map(({ message }) => message) : read
}

test('a url is read in the words of the drivers', () => {
  expect(endpoint({ url: 'mysql://ada:p%40ss@db.example:3307/shop' })).toEqual({
    ...{ host: 'db.example', port: 3307, database: 'shop', user: 'ada', password: 'p@ss', tls: 'verify-full' },
  })
  expect(endpoint({ url: 'jdbc:mysql://localhost/shop?rewriteBatchedStatements=true', username: 'v' })).toMatchObject({
    ...{ host: 'localhost', port: 3306, user: 'v', tls: 'off' },
  })
  expect(endpoint({ url: 'jdbc:mariadb://h/shop?useSSL=false' })).toMatchObject({ tls: 'off' })
})

test('C2 what is wrong with a url is said without it', () => {
  expect(endpoint({})).toEqual(['is missing'])
  expect(endpoint({ url: 'postgres://u:secret@h/d' })).toEqual(['is of no kind that is known here'])
  expect(endpoint({ url: 'mysql://u:secret@h:x/d' })).toEqual(['cannot be read as a URL'])
  expect(endpoint({ url: 'mysql://h' })).toEqual(['names no database'])
  expect(endpoint({ url: 'mysql://h/d?allowLoadLocalInfile=true' })).toEqual([
    'the parameter allowLoadLocalInfile is not known here',
  ])
})

test("the connector is found by Flink's names", async () => {
  for (const options of [
    "'connector' = 'jdbc', 'url' = 'jdbc:mysql://h/d'",
    "'connector' = 'jdbc', 'url' = 'jdbc:mariadb://h/d'",
    "'connector' = 'mariadb', 'url' = 'mysql://h/d'",
  ]) {
    const [domain] = await planTables({
      tables: `CREATE TABLE t (id INT, PRIMARY KEY (id) NOT ENFORCED) WITH (${options})`,
    })
    expect(domain?.plan.connector).toBe('mysql')
  }
})
